//! Reproducible pseudo-random numbers.

/// Hashes two numbers (the finaliser of `SplitMix64`). The result serves as a random number for the pair.
pub(super) fn hashed(seed: u64, index: u64) -> u64 {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(index.wrapping_mul(0xd134_2543_de82_ef95));
    x ^= x >> 30;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^= x >> 27;
    x = x.wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Maps a hash to one of `0..count`.
pub(super) fn one_of(count: usize, hash: u64) -> usize {
    ((u128::from(hash) * count as u128) >> 64) as usize
}
