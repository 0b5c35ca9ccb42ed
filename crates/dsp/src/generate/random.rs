//! Random numbers of any frame of any channel: `SplitMix64` (Steele, Lea and Flood, "Fast splittable pseudorandom number
//! generators", OOPSLA 2014), whose state is a counter, so that any place of its sequence can be computed directly.

/// The increment of the counter: 2^64 divided by the golden ratio, odd.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// The random numbers of one channel.
#[derive(Clone, Copy, Debug)]
pub struct Sequence(u64);

impl Sequence {
    /// Returns the sequence of a channel. Sequences of other seeds and channels are independent of it.
    pub fn new(seed: u64, channel: usize) -> Self {
        Self(mix(mix(seed.wrapping_add(GAMMA)).wrapping_add((channel as u64).wrapping_mul(GAMMA))))
    }

    /// Returns the 64 random bits at a place.
    fn bits(self, index: u64) -> u64 {
        mix(self.0.wrapping_add(index.wrapping_add(1).wrapping_mul(GAMMA)))
    }

    /// Returns a number that is uniform in -1..1 and symmetric about 0, on a grid of 2^-52.
    pub fn symmetric(self, index: u64) -> f64 {
        ((self.bits(index) >> 11) as f64 + 0.5) / (1u64 << 52) as f64 - 1.0
    }

    /// Returns a number that is uniform in 0..1 and never 0 or 1.
    pub fn unit(self, index: u64) -> f64 {
        ((self.bits(index) >> 12) as f64 + 0.5) / (1u64 << 52) as f64
    }
}

/// The finaliser of `SplitMix64`.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
