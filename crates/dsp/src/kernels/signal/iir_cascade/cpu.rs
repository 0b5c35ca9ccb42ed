//! The CPU twin of the cascade: f64, eight lanes, any number of threads.
//!
//! A block is cut into segments of 128 frames from its beginning (`segments.rs` describes how they are joined); the
//! remainder runs frame by frame. The cuts depend only on the block's length. The same blocks therefore give the same
//! bits with any number of threads and on every instruction set with fused multiply-add. Cutting the same stream into
//! different blocks changes the rounding, by about 1e-15 of the signal.

use rayon::prelude::*;

use super::segments::{Reduce, Run, RunFrames, Scan, TILE};
use super::tables::SEGMENT;
use super::{Cascade, CascadeState};
use base::error::{Error, Result};
use base::simd::{LANES, Sample, Simd};
use base::sound::AudioBuffer;

/// Frames that one thread takes through all passes while they are in its cache.
const SPAN: usize = 8 * TILE;

/// Frames that a thread processes at a time when several threads share a channel.
const SHARE: usize = 16 * TILE;

/// The number of sections times samples below which more threads do not pay off.
const WORTH_SHARING: usize = 1 << 18;

/// Filters `buffer` in place, starting from `state`, and updates `state` for the next block. Uses the threads of the
/// current `rayon` pool if there is enough work.
pub fn run(cascade: &Cascade, state: &mut CascadeState, buffer: &mut AudioBuffer) -> Result<()> {
    run_with(Simd::best(), cascade, state, buffer)
}

/// Same as [`run`], with a given instruction set.
pub fn run_with(simd: Simd, cascade: &Cascade, state: &mut CascadeState, buffer: &mut AudioBuffer) -> Result<()> {
    check_shape(cascade, state, buffer)?;
    if cascade.is_empty() || buffer.is_empty() {
        return Ok(());
    }
    let work = cascade.len() * buffer.channels() * buffer.frames();
    let threads = if work < WORTH_SHARING { 1 } else { rayon::current_num_threads() };
    let samples = buffer.as_mut_vecs();
    if threads == 1 {
        for (states, samples) in state.channels.iter_mut().zip(samples) {
            run_channel(simd, cascade, states, samples);
        }
    } else if samples.len().is_multiple_of(threads) || samples.len() > 4 * threads {
        let channels = state.channels.par_iter_mut().zip(samples);
        channels.for_each(|(states, samples)| run_channel(simd, cascade, states, samples));
    } else {
        let channels = state.channels.par_iter_mut().zip(samples);
        channels.for_each(|(states, samples)| run_shared(simd, cascade, states, samples));
    }
    Ok(())
}

/// Filters one channel in f64: the result of [`run`] before it is rounded to f32, for measurements that continue in
/// f64. `states` is that channel's part of a [`CascadeState`].
pub fn run_f64(simd: Simd, cascade: &Cascade, states: &mut [[f64; 2]], samples: &mut [f64]) -> Result<()> {
    if states.len() != cascade.len() {
        return Err(Error::Internal(format!("{} sections were given {} states", cascade.len(), states.len())));
    }
    if !cascade.is_empty() {
        run_channel(simd, cascade, states, samples);
    }
    Ok(())
}

fn check_shape(cascade: &Cascade, state: &CascadeState, buffer: &AudioBuffer) -> Result<()> {
    if state.channels.len() != buffer.channels() || state.channels.iter().any(|one| one.len() != cascade.len()) {
        return Err(Error::Internal(format!(
            "a cascade of {} sections on {} channels was given the state of another one",
            cascade.len(),
            buffer.channels()
        )));
    }
    Ok(())
}

