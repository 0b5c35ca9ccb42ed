//! The peak of the machine's vector units, for benches.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use std::hint::black_box;
use std::time::Instant;

use rayon::prelude::*;

use base::simd::{Lanes, Simd, Task, Wide};

const ROUNDS: usize = 2_000_000;
const CHAINS: usize = 12;

/// Fused multiply-adds in registers, as many at once as their latency needs.
struct Chains;

impl Task for Chains {
    /// The number of operations, two for each multiply-add.
    type Output = f64;

    #[inline(always)]
    fn run<L: Lanes>(self) -> f64 {
        let factor = L::Wide::splat(black_box(0.999_9));
        let term = L::Wide::splat(black_box(1e-4));
        let mut sums = [L::Wide::splat(black_box(0.5)); CHAINS];
        for _ in 0..ROUNDS {
            for sum in &mut sums {
                *sum = sum.mul_add(factor, term);
            }
        }
        let mut last = [0.0; 16];
        for sum in sums {
            sum.store(&mut last);
            black_box(&last);
        }
        (2 * ROUNDS * CHAINS * L::Wide::WIDTH) as f64
    }
}

/// Measures the multiplications and additions of f32 that the machine can do in a second on all threads of the pool.
pub fn peak_operations_per_second() -> f64 {
    let threads = rayon::current_num_threads();
    let run = |_| {
        let started = Instant::now();
        let operations: f64 = (0..threads).into_par_iter().map(|_| Simd::best().dispatch(Chains)).sum();
        operations / started.elapsed().as_secs_f64()
    };
    (0..12).map(run).fold(0.0, f64::max)
}
