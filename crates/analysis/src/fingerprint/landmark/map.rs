//! Power over time and log frequency: the spectrogram from which landmarks are taken.
//!
//! Hann windows of 2048 samples every 256 (186 ms every 23 ms). Each of 144 bands of 1/36 octave from 250 to 4000 Hz
//! weights the spectrum with a triangle from the centre of the band below to that of the band above, at least two bins
//! wide. Powers are weighted by frequency, so that all octaves of music are about equally strong.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use crate::fingerprint::front::RATE_HZ;
use crate::fingerprint::overlapping::Overlapping;
use base::simd::{Lanes, Simd, Task};
use dsp::kernels::signal::band_sums::BandSums;
use dsp::kernels::signal::stft::{HalfLength, Pairs};

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
    transform: HalfLength,
    window: Vec<f32>,
    bands: BandSums,
    windows: Overlapping,
    pairs: Pairs,
    powers: Vec<f32>,
    row: Row,
}

impl BandSpectrogram {
    pub fn new() -> Self {
        let transform = HalfLength::new(SIZE);
        let turn = std::f64::consts::TAU / SIZE as f64;
        // A full-scale sine has a power of about 1 within its band.
        let scale = 4.0 / SIZE as f64;
        let bands: Vec<(usize, Vec<f32>)> = (0..BANDS).map(band).collect();
        let bins = SIZE / 2 + 1;
        Self {
            window: (0..SIZE).map(|n| (scale * (0.5 - 0.5 * (n as f64 * turn).cos())) as f32).collect(),
            bands: BandSums::new(bins, bands.iter().map(|(first, weights)| (*first, weights.as_slice()))),
            windows: Overlapping::new(SIZE, HOP),
            pairs: transform.memory(),
            powers: vec![0.0; bins],
            row: [0.0; BANDS],
            transform,
        }
    }

    /// Takes the next samples and calls `row` with each row that they complete.
    pub fn push(&mut self, mono: &[f32], mut row: impl FnMut(&Row)) {
        self.windows.push(mono.iter().copied());
        while let Some(samples) = self.windows.next_window() {
            for ((to, x), w) in self.pairs.frames().iter_mut().zip(samples).zip(&self.window) {
                *to = x * w;
            }
            self.transform.power(&mut self.pairs, 1.0, &mut self.powers);
            Simd::best().dispatch(Sums { bands: &self.bands, powers: &self.powers, to: &mut self.row });
            row(&self.row);
        }
    }
}

/// Sums the powers of one window over all bands.
struct Sums<'a> {
    bands: &'a BandSums,
    powers: &'a [f32],
    to: &'a mut Row,
}

impl Task for Sums<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        self.bands.sums_in::<L>(self.powers, self.to);
    }
}

/// Returns the first bin of a band and its weights.
fn band(index: usize) -> (usize, Vec<f32>) {
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
    (first_bin, weights)
}