/// Filters one channel on this thread.
fn run_channel<S: Sample>(simd: Simd, cascade: &Cascade, states: &mut [[f64; 2]], samples: &mut [S]) {
    let (sections, tables) = (cascade.sections(), cascade.tables());
    let (whole, rest) = split_segments(samples);
    let mut now = vectors_from_states(states, tables.vectors());
    let mut ends = vec![[0.0; LANES]; whole.len().min(SPAN) / SEGMENT * tables.vectors()];
    for span in whole.chunks_mut(SPAN) {
        let ends = &mut ends[..span.len() / SEGMENT * tables.vectors()];
        simd.dispatch(Reduce { tables, samples: span, ends });
        simd.dispatch(Scan { tables, ends, now: &mut now });
        simd.dispatch(Run { sections, samples: span, starts: ends });
    }
    states_from_vectors(&now, states);
    simd.dispatch(RunFrames { sections, samples: rest, states });
}

/// Filters one channel with several threads: the same arithmetic, one pass after the other.
fn run_shared(simd: Simd, cascade: &Cascade, states: &mut [[f64; 2]], samples: &mut [f32]) {
    let (sections, tables) = (cascade.sections(), cascade.tables());
    let (whole, rest) = split_segments(samples);
    let mut now = vectors_from_states(states, tables.vectors());
    let mut ends = vec![[0.0; LANES]; whole.len() / SEGMENT * tables.vectors()];
    let share = SHARE / SEGMENT * tables.vectors();
    let shares = whole.par_chunks(SHARE).zip(ends.par_chunks_mut(share));
    shares.for_each(|(samples, ends)| simd.dispatch(Reduce { tables, samples, ends }));
    simd.dispatch(Scan { tables, ends: &mut ends, now: &mut now });
    let shares = whole.par_chunks_mut(SHARE).zip(ends.par_chunks(share));
    shares.for_each(|(samples, starts)| simd.dispatch(Run { sections, samples, starts }));
    states_from_vectors(&now, states);
    simd.dispatch(RunFrames { sections, samples: rest, states });
}

/// Splits into whole segments and the remainder.
fn split_segments<S: Sample>(samples: &mut [S]) -> (&mut [S], &mut [S]) {
    samples.split_at_mut(samples.len() / SEGMENT * SEGMENT)
}

fn vectors_from_states(states: &[[f64; 2]], vectors: usize) -> Vec<[f64; LANES]> {
    let mut padded = vec![[0.0; LANES]; vectors];
    padded.as_flattened_mut()[..2 * states.len()].copy_from_slice(states.as_flattened());
    padded
}

fn states_from_vectors(padded: &[[f64; LANES]], states: &mut [[f64; 2]]) {
    let count = 2 * states.len();
    states.as_flattened_mut().copy_from_slice(&padded.as_flattened()[..count]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::{Section, Svf};

    fn low_pass(g: f64) -> Section {
        // Only `svf` is run.
        Section { b: [0.0; 3], a: [1.0, 0.0, 0.0], svf: Svf { g, k: 1.0, m: [0.0, 0.0, 1.0] } }
    }

    #[test]
    fn the_transition_is_what_running_on_silence_does() {
        let cascade = Cascade::new(&[low_pass(0.1), low_pass(0.3)]);
        let start = vec![[0.5, -0.25], [1.0, 0.125]];
        let mut state = CascadeState { channels: vec![start.clone()] };
        run(&cascade, &mut state, &mut AudioBuffer::new(1, 37)).unwrap();
        let transition = cascade.transition(37);
        let flat: Vec<f64> = start.into_iter().flatten().collect();
        for (row, &got) in state.channels[0].iter().flatten().enumerate() {
            let expected: f64 = (0..4).map(|column| transition.at(row, column) * flat[column]).sum();
            assert!((got - expected).abs() < 1e-14, "state {row}: {got}, expected {expected}");
        }
    }

    #[test]
    fn a_state_of_another_shape_is_refused() {
        let cascade = Cascade::new(&[low_pass(0.1)]);
        let mut buffer = AudioBuffer::new(2, 4);
        for mut state in [CascadeState::new(1, 1), CascadeState::new(2, 2)] {
            assert!(run(&cascade, &mut state, &mut buffer).is_err());
        }
    }
}
