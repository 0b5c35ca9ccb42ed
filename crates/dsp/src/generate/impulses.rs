//! Single samples at equal distances.

use super::Waveform;
use super::beats::Beats;

/// Samples of 1 at equal distances, 0 between them.
pub struct Impulses(Beats);

impl Impulses {
    /// Creates impulses at a distance of at least one frame.
    pub fn new(interval_frames: f64) -> Self {
        Self(Beats::new(interval_frames))
    }
}

impl Waveform for Impulses {
    fn fill(&mut self, _: usize, start: u64, gain: f64, out: &mut [f32]) {
        out.fill(0.0);
        let end = start + out.len() as u64;
        let first = self.0.from(start);
        for frame in (first..).map(|event| self.0.frame(event)).take_while(|frame| *frame < end) {
            out[(frame - start) as usize] = gain as f32;
        }
    }
}
