//! Extending rows on the CPU.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use rayon::prelude::*;

use super::{Edge, Extend};
use crate::kernels::network::convolution::Size;
use crate::kernels::network::pointwise::cpu::activate_row;
use base::simd::{Lanes, Simd, Task};

/// The number of elements worth a separate thread.
const PART: usize = 1 << 14;

/// Extends the rows of `x`.
///
/// # Panics
/// Panics if the blocks do not have their sizes.
pub fn extend(extend: &Extend<'_>, x: &[f32], y: &mut [f32]) {
    let (size, frames) = (extend.size, extend.frames());
    assert!(x.len() == size.len() && y.len() == size.channels * size.rows * frames, "the size of a block");
    if y.is_empty() {
        return;
    }
    let simd = Simd::best();
    y.par_chunks_mut(frames).with_min_len(PART.div_ceil(frames)).enumerate().for_each(|(row, y)| {
        simd.dispatch(Row { extend, row, x: &x[row * size.frames..][..size.frames], y });
    });
}

struct Row<'a> {
    extend: &'a Extend<'a>,
    row: usize,
    x: &'a [f32],
    y: &'a mut [f32],
}

impl Task for Row<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { extend, row, x, y } = self;
        let (kept, y) = y.split_at_mut(extend.kept_frames);
        kept.copy_from_slice(&extend.kept[row * extend.kept_frames..][..extend.kept_frames]);
        let (left, rest) = y.split_at_mut(extend.left.1);
        let (middle, right) = rest.split_at_mut(x.len());
        for (n, to) in left.iter_mut().rev().enumerate() {
            *to = beyond(x, extend.left.0, -1 - n as isize);
        }
        middle.copy_from_slice(x);
        for (n, to) in right.iter_mut().enumerate() {
            *to = beyond(x, extend.right.0, (x.len() + n) as isize);
        }
        if let Some(activation) = extend.activation {
            activate_row(activation, row / extend.size.rows, y);
        }
    }
}

/// The number at `frame`, which is beyond the row.
fn beyond(row: &[f32], edge: Edge, frame: isize) -> f32 {
    let last = row.len() as isize - 1;
    let at = match edge {
        Edge::Zero => return 0.0,
        Edge::Replicate => frame.clamp(0, last.max(0)),
        Edge::Reflect if frame < 0 => -frame,
        Edge::Reflect => 2 * last - frame,
    };
    usize::try_from(at).ok().and_then(|at| row.get(at)).copied().unwrap_or(0.0)
}

/// The frames `start..start + frames` of every row.
pub fn crop(size: Size, x: &[f32], start: usize, frames: usize, y: &mut [f32]) {
    if frames > 0 {
        for (x, y) in x.chunks_exact(size.frames).zip(y.chunks_exact_mut(frames)) {
            y.copy_from_slice(&x[start..][..frames]);
        }
    }
}

/// Exchanges rows and frames.
pub fn transpose(size: Size, x: &[f32], y: &mut [f32]) {
    const SIDE: usize = 16;
    let plane = size.rows * size.frames;
    if plane == 0 {
        return;
    }
    y.par_chunks_mut(plane).zip(x.par_chunks(plane)).for_each(|(y, x)| {
        for row in (0..size.rows).step_by(SIDE) {
            for frame in (0..size.frames).step_by(SIDE) {
                for row in row..(row + SIDE).min(size.rows) {
                    for frame in frame..(frame + SIDE).min(size.frames) {
                        y[frame * size.rows + row] = x[row * size.frames + frame];
                    }
                }
            }
        }
    });
}
