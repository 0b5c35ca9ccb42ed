//! Eight combs in parallel, one per lane, for a run of frames no longer than any of their lines.
//!
//! Blocks of eight frames of the eight combs are transposed to vectors across the combs and back. The speed is limited
//! by the recursion of the low-pass in the loop: a product and a sum per frame. No product is fused with a sum, so that
//! the bits are the same on every vector unit.

use super::super::clocked::{SILENT, quiet};
use base::simd::{LANES, Lanes, Singles, Task};

/// The maximum length of a run in frames.
pub(super) const RUN: usize = 256;

/// The rows of a run, one per comb.
pub(super) type Rows = [[f32; RUN]; LANES];

/// The gains of the combs' loops.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gains {
    pub damping: f32,
    pub through: f32,
    pub feedback: f32,
}

/// Computes a run. `rows` holds the output of the combs; `out` becomes its sum, and `rows` becomes the input of the
/// combs.
pub(super) struct Combs<'a> {
    pub gains: Gains,
    pub rows: &'a mut Rows,
    /// The state of each comb's low-pass.
    pub low: &'a mut [f32; LANES],
    pub input: &'a [f32],
    pub out: &'a mut [f32],
}

impl Task for Combs<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { gains, rows, low, input, out } = self;
        let (inputs, last) = input.as_chunks::<LANES>();
        let (outs, last_out) = out.as_chunks_mut::<LANES>();
        run_blocks::<L::Singles>(gains, rows, low, inputs, outs);
        run_frames(gains, rows, low, last, last_out, inputs.len() * LANES);
    }
}

#[inline(always)]
fn run_blocks<S: Singles>(
    gains: Gains,
    rows: &mut Rows,
    low: &mut [f32; LANES],
    inputs: &[[f32; LANES]],
    outs: &mut [[f32; LANES]],
) {
    let [damping, through, feedback] = [S::splat(gains.damping), S::splat(gains.through), S::splat(gains.feedback)];
    let silent = S::splat(SILENT);
    let mut state = S::load(low);
    for (block, (input, out)) in inputs.iter().zip(outs).enumerate() {
        let mut combs = [S::splat(0.0); LANES];
        for comb in 0..LANES {
            combs[comb] = S::load(&rows[comb].as_chunks().0[block]);
        }
        let [a, b, c, d, e, f, g, h] = combs;
        a.add(b).add(c.add(d)).add(e.add(f).add(g.add(h))).store(out);
        let mut frames = S::turned(combs);
        for n in 0..LANES {
            state = frames[n].mul(through).add(state.mul(damping));
            // The same as `quiet`.
            frames[n] = S::splat(input[n]).add(feedback.mul(state)).add(silent).sub(silent);
        }
        let combs = S::turned(frames);
        for comb in 0..LANES {
            combs[comb].store(&mut rows[comb].as_chunks_mut().0[block]);
        }
    }
    state.store(low);
}

/// Processes the rest of a run after its blocks of eight frames, from `at` on.
#[inline(always)]
fn run_frames(gains: Gains, rows: &mut Rows, low: &mut [f32; LANES], input: &[f32], out: &mut [f32], at: usize) {
    for (n, (&x, out)) in input.iter().zip(out).enumerate() {
        let mut combs = [0.0; LANES];
        for comb in 0..LANES {
            combs[comb] = rows[comb][at + n];
        }
        let [a, b, c, d, e, f, g, h] = combs;
        *out = ((a + b) + (c + d)) + ((e + f) + (g + h));
        for comb in 0..LANES {
            low[comb] = combs[comb] * gains.through + low[comb] * gains.damping;
            rows[comb][at + n] = quiet(x + gains.feedback * low[comb]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::simd::Simd;

    #[test]
    fn every_vector_unit_gives_the_bits_of_single_frames() {
        let noise = |n: usize| ((n * 7919 + 13) % 1009) as f32 / 1009.0 - 0.5;
        let gains = Gains { damping: 0.2, through: 0.8, feedback: 0.84 };
        let input: Vec<f32> = (0..RUN - 3).map(noise).collect();
        let begun = || {
            let mut rows: Box<Rows> = Box::new([[0.0; RUN]; LANES]);
            for (comb, row) in rows.iter_mut().enumerate() {
                row.iter_mut().enumerate().for_each(|(n, value)| *value = noise(comb * 300 + n));
            }
            (rows, [0.1, -0.2, 0.3, -0.4, 0.5, -0.6, 0.7, -0.8], vec![0.0; input.len()])
        };
        let (mut rows, mut low, mut out) = begun();
        run_frames(gains, &mut rows, &mut low, &input, &mut out, 0);
        for simd in Simd::available() {
            let (mut these, mut state, mut heard) = begun();
            let task = Combs { gains, rows: &mut these, low: &mut state, input: &input, out: &mut heard };
            simd.dispatch(task);
            assert_eq!((&these, state, &heard), (&rows, low, &out), "{}", simd.title());
        }
    }
}
