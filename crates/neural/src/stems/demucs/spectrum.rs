//! The spectrum of a segment, and back.
//!
//! A segment is mirrored by three eighths of a window at both ends, and at its end up to a whole number of hops. So
//! there is a window every hop, centred half a hop after it, and none beyond. Windows are periodic Hann windows, scaled
//! by `1 / sqrt(size)`. The highest bin is left out.

use rayon::prelude::*;

use crate::models::demucs::Configuration;
use base::error::Result;
use dsp::design::Window;
use dsp::kernels::signal::istft::{self, IstftPlan};
use dsp::kernels::signal::stft::{self, Complex32, Samples, Spectra, StftPlan, StftSpec};

/// The number that is added to the standard deviation of spectrum and samples.
const LEAST_DEVIATION: f64 = 1e-5;
/// Numbers that are summed in one chain.
const CHAIN: usize = 1 << 14;
/// Windows or rows that are brought from rows of windows to windows of rows at once: some lines of a cache.
const SIDE: usize = 16;
/// Silent windows at both ends, which the inversion has and the network does not.
const BESIDE: usize = 2;

/// The transform of a model's segments.
#[derive(Debug)]
pub struct Spectrum {
    plan: IstftPlan,
    rows: usize,
    padding: usize,
    scale: f32,
}

impl Spectrum {
    /// Plans it.
    pub fn new(of: &Configuration) -> Result<Self> {
        let spec = StftSpec { window: Window::Hann, size: of.nfft, padding: 1, hop: of.hop() };
        let plan = IstftPlan::new(&StftPlan::new(spec)?)?;
        Ok(Self { plan, rows: of.rows(), padding: of.padding(), scale: (of.nfft as f32).sqrt() })
    }

    /// Returns real and imaginary parts of each channel: rows of windows.
    pub fn of(&self, channels: &[Vec<f32>]) -> Result<Vec<f32>> {
        let count = channels.first().map_or(0, |channel| self.windows(channel.len()));
        let mut all = vec![0.0; 2 * channels.len() * self.rows * count];
        if count == 0 {
            return Ok(all);
        }
        for (channel, to) in channels.iter().zip(all.chunks_mut(2 * self.rows * count)) {
            let samples = self.mirrored(channel);
            let windows = BESIDE as u64..(BESIDE + count) as u64;
            let samples = Samples { samples: &samples, first_frame: 0 };
            let spectra = stft::cpu::spectra(self.plan.forward(), samples, windows)?;
            let (real, imaginary) = to.split_at_mut(self.rows * count);
            let some = SIDE * count;
            let rows = real.par_chunks_mut(some).zip(imaginary.par_chunks_mut(some));
            rows.enumerate().for_each(|(n, (real, imaginary))| {
                for window in 0..count {
                    let values = &spectra.values[window * spectra.bins + n * SIDE..];
                    let places = (window..real.len()).step_by(count);
                    for (at, value) in places.zip(values) {
                        (real[at], imaginary[at]) = (value.re / self.scale, value.im / self.scale);
                    }
                }
            });
        }
        Ok(all)
    }

    /// Returns the `frames` samples of a channel, of its real and imaginary parts, each `factor x + term`.
    pub fn samples(&self, parts: &[f32], [factor, term]: [f64; 2], frames: usize) -> Result<Vec<f32>> {
        let windows = self.windows(frames);
        let bins = self.plan.forward().bins();
        let (real, imaginary) = parts.split_at(self.rows * windows);
        let mut values = vec![Complex32::default(); (windows + 2 * BESIDE) * bins];
        let inner = &mut values[BESIDE * bins..][..windows * bins];
        let part = |x: f32| ((factor * f64::from(x) + term) as f32) * self.scale;
        inner.par_chunks_mut(SIDE * bins).enumerate().for_each(|(n, to)| {
            for row in 0..self.rows {
                let from = row * windows + n * SIDE;
                let places = (row..to.len()).step_by(bins);
                for (at, (re, im)) in places.zip(real[from..].iter().zip(&imaginary[from..])) {
                    to[at] = Complex32 { re: part(*re), im: part(*im) };
                }
            }
            // The lowest bin of a real signal is real.
            to.iter_mut().step_by(bins).for_each(|lowest| lowest.im = 0.0);
        });
        let mut samples = istft::cpu::samples(&self.plan, &Spectra { bins, values }, self.padding + frames)?;
        samples.drain(..self.padding);
        Ok(samples)
    }

