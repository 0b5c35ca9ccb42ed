// By its bits: a compiler may take it for granted that numbers are finite.
fn finite(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u;
}
