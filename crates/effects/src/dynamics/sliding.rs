//! A sliding maximum.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use base::simd::{Lanes, Simd, Task};

/// The number of values processed at a time, so that they stay in the L1 cache.
const PIECE: usize = 2048;

/// A sliding maximum over the present value and `before` earlier ones. Zeros precede the first value.
///
/// Each pass doubles the window in a plain vector loop. The results are exact wherever a stream is cut.
#[derive(Clone, Debug)]
pub(super) struct Sliding {
    /// The last values, oldest first.
    before: Vec<f32>,
    now: Vec<f32>,
    next: Vec<f32>,
}

impl Sliding {
    /// Creates a maximum over the present value and `before` earlier ones.
    pub fn new(before: usize) -> Self {
        Self { before: vec![0.0; before], now: Vec::new(), next: Vec::new() }
    }

    /// Replaces each value by the largest within its window.
    pub fn run(&mut self, values: &mut [f32]) {
        if self.before.is_empty() {
            return;
        }
        for piece in values.chunks_mut(PIECE.max(self.before.len())) {
            self.run_piece(piece);
        }
    }

    fn run_piece(&mut self, values: &mut [f32]) {
        let Self { before, now, next } = self;
        now.clear();
        now.extend_from_slice(before);
        now.extend_from_slice(values);
        before.copy_from_slice(&now[values.len()..]);
        let window = before.len() + 1;
        let mut done = 1;
        while done < window {
            // The last step overlaps what is already covered.
            let step = done.min(window - done);
            next.resize(now.len() - step, 0.0);
            Simd::best().dispatch(Larger { a: &now[..next.len()], b: &now[step..], out: next });
            std::mem::swap(now, next);
            done += step;
        }
        values.copy_from_slice(&now[..values.len()]);
    }

    /// Returns the state carried to the next values.
    pub fn state(&self) -> &[f32] {
        &self.before
    }

    /// Returns the same state for restoring.
    pub fn state_mut(&mut self) -> &mut [f32] {
        &mut self.before
    }
}

struct Larger<'a> {
    a: &'a [f32],
    b: &'a [f32],
    out: &'a mut [f32],
}

impl Task for Larger<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for ((out, a), b) in self.out.iter_mut().zip(self.a).zip(self.b) {
            *out = if *a > *b { *a } else { *b };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_of_the_window_wherever_the_stream_is_cut() {
        let values: Vec<f32> = (0..9000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 8) as f32).collect();
        for before in [0, 1, 2, 3, 7, 64, 240, 5000] {
            let mut sliding = Sliding::new(before);
            let mut got = values.clone();
            let mut rest = got.as_mut_slice();
            for size in [1, 2, 5, 300, 4000, 9000] {
                let (piece, others) = rest.split_at_mut(size.min(rest.len()));
                sliding.run(piece);
                rest = others;
            }
            for at in (0..values.len()).step_by(97) {
                let most = values[at.saturating_sub(before)..=at].iter().copied().fold(0.0, f32::max);
                assert_eq!(got[at], most, "{before} before, at {at}");
            }
        }
    }
}