    /// Returns a segment with its ends mirrored, without repeating the frames at the ends.
    fn mirrored(&self, channel: &[f32]) -> Vec<f32> {
        let hop = self.plan.forward().spec().hop;
        let after = self.padding + self.windows(channel.len()) * hop - channel.len();
        // One that has too few frames to mirror has silence after it first, then before it.
        let missing = (self.padding.max(after) + 1).saturating_sub(channel.len());
        let (silent_after, silent_before) = (missing.min(after), missing.saturating_sub(after));
        let silence = |frames: usize| std::iter::repeat_n(0.0, frames);
        let padded: Vec<f32> =
            silence(silent_before).chain(channel.iter().copied()).chain(silence(silent_after)).collect();
        let (before, after) = (self.padding - silent_before, after - silent_after);
        let last = padded.len() - 1;
        let mirrored = |from: std::ops::Range<usize>| padded[from].iter().rev().copied();
        mirrored(1..before + 1).chain(padded.iter().copied()).chain(mirrored(last - after..last)).collect()
    }

    /// Returns the number of windows of `frames` frames.
    fn windows(&self, frames: usize) -> usize {
        frames.div_ceil(self.plan.forward().spec().hop)
    }
}

/// Takes the mean away and divides by the standard deviation; returns factor and term that bring numbers back.
pub fn normalized(values: &mut [f32]) -> [f64; 2] {
    let sum = |of: &(dyn Fn(f64) -> f64 + Sync)| -> f64 {
        let chain = |part: &[f32]| part.iter().map(|&x| of(f64::from(x))).sum::<f64>();
        // Chains are added in their order, whatever the threads.
        values.par_chunks(CHAIN).map(chain).collect::<Vec<f64>>().into_iter().sum()
    };
    let count = values.len() as f64;
    let mean = sum(&|x| x) / count;
    let variance = sum(&|x| (x - mean) * (x - mean)) / (count - 1.0).max(1.0);
    let deviation = variance.sqrt();
    let scale = 1.0 / (deviation + LEAST_DEVIATION);
    values.par_chunks_mut(CHAIN).for_each(|part| {
        part.iter_mut().for_each(|x| *x = ((f64::from(*x) - mean) * scale) as f32);
    });
    [deviation, mean]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::demucs::Class;

    #[test]
    fn a_spectrum_gives_its_segment_again() {
        let values = serde_json::json!({ "sources": ["drums"], "samplerate": 8000, "segment": "3/4", "nfft": 2048 });
        let serde_json::Value::Object(values) = values else { panic!("an object") };
        let of = Configuration::read(Class::Transformer, &values).unwrap();
        let spectrum = Spectrum::new(&of).unwrap();
        let channel: Vec<f32> = (0..6000).map(|n| ((n * n) as f32 * 1e-4).sin()).collect();
        let parts = spectrum.of(std::slice::from_ref(&channel)).unwrap();
        assert_eq!(parts.len(), 2 * 1024 * 12);
        let again = spectrum.samples(&parts, [1.0, 0.0], 6000).unwrap();
        // The ends have part in windows that are left out.
        let inner = 1024..4976;
        let worst = again[inner.clone()].iter().zip(&channel[inner]).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(worst < 1e-5, "{worst}");
        let halved = spectrum.samples(&parts, [0.5, 0.0], 6000).unwrap();
        assert!(halved.iter().zip(&again).all(|(half, whole)| (2.0 * half - whole).abs() < 1e-6));
    }
}
