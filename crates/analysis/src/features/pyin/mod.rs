//! Pitch by probabilistic YIN (M. Mauch and S. Dixon, ICASSP 2014), with the parameters and behaviour of `librosa.pyin`
//! 0.11.
//!
//! Each window gives several candidates: the minima of its normalised difference function. A candidate's weight depends
//! on how many of a hundred thresholds it lies below (a beta distribution with parameters 2 and 18) and on a Boltzmann
//! prior for short periods. A hidden Markov model has one voiced and one unvoiced state for each pitch, ten pitches per
//! semitone, and finds the most likely path through all windows. The transition weights over pitch are a triangle that
//! allows at most 35.92 octaves a second. The probability of a change between voiced and unvoiced is 1 % per window.
//!
//! | parameter | value |
//! |---|---|
//! | thresholds | 0.01, 0.02, .. 1; beta(2, 18) |
//! | Boltzmann parameter | 2 |
//! | probability of the lowest minimum if none is below the threshold | 0.01 |
//! | pitch resolution | 0.1 semitones |
//! | largest change | 35.92 octaves a second |
//! | probability of a change of voicing per window | 0.01 |
//!
//! The difference function is librosa's too: the whole window against itself, zero-padded (see [`super::yin`]). It is
//! computed in f64, because comparisons decide which minima exist.
//!
//! Speed: the transition matrix has 1,202 squared entries, but only a band of about fifty per state can be worth
//! taking. All other transitions have the same smallest probability, so only the best state of all is considered for
//! them.

mod candidates;
mod viterbi;

use std::ops::Range;

use rayon::prelude::*;

use super::frames::Layout;
use base::error::{Error, Result};
use base::progress::Progress;
use candidates::Finder;
use dsp::kernels::signal::stft::Samples;

/// Pitch bins per semitone.
const BINS_PER_SEMITONE: usize = 10;
/// Windows processed between two checks for cancellation.
const WINDOWS_AT_ONCE: u64 = 512;

/// The pitch of a window and how likely the window is to be voiced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProbablePitch {
    /// The pitch in Hz, in steps of a tenth of a semitone; `NaN` if the window is unvoiced.
    pub hz: f32,
    /// The probability that the window is voiced, 0..=1, from this window alone.
    pub voiced: f32,
}

/// A pitch bin and its probability.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Candidate {
    bin: u32,
    probability: f64,
}

/// Probabilistic pitch of windows of one layout, planned.
#[derive(Clone)]
pub struct PyinPlan {
    layout: Layout,
    rate_hz: f64,
    low_hz: f64,
    bins: usize,
    finder: Finder,
}

impl PyinPlan {
    /// Plans the estimator for pitches from `low_hz` to `high_hz`.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an empty range, for a range that ends above half the rate, and for a lowest pitch whose
    /// period does not fit into a window.
    pub fn new(layout: Layout, rate_hz: f64, [low_hz, high_hz]: [f64; 2]) -> Result<Self> {
        if !(low_hz > 0.0 && low_hz < high_hz && high_hz <= rate_hz / 2.0) {
            let allowed = format!("a range above 0 and up to {} Hz", rate_hz / 2.0);
            return Err(Error::invalid("range of pitch", format!("{low_hz} to {high_hz} Hz"), allowed));
        }
        if rate_hz / low_hz >= (layout.size - 1) as f64 {
            let allowed = format!("more than {:.1} Hz", rate_hz / (layout.size - 1) as f64);
            return Err(Error::invalid("lowest pitch", format!("{low_hz} Hz"), allowed));
        }
        let bins = (12.0 * BINS_PER_SEMITONE as f64 * (high_hz / low_hz).log2()).floor() as usize + 1;
        let finder = Finder::new(layout, rate_hz, [low_hz, high_hz], bins);
        Ok(Self { layout, rate_hz, low_hz, bins, finder })
    }

    /// Returns the pitch of every window in `windows`. Memory is 16 bytes for each candidate of each window, 16 bytes
    /// for each pitch bin of every 1024th window, and a fixed table of back pointers. Progress counts windows.
    pub fn pitches(
        &self,
        samples: Samples<'_>,
        windows: Range<u64>,
        progress: &Progress,
    ) -> Result<Vec<ProbablePitch>> {
        let mut observed: Vec<Vec<Candidate>> = Vec::new();
        let mut from = windows.start;
        while from < windows.end {
            let end = windows.end.min(from + WINDOWS_AT_ONCE);
            let found: Result<Vec<Vec<Candidate>>> = (0..(end - from) as usize)
                .into_par_iter()
                .with_min_len(16)
                .map_init(
                    || self.finder.memory(),
                    |memory, index| {
                        let start = self.layout.centre(from + index as u64) as i64 - (self.layout.size / 2) as i64;
                        self.finder.candidates(samples, start, memory)
                    },
                )
                .collect();
            observed.extend(found?);
            progress.advance(end - from)?;
            from = end;
        }
        let seconds = self.layout.hop as f64 / self.rate_hz;
        let path = viterbi::path(&observed, self.bins, viterbi::reach_of(seconds, BINS_PER_SEMITONE), progress)?;
        let bins_per_octave = (12 * BINS_PER_SEMITONE) as f64;
        Ok(observed
            .iter()
            .zip(path)
            .map(|(candidates, bin)| ProbablePitch {
                hz: bin.map_or(f32::NAN, |bin| (self.low_hz * (bin as f64 / bins_per_octave).exp2()) as f32),
                voiced: voiced(candidates, self.bins) as f32,
            })
            .collect())
    }
}

/// Returns the probability that a window is voiced: the sum over its candidates that lie within `bins`.
fn voiced(candidates: &[Candidate], bins: usize) -> f64 {
    let within = candidates.iter().filter(|candidate| (candidate.bin as usize) < bins);
    within.map(|candidate| candidate.probability).sum::<f64>().clamp(0.0, 1.0)
}
