//! A live spectrum: averaged over time, with held peaks, reduced to the points of a logarithmic frequency axis.

mod ballistics;
mod trace;

pub use ballistics::{Averaging, Hold};
pub use trace::{FLOOR_DB, LogAxis};

use std::sync::Arc;

use transforms::num_complex::Complex32;
use transforms::{RealFftPlanner, RealToComplex};

use ballistics::{Average, HeldPeaks};

use crate::design::{Bins, Window};
use base::error::{Error, Result};

/// The window lengths in frames that can be chosen.
pub const WINDOW_FRAMES: std::ops::RangeInclusive<usize> = 512..=32_768;
/// The zero-padding factor of the transform, so that a tone between two bins loses almost no level.
const PADDING: usize = 2;

/// How a spectrum is computed and smoothed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnalyserSpec {
    /// The window function.
    pub window: Window,
    /// Frames per window, a power of two.
    pub size: usize,
    /// How spectra are averaged.
    pub averaging: Averaging,
    /// Whether peaks are held.
    pub hold: Hold,
}

/// The transform for one window length, shared by all signals that are analysed with it.
pub struct WindowTransform {
    window: Vec<f32>,
    /// The factor that makes the power of a full-scale sine 1.
    scale: f32,
    transform: Arc<dyn RealToComplex<f32>>,
    input: Vec<f32>,
    output: Vec<Complex32>,
    scratch: Vec<Complex32>,
    power: Vec<f32>,
}

impl WindowTransform {
    /// Plans the transform for a specification.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a length that is not a power of two in [`WINDOW_FRAMES`].
    pub fn new(spec: &AnalyserSpec) -> Result<Self> {
        if !WINDOW_FRAMES.contains(&spec.size) || !spec.size.is_power_of_two() {
            let allowed = format!("a power of two from {} to {}", WINDOW_FRAMES.start(), WINDOW_FRAMES.end());
            return Err(Error::invalid("frames of an analyser's window", spec.size.to_string(), allowed));
        }
        let window = spec.window.periodic(spec.size);
        let transform = RealFftPlanner::new().plan_fft_forward(spec.size * PADDING);
        Ok(Self {
            scale: (2.0 / window.iter().sum::<f64>()).powi(2) as f32,
            window: window.iter().map(|&value| value as f32).collect(),
            input: transform.make_input_vec(),
            output: transform.make_output_vec(),
            scratch: transform.make_scratch_vec(),
            power: vec![0.0; spec.size * PADDING / 2 + 1],
            transform,
        })
    }

    /// The number of frames in the window.
    pub fn frames(&self) -> usize {
        self.window.len()
    }

    /// The frequencies of the bins.
    pub fn bins(&self, rate_hz: f64) -> Bins {
        Bins { fft_length: self.window.len() * PADDING, rate_hz }
    }

    /// Returns the power of each bin for one window of samples. A full-scale sine has power 1.
    pub fn power(&mut self, samples: &[f32]) -> Result<&[f32]> {
        let fault = || Error::Internal(format!("a window of {} frames, not {}", samples.len(), self.window.len()));
        if samples.len() != self.window.len() {
            return Err(fault());
        }
        self.input[samples.len()..].fill(0.0);
        for ((to, &sample), &weight) in self.input.iter_mut().zip(samples).zip(&self.window) {
            // A non-finite sample must not corrupt the averages for seconds.
            *to = if sample.is_finite() { sample * weight } else { 0.0 };
        }
        self.transform
            .process_with_scratch(&mut self.input, &mut self.output, &mut self.scratch)
            .map_err(|error| Error::Internal(error.to_string()))?;
        for (to, x) in self.power.iter_mut().zip(&self.output) {
            *to = self.scale * x.norm_sqr();
        }
        Ok(&self.power)
    }
}

/// The spectrum of one signal over time.
#[derive(Debug)]
pub struct LiveSpectrum {
    average: Average,
    held: HeldPeaks,
}

impl LiveSpectrum {
    /// Creates an empty spectrum.
    pub fn new(spec: &AnalyserSpec) -> Self {
        Self { average: Average::new(spec.averaging), held: HeldPeaks::new(spec.hold) }
    }

    /// Adds the power spectrum of a window that ends `seconds` after the previous one.
    pub fn add(&mut self, power: &[f32], seconds: f64) {
        let average = self.average.add(power, seconds);
        self.held.add(average, seconds);
    }

    /// Resets the held peaks.
    pub fn forget_peaks(&mut self, spec: &AnalyserSpec) {
        self.held = HeldPeaks::new(spec.hold);
    }

    /// Returns the averaged levels along an axis in dB re a full-scale sine; `NaN` beyond half the rate.
    pub fn levels(&self, bins: Bins, axis: &LogAxis) -> Vec<f32> {
        trace::levels(self.average.power(), bins, axis)
    }

    /// Returns the held peaks in the same form; `None` if peaks are not held or there is no spectrum yet.
    pub fn held(&self, bins: Bins, axis: &LogAxis) -> Option<Vec<f32>> {
        self.held.power().filter(|power| !power.is_empty()).map(|power| trace::levels(power, bins, axis))
    }
}

#[cfg(test)]
mod tests;
