//! Noise for the unit tests of this module.

/// Returns `frames` samples of white noise in -0.5..0.5, from a seed.
pub(super) fn noise(seed: u64, frames: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5
    };
    (0..frames).map(|_| next()).collect()
}
