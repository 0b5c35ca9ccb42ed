//! Dither: noise that makes the rounding error independent of the signal.
//!
//! The noise of a frame depends only on the seed, the channel and the frame's number, so that an export gives the same
//! file for any chunk size. Each block of [`BLOCK`] frames is seeded by a hash of these three (`SplitMix64`) and filled
//! by sixteen interleaved xoshiro128+ generators (Blackman and Vigna, "Scrambled linear pseudorandom number
//! generators", ACM TOMS 47, 2021), a loop that compilers vectorise.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use base::declared::TS;

/// The number of frames generated from one seed.
pub const BLOCK: usize = 1024;
const LANES: usize = 16;

/// The dither applied when rounding to integers.
///
/// Rounding is to the nearest, ties to even. With triangular noise, two steps from end to end, the mean and the power of
/// the error do not depend on the signal (Lipshitz, Wannamaker and Vanderkooy, "Quantization and Dither: A Theoretical
/// Survey", JAES 40, 1992). [`shaping`] has the filters of shaped noise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Dither {
    /// Rounding without dither.
    None,
    /// Triangular noise, two quantisation steps wide.
    #[default]
    Tpdf,
    /// Triangular noise, shaped towards frequencies at which hearing is least sensitive.
    Shaped,
}

/// Returns the error filter `c` of noise shaping at a rate. The error of the written sample is `e[n] - sum c[k]
/// e[n-1-k]`.
///
/// - 40 to 60 kHz: the five coefficients of Lipshitz, Vanderkooy and Wannamaker, "Minimally Audible Noise Shaping",
///   JAES 39 (1991), designed for 44.1 kHz: about 16 dB less noise at low frequencies, a dip at 4 kHz, more noise above
///   10 kHz.
/// - Above 60 kHz: `(1 - 1/z)^2`, which moves the noise beyond the audible range.
/// - Below 40 kHz: `None`. There is no inaudible range for the noise, so plain triangular dither is used.
pub fn shaping(rate_hz: u32) -> Option<&'static [f64]> {
    match rate_hz {
        ..40_000 => None,
        40_000..=60_000 => Some(&[2.033, -2.165, 1.959, -1.590, 0.6149]),
        _ => Some(&[2.0, -1.0]),
    }
}

/// Fills `noise` with the triangular dither of block number `block` of `channel`, in quantisation steps: within -1..1,
/// mean 0, variance 1/6.
pub fn triangular(seed: u64, channel: usize, block: u64, noise: &mut [f32; BLOCK]) {
    let mut state = [[0u32; LANES]; 4];
    let mut mixer = mix(mix(seed ^ 0x756e_6465_7274_6f6e).wrapping_add(mix(channel as u64)))
        .wrapping_add(mix(block.wrapping_add(0x9e37_79b9_7f4a_7c15)));
    for lane in 0..LANES {
        for half in 0..2 {
            mixer = mixer.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let word = mix(mixer);
            state[2 * half][lane] = word as u32 | u32::from(half == 0);
            state[2 * half + 1][lane] = (word >> 32) as u32;
        }
    }
    let [mut s0, mut s1, mut s2, mut s3] = state;
    for out in noise.as_chunks_mut::<LANES>().0 {
        for lane in 0..LANES {
            let word = s0[lane].wrapping_add(s3[lane]);
            let shifted = s1[lane] << 9;
            s2[lane] ^= s0[lane];
            s3[lane] ^= s1[lane];
            s1[lane] ^= s2[lane];
            s0[lane] ^= s3[lane];
            s2[lane] ^= shifted;
            s3[lane] = s3[lane].rotate_left(11);
            // The sum of two independent uniform variables has a triangular distribution.
            let sum = (word >> 16) as i32 + (word & 0xffff) as i32 - 0xffff;
            out[lane] = sum as f32 * (1.0 / 65_536.0);
        }
    }
}

/// The finaliser of `SplitMix64` (Steele, Lea and Flood, OOPSLA 2014). Every input bit affects every output bit.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_triangular_white_and_differs_by_channel_block_and_seed() {
        let mut all = Vec::new();
        let mut noise = [0.0; BLOCK];
        for block in 0..512 {
            triangular(7, 1, block, &mut noise);
            all.extend_from_slice(&noise);
        }
        let n = all.len() as f64;
        let moment = |power: i32| all.iter().map(|&x| (x as f64).powi(power)).sum::<f64>() / n;
        // Mean 0, variance 1/6, fourth moment 1/15. With half a million samples, the estimates are well within the
        // tolerances.
        assert!(moment(1).abs() < 0.002, "mean {}", moment(1));
        assert!((moment(2) * 6.0 - 1.0).abs() < 0.006, "variance {}", moment(2));
        assert!((moment(4) * 15.0 - 1.0).abs() < 0.012, "fourth moment {}", moment(4));
        assert!(all.iter().all(|x| x.abs() < 1.0));
        for lag in [1, 2, 3, 15, 16, 17, 32, 48, 1023, 1024, 1025, 2048] {
            let products: f64 = all.iter().zip(&all[lag..]).map(|(&a, &b)| a as f64 * b as f64).sum();
            let correlation = products / (n * moment(2));
            assert!(correlation.abs() < 0.007, "lag {lag}: {correlation}");
        }
        let other = |seed, channel, block| {
            let mut other = [0.0; BLOCK];
            triangular(seed, channel, block, &mut other);
            let products: f64 = other.iter().zip(&all).map(|(&a, &b)| a as f64 * b as f64).sum();
            products / (BLOCK as f64 / 6.0)
        };
        assert!((other(7, 1, 0) - 1.0).abs() < 0.2);
        for (seed, channel, block) in [(8, 1, 0), (7, 0, 0), (7, 2, 0), (7, 1, 1), (0, 1, 0), (7, 0, 1)] {
            assert!(other(seed, channel, block).abs() < 0.15, "{seed} {channel} {block}");
        }
    }
}
