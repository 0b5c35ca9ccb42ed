//! Momentary and short-term loudness over time.

use std::collections::VecDeque;

use super::blocks::{BLOCKS_PER_S, lufs_from_energy};
use super::gate;

/// Points of a curve per second.
pub const POINTS_PER_S: usize = 10;
const BLOCKS_PER_POINT: usize = BLOCKS_PER_S / POINTS_PER_S;
/// 400 ms in blocks.
const MOMENTARY_BLOCKS: usize = BLOCKS_PER_S * 2 / 5;
/// 3 s in blocks.
const SHORT_TERM_BLOCKS: usize = BLOCKS_PER_S * 3;

/// Loudness over time, ten points per second. A point covers the tenth of a second before it and has the loudest window
/// that ends within it, so no maximum is lost between two points. The time before the start counts as silence, as in a
/// meter that is switched on at the start.
#[derive(Clone, Debug, Default)]
pub struct LoudnessCurve {
    recent: VecDeque<f64>,
    blocks: usize,
    peak: [f64; 2],
    momentary: Vec<f32>,
    short_term: Vec<f32>,
    /// Mean energies of windows that end on whole tenths and lie within the signal, for the gates.
    gated_momentary: Vec<f32>,
    gated_short_term: Vec<f32>,
}

/// The loudness figures of a whole curve. A field is `None` if there was nothing to measure.
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
    /// Adds the energy of the next block.
    pub fn push(&mut self, energy: f64) {
        if self.recent.len() == SHORT_TERM_BLOCKS {
            self.recent.pop_front();
        }
        self.recent.push_back(energy);
        self.blocks += 1;
        // Summed anew each time, so that no rounding error of a loud passage remains.
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

    /// The number of points.
    pub fn len(&self) -> usize {
        self.momentary.len()
    }

    /// Returns whether there is no point yet.
    pub fn is_empty(&self) -> bool {
        self.momentary.is_empty()
    }

    /// The momentary loudness in LUFS; silence is minus infinity.
    pub fn momentary(&self) -> &[f32] {
        &self.momentary
    }

    /// The short-term loudness in LUFS; silence is minus infinity.
    pub fn short_term(&self) -> &[f32] {
        &self.short_term
    }

    /// Returns the mean energies of the 400 ms windows within the signal, ten per second, for
    /// [`gated_lufs`](super::gated_lufs) together with those of other recordings.
    pub fn into_momentary_energies(self) -> Vec<f32> {
        self.gated_momentary
    }

    /// Returns the loudness figures of the whole curve.
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
