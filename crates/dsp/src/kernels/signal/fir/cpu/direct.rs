//! The direct sum. Every output adds its taps in the same order, so its bits do not depend on where the stream is cut.

use base::simd::{Lanes, Simd, Task};

/// The number of outputs that are summed side by side, in registers.
const TILE: usize = 64;

/// The taps of filters, in reverse order.
#[derive(Debug)]
pub(in crate::kernels::signal::fir) struct Direct {
    reversed: Vec<Vec<f32>>,
}

impl Direct {
    pub fn new(filters: &[Vec<f64>], length: usize) -> Self {
        let reversed = |taps: &Vec<f64>| {
            let padding = std::iter::repeat_n(0.0, length - taps.len());
            padding.chain(taps.iter().rev().map(|tap| *tap as f32)).collect()
        };
        Self { reversed: filters.iter().map(reversed).collect() }
    }

    /// Adds the output of a filter to `to`. The input `from` begins earlier by the filter's length minus one.
    pub fn add(&self, filter: usize, from: &[f32], to: &mut [f32]) {
        Simd::best().dispatch(Sum { reversed: &self.reversed[filter], from, to });
    }
}

struct Sum<'a> {
    reversed: &'a [f32],
    from: &'a [f32],
    to: &'a mut [f32],
}

impl Task for Sum<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let (tiles, rest) = self.to.as_chunks_mut::<TILE>();
        let done = tiles.len() * TILE;
        for (tile, to) in tiles.iter_mut().enumerate() {
            let mut sums = [0.0f32; TILE];
            for (at, tap) in self.reversed.iter().enumerate() {
                let start = tile * TILE + at;
                if let Some(from) = self.from[start..].first_chunk::<TILE>() {
                    for (sum, sample) in sums.iter_mut().zip(from) {
                        *sum += tap * sample;
                    }
                }
            }
            for (to, sum) in to.iter_mut().zip(sums) {
                *to += sum;
            }
        }
        for (n, to) in rest.iter_mut().enumerate() {
            let mut sum = 0.0f32;
            for (tap, sample) in self.reversed.iter().zip(&self.from[done + n..]) {
                sum += tap * sample;
            }
            *to += sum;
        }
    }
}
