//! Noise profiles: the mean power at every frequency, learned from a part of a recording.

use audio::{AudioBuffer, AudioFormat};
use base::error::Result;
use base::units::SampleRate;
use dsp::design::Window;
use dsp::kernels::signal::stft::{Samples, StftPlan, StftSpec};

/// The number of windows per average. The quietest averages form the profile.
const TOGETHER: u64 = 24;
/// The maximum number of averages kept.
const QUIETEST: usize = 16;

/// Returns the transform of profile and gate: Hann windows of about 43 ms, four over each frame.
pub(super) fn transform(rate: SampleRate) -> Result<StftPlan> {
    let wanted = (rate.as_f64() * 2048.0 / 48_000.0).log2().round().clamp(6.0, 16.0) as u32;
    let size = 1usize << wanted;
    StftPlan::new(StftSpec { window: Window::Hann, size, padding: 1, hop: size / 4 })
}

/// A noise profile while it is learned.
pub struct NoiseProfile {
    plan: StftPlan,
    /// The noise part in frames; `None` to look for the quietest parts.
    part: Option<(u64, u64)>,
    /// The latest input, channel by channel.
    held: Vec<Vec<f32>>,
    /// Sums of the current average, channel by channel and bin by bin.
    sum: Vec<f64>,
    windows: u64,
    /// The number of averages so far, without silent ones.
    averages: usize,
    /// The quietest averages so far, each with its total power.
    kept: Vec<(f64, Vec<f64>)>,
}

impl NoiseProfile {
    /// Starts a profile of the part from `from_s` to `to_s`, or of the quietest parts if that is empty.
    pub fn new(from_s: f64, to_s: f64, format: AudioFormat) -> Result<Self> {
        let plan = transform(format.rate)?;
        let frame = |seconds: f64| (seconds * format.rate.as_f64()).round() as u64;
        let part = (to_s > from_s).then(|| (frame(from_s), frame(to_s)));
        Ok(Self {
            sum: vec![0.0; plan.bins() * format.channels],
            plan,
            held: vec![Vec::new(); format.channels],
            part,
            windows: 0,
            averages: 0,
            kept: Vec::new(),
        })
    }

    /// Adds the next frames of the recording. The first one is frame `start`.
    pub fn add(&mut self, block: &AudioBuffer, start: u64) -> Result<()> {
        let (from, to) = self.part.unwrap_or((0, u64::MAX));
        let end = start + block.frames() as u64;
        if end <= from || start >= to {
            return Ok(());
        }
        let range = (from.max(start) - start) as usize..(to.min(end) - start) as usize;
        for (held, samples) in self.held.iter_mut().zip(block.iter()) {
            held.extend(samples[range.clone()].iter().map(|x| if x.is_finite() { *x } else { 0.0 }));
        }
        let (size, hop) = (self.plan.spec().size, self.plan.spec().hop);
        let held = self.held.first().map_or(0, Vec::len);
        let mut at = 0;
        while at + size <= held {
            self.window(at)?;
            at += hop;
        }
        self.held.iter_mut().for_each(|held| drop(held.drain(..at)));
        Ok(())
    }

    /// Adds the window that begins at index `at` of the held input.
    fn window(&mut self, at: usize) -> Result<()> {
        let plan = self.plan.clone();
        let mut transform = plan.transform();
        for (sums, samples) in self.sum.chunks_exact_mut(plan.bins()).zip(&self.held) {
            let spectrum = transform.spectrum(Samples::whole(samples), at as i64)?;
            for (sum, x) in sums.iter_mut().zip(spectrum) {
                *sum += f64::from(x.norm_sqr());
            }
        }
        self.windows += 1;
        if self.part.is_none() && self.windows == TOGETHER {
            self.keep();
        }
        Ok(())
    }

    /// Ends an average and keeps it if it is among the quietest. Silence is ignored, because it contains no noise.
    fn keep(&mut self) {
        let mean: Vec<f64> = self.sum.iter().map(|sum| sum / self.windows.max(1) as f64).collect();
        let power: f64 = mean.iter().sum();
        self.sum.fill(0.0);
        self.windows = 0;
        if power > 0.0 {
            self.averages += 1;
            let place = self.kept.partition_point(|(other, _)| *other <= power);
            self.kept.insert(place, (power, mean));
            self.kept.truncate(QUIETEST);
        }
    }

    /// Returns the root of the mean power, channel by channel and bin by bin; zeros if there was no noise.
    pub fn finish(mut self) -> Vec<f64> {
        let size = self.plan.spec().size;
        // A part shorter than a window counts as one window.
        let rest = self.held.first().map_or(0, Vec::len);
        if self.windows == 0 && self.kept.is_empty() && rest > 0 && self.window(0).is_ok() {
            let missing = size as f64 / rest.min(size) as f64;
            self.sum.iter_mut().for_each(|sum| *sum *= missing);
        }
        if self.windows > 0 && (self.part.is_some() || self.kept.is_empty()) {
            self.keep();
        }
        // At most a tenth of the recording counts as noise.
        self.kept.truncate((self.averages / 10).max(1));
        let mut mean = vec![0.0; self.sum.len()];
        for (_, profile) in &self.kept {
            for (mean, power) in mean.iter_mut().zip(profile) {
                *mean += power / self.kept.len() as f64;
            }
        }
        mean.into_iter().map(f64::sqrt).collect()
    }
}
