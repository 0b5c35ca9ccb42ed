// Levels of powers in decibels, at least -200 dB.

const FLOOR_POWER: f32 = 1e-20;
const DB_PER_OCTAVE: f32 = 3.0103;

// Tests the bits, because a compiler may assume that floats are finite.
fn finite(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u;
}

fn db_from_finite(power: f32) -> f32 {
    return DB_PER_OCTAVE * log2(max(power, FLOOR_POWER));
}

fn db_from_power(power: f32) -> f32 {
    if (finite(power)) {
        return db_from_finite(power);
    }
    return power;
}
