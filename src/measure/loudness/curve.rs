//! Momentary and short-term loudness over time.

use std::collections::VecDeque;

use super::blocks::{BLOCKS_PER_S, lufs_from_energy};
use super::gate;

/// Points of a curve a second.
pub const POINTS_PER_S: usize = 10;
const BLOCKS_PER_POINT: usize = BLOCKS_PER_S / POINTS_PER_S;
/// 400 ms.
const MOMENTARY_BLOCKS: usize = BLOCKS_PER_S * 2 / 5;
/// 3 s.
const SHORT_TERM_BLOCKS: usize = BLOCKS_PER_S * 3;

/// Loudness over time, ten points a second. A point stands for the tenth of a second that ends with it, and has the
/// loudest window that ends in it, so that no maximum falls between two points. What lies before the beginning counts as
/// silence, as in a meter that is switched on then.
#[derive(Clone, Debug, Default)]
pub struct LoudnessCurve {
    recent: VecDeque<f64>,
    blocks: usize,
    peak: [f64; 2],
    momentary: Vec<f32>,
    short_term: Vec<f32>,
    /// Energies of windows that end on whole tenths and lie within the signal: what the gates look at.
    gated_momentary: Vec<f32>,
    gated_short_term: Vec<f32>,
}

/// What a whole amounts to. None where there was nothing to measure.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LoudnessSummary {
    /// Integrated loudness in LUFS.
    pub integrated: Option<f64>,
    /// Loudness range in LU.
    pub range: Option<f64>,
    /// The highest momentary loudness in LUFS.
    pub max_momentary: Option<f64>,
    /// The highest short-term loudness in LUFS.
    pub max_short_term: Option<f64>,
}

impl LoudnessCurve {
    /// Takes up the energy of the next block.
    pub fn push(&mut self, energy: f64) {
        if self.recent.len() == SHORT_TERM_BLOCKS {
            self.recent.pop_front();
        }
        self.recent.push_back(energy);
        self.blocks += 1;
        // Summed anew each time, so that nothing of a loud passage is left behind in rounding.
        let momentary = self.recent.iter().rev().take(MOMENTARY_BLOCKS).sum::<f64>() / MOMENTARY_BLOCKS as f64;
        let short_term = self.recent.iter().sum::<f64>() / SHORT_TERM_BLOCKS as f64;
        self.peak = [self.peak[0].max(momentary), self.peak[1].max(short_term)];
        if !self.blocks.is_multiple_of(BLOCKS_PER_POINT) {
            return;
        }
        self.momentary.push(lufs_from_energy(self.peak[0]) as f32);
        self.short_term.push(lufs_from_energy(self.peak[1]) as f32);
        self.peak = [0.0; 2];
        if self.blocks >= MOMENTARY_BLOCKS {
            self.gated_momentary.push(momentary as f32);
        }
        if self.blocks >= SHORT_TERM_BLOCKS {
            self.gated_short_term.push(short_term as f32);
        }
    }

    /// Points that there are.
    pub fn len(&self) -> usize {
        self.momentary.len()
    }

    /// Whether there is no point yet.
    pub fn is_empty(&self) -> bool {
        self.momentary.is_empty()
    }

    /// Momentary loudness in LUFS; silence is minus infinity.
    pub fn momentary(&self) -> &[f32] {
        &self.momentary
    }

    /// Short-term loudness in LUFS; silence is minus infinity.
    pub fn short_term(&self) -> &[f32] {
        &self.short_term
    }

    /// What all of it amounts to.
    pub fn summary(&self) -> LoudnessSummary {
        let highest = |values: &[f32]| {
            let highest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            highest.is_finite().then_some(f64::from(highest))
        };
        LoudnessSummary {
            integrated: gate::integrated_lufs(&self.gated_momentary),
            range: gate::range_lu(&self.gated_short_term),
            max_momentary: highest(&self.momentary),
            max_short_term: highest(&self.short_term),
        }
    }
}
