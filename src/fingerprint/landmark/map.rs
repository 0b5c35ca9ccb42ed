//! Power over time and log frequency: the spectrogram from which landmarks are taken.
//!
//! Hann windows of 2048 samples every 256 (186 ms every 23 ms). Each of 144 bands of 1/36 octave from 250 to 4000 Hz
//! weights the spectrum with a triangle from the centre of the band below to that of the band above, at least two bins
//! wide. Powers are weighted by frequency, so that all octaves of music are about equally strong.

use std::sync::Arc;

use realfft::num_complex::Complex32;
use realfft::{RealFftPlanner, RealToComplex};

use crate::error::{Error, Result};
use crate::fingerprint::front::RATE_HZ;

pub(super) const SIZE: usize = 2048;
pub(super) const HOP: usize = 256;
/// Bands per octave.
pub(super) const PER_OCTAVE: usize = 36;
pub(super) const BANDS: usize = 4 * PER_OCTAVE;
const LOWEST_HZ: f64 = 250.0;

/// The band powers of one window.
pub(super) type Row = [f32; BANDS];

/// Computes rows, window by window.
pub(super) struct BandSpectrogram {
    transform: Arc<dyn RealToComplex<f32>>,
    window: Vec<f32>,
    bands: Vec<Band>,
    held: Vec<f32>,
    input: Vec<f32>,
    spectrum: Vec<Complex32>,
    scratch: Vec<Complex32>,
    powers: Vec<f32>,
}

struct Band {
    first_bin: usize,
    weights: Vec<f32>,
}

impl BandSpectrogram {
    pub fn new() -> Self {
        let transform = RealFftPlanner::new().plan_fft_forward(SIZE);
        let turn = std::f64::consts::TAU / SIZE as f64;
        // A full-scale sine has a power of about 1 within its band.
        let scale = 4.0 / SIZE as f64;
        Self {
            window: (0..SIZE).map(|n| (scale * (0.5 - 0.5 * (n as f64 * turn).cos())) as f32).collect(),
            bands: (0..BANDS).map(band).collect(),
            held: Vec::new(),
            input: transform.make_input_vec(),
            spectrum: transform.make_output_vec(),
            scratch: transform.make_scratch_vec(),
            powers: vec![0.0; SIZE / 2 + 1],
            transform,
        }
    }

    /// Takes the next samples and calls `row` with each row that they complete.
    pub fn push(&mut self, mono: &[f32], mut row: impl FnMut(&Row)) -> Result<()> {
        self.held.extend_from_slice(mono);
        let mut start = 0;
        while start + SIZE <= self.held.len() {
            for ((to, x), w) in self.input.iter_mut().zip(&self.held[start..]).zip(&self.window) {
                *to = x * w;
            }
            self.transform
                .process_with_scratch(&mut self.input, &mut self.spectrum, &mut self.scratch)
                .map_err(|error| Error::Internal(format!("transform of a landmark window: {error}")))?;
            for (power, bin) in self.powers.iter_mut().zip(&self.spectrum) {
                *power = bin.norm_sqr();
            }
            row(&std::array::from_fn(|index| self.bands[index].power(&self.powers)));
            start += HOP;
        }
        self.held.drain(..start);
        Ok(())
    }
}

impl Band {
    fn power(&self, powers: &[f32]) -> f32 {
        self.weights.iter().zip(&powers[self.first_bin..]).map(|(weight, power)| weight * power).sum()
    }
}

fn band(index: usize) -> Band {
    let bin = |band: f64| LOWEST_HZ * (band / PER_OCTAVE as f64).exp2() * SIZE as f64 / f64::from(RATE_HZ);
    let centre = bin(index as f64);
    let low = bin(index as f64 - 1.0).min(centre - 1.0);
    let high = bin(index as f64 + 1.0).max(centre + 1.0);
    let first_bin = low.ceil() as usize;
    let weights = (first_bin..=high.floor() as usize)
        .map(|bin| {
            let bin = bin as f64;
            let triangle = if bin < centre { (bin - low) / (centre - low) } else { (high - bin) / (high - centre) };
            (triangle.max(0.0) * centre / SIZE as f64) as f32
        })
        .collect();
    Band { first_bin, weights }
}
