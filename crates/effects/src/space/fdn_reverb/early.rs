//! Pre-delay and early reflections.

use super::super::clocked::Values;
use super::super::tape::DelayLine;

/// The times of the reflections on the left and right side, in milliseconds at a size of 100 %.
const TIMES_MS: [[f64; 8]; 2] =
    [[4.3, 9.7, 15.1, 21.9, 28.3, 36.1, 45.7, 56.9], [5.9, 11.3, 17.9, 24.1, 31.7, 39.7, 48.1, 59.3]];

/// Their signs. Each reflection is softer than the one before by a factor of [`FADE`].
const SIGNS: [[f32; 8]; 2] =
    [[1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0, -1.0], [-1.0, 1.0, 1.0, -1.0, 1.0, -1.0, -1.0, 1.0]];
const FADE: f32 = 0.8;

/// The past input of one channel, as far back as its reflections reach.
#[derive(Debug)]
pub(super) struct Early {
    tape: DelayLine,
    predelay: usize,
    /// Delays after the pre-delay in frames, and gains whose energies sum to 1.
    taps: [(usize, f32); 8],
    scratch: Vec<f32>,
}

impl Early {
    /// Creates the reflections of the left (0) or right (1) side. `run` is the maximum number of frames per call.
    pub fn new(side: usize, size: f64, predelay_s: f64, rate: f64, run: usize) -> Self {
        let predelay = (predelay_s * rate).round() as usize;
        let mut gains = SIGNS[side];
        let energy: f32 = (0..8).map(|tap| FADE.powi(2 * tap)).sum();
        for (tap, gain) in gains.iter_mut().enumerate() {
            *gain *= FADE.powi(tap as i32) / energy.sqrt();
        }
        let taps: [(usize, f32); 8] =
            std::array::from_fn(|tap| ((TIMES_MS[side][tap] * 1e-3 * size * rate).round() as usize, gains[tap]));
        let tape = DelayLine::new(predelay + taps[7].0 + run);
        Self { tape, predelay, taps, scratch: vec![0.0; run] }
    }

    /// Adds input. Writes the delayed signal that enters the room and the reflections.
    pub fn run(&mut self, samples: &[f32], entering: &mut [f32], reflections: &mut [f32]) {
        let count = samples.len();
        self.tape.push(samples);
        self.tape.read(self.predelay + count, entering);
        reflections.fill(0.0);
        let scratch = &mut self.scratch[..count];
        for (delay, gain) in self.taps {
            self.tape.read(self.predelay + delay + count, scratch);
            for (sum, sample) in reflections.iter_mut().zip(&*scratch) {
                *sum += gain * sample;
            }
        }
    }

    pub fn clear(&mut self) {
        self.tape.clear();
    }

    pub fn give(&self, to: &mut Vec<f64>) {
        self.tape.give(to);
    }

    pub fn take(&mut self, from: &mut Values<'_>) -> Option<()> {
        self.tape.take(from)
    }
}
