//! Silence.

use super::Waveform;

/// Samples of exactly 0.
pub struct Silence;

impl Waveform for Silence {
    fn fill(&mut self, _: usize, _: u64, _: f64, out: &mut [f32]) {
        out.fill(0.0);
    }
}
