// Levels of powers.

const FLOOR_POWER: f32 = 1e-20;
const DB_PER_OCTAVE: f32 = 3.0103;

// By its bits: a compiler may take it for granted that numbers are finite.
fn finite(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u;
}

fn db_from_power(power: f32) -> f32 {
    if (finite(power)) {
        return DB_PER_OCTAVE * log2(max(power, FLOOR_POWER));
    }
    return power;
}
