//! Element-wise operations on the CPU. Every number is computed by itself: neither its place nor the threads change it.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use rayon::prelude::*;

use super::functions::{self, SIN_LIMIT};
use super::{Activation, Pointwise};
use base::simd::{Lanes, Simd, Task};

/// The number of elements worth a separate thread.
const PART: usize = 1 << 14;

/// Applies an activation to numbers of one channel.
#[inline(always)]
pub(in crate::kernels) fn activate_row(activation: Activation<'_>, channel: usize, row: &mut [f32]) {
    match activation {
        Activation::Elu => row.iter_mut().for_each(|x| *x = functions::elu(*x)),
        Activation::Gelu => row.iter_mut().for_each(|x| *x = functions::gelu(*x)),
        Activation::Relu => row.iter_mut().for_each(|x| *x = functions::relu(*x)),
        Activation::Silu => row.iter_mut().for_each(|x| *x = functions::silu(*x)),
        Activation::Tanh => row.iter_mut().for_each(|x| *x = functions::tanh(*x)),
        Activation::Snake(a) => snake_row(a[channel], row),
    }
}

#[inline(always)]
fn snake_row(a: f32, row: &mut [f32]) {
    let inverse = 1.0 / (a + 1e-9);
    // The largest magnitude as bits, so that NaN counts as large.
    let most = row.iter().fold(0, |most: u32, &x| most.max((a * x).to_bits() & 0x7fff_ffff));
    if most <= SIN_LIMIT.to_bits() {
        row.iter_mut().for_each(|x| *x = functions::snake(*x, a, inverse));
    } else {
        // One by one, so that a huge number does not change the bits of the others.
        for x in row {
            let turn = a * *x;
            *x = if turn.abs() <= SIN_LIMIT {
                functions::snake(*x, a, inverse)
            } else {
                *x + (f64::from(turn).sin().powi(2) as f32) * inverse
            };
        }
    }
}

/// Computes `y` of `a` and, for sums and differences, `b`. A channel has `plane` numbers.
///
/// # Panics
/// Panics if the blocks do not have the sizes that the operation needs.
pub fn run(operation: Pointwise<'_>, a: &[f32], b: &[f32], plane: usize, y: &mut [f32]) {
    let part = |(n, y): (usize, &mut [f32])| {
        Simd::best().dispatch(Segment { operation, a, b, plane: plane.max(1), first: n * PART, y });
    };
    if y.len() <= PART { part((0, y)) } else { y.par_chunks_mut(PART).enumerate().for_each(part) }
}

/// The numbers of `y` from `first` of the block on.
struct Segment<'a> {
    operation: Pointwise<'a>,
    a: &'a [f32],
    b: &'a [f32],
    plane: usize,
    first: usize,
    y: &'a mut [f32],
}

impl Task for Segment<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { operation, a, b, plane, first, y } = self;
        let count = y.len();
        let x = &a[first..][..count];
        match operation {
            Pointwise::Activate(activation) => {
                y.copy_from_slice(x);
                let mut at = 0;
                while at < count {
                    let channel = (first + at) / plane;
                    let until = ((channel + 1) * plane - first).min(count);
                    activate_row(activation, channel, &mut y[at..until]);
                    at = until;
                }
            }
            Pointwise::Scale(numbers) | Pointwise::Offset(numbers) => {
                let is_sum = matches!(operation, Pointwise::Offset(_));
                let mut at = 0;
                while at < count {
                    let channel = (first + at) / plane;
                    let until = ((channel + 1) * plane - first).min(count);
                    let number = numbers[channel];
                    let (y, x) = (y[at..until].iter_mut(), &x[at..until]);
                    if is_sum {
                        y.zip(x).for_each(|(y, x)| *y = x + number);
                    } else {
                        y.zip(x).for_each(|(y, x)| *y = x * number);
                    }
                    at = until;
                }
            }
            Pointwise::Add => {
                let b = &b[first..][..count];
                y.iter_mut().zip(x.iter().zip(b)).for_each(|(y, (a, b))| *y = a + b);
            }
            Pointwise::Subtract => {
                let b = &b[first..][..count];
                y.iter_mut().zip(x.iter().zip(b)).for_each(|(y, (a, b))| *y = a - b);
            }
            Pointwise::Glu => {
                let gates = &a[a.len() / 2 + first..][..count];
                y.iter_mut().zip(x.iter().zip(gates)).for_each(|(y, (x, &gate))| *y = x * functions::logistic(gate));
            }
        }
    }
}
