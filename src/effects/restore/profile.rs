//! What noise is like: its mean power at every frequency, learned from a part of a recording.

use crate::audio::{AudioBuffer, AudioFormat};
use crate::design::Window;
use crate::error::Result;
use crate::kernels::stft::{Samples, StftPlan, StftSpec};
use crate::units::SampleRate;

/// Windows that are averaged before the quietest are chosen.
const TOGETHER: u64 = 24;
/// How many such are kept.
const QUIETEST: usize = 16;

/// The transform of profile and gate: Hann windows of about 43 ms, four over each frame.
pub(super) fn transform(rate: SampleRate) -> Result<StftPlan> {
    let wanted = (rate.as_f64() * 2048.0 / 48_000.0).log2().round().clamp(6.0, 16.0) as u32;
    let size = 1usize << wanted;
    StftPlan::new(StftSpec { window: Window::Hann, size, padding: 1, hop: size / 4 })
}

/// A profile that is being learned.
pub struct NoiseProfile {
    plan: StftPlan,
    /// The part that is noise, in frames; none to look for the quietest.
    part: Option<(u64, u64)>,
    /// The newest input, channel by channel.
    held: Vec<Vec<f32>>,
    /// The windows that are averaged now: channel by channel, bin by bin.
    sum: Vec<f64>,
    windows: u64,
    /// Averages so far, silent ones aside.
    averages: usize,
    /// The quietest averages so far, with their powers.
    kept: Vec<(f64, Vec<f64>)>,
}

impl NoiseProfile {
    /// To be learned from `from_s` to `to_s`; from what is quietest in all of it when that is no time.
    ///
    /// # Errors
    /// None of its own.
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

    /// Takes up the next frames of the recording, of which the first is `start`.
    ///
    /// # Errors
    /// [`crate::Error::Internal`] when a transform fails.
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

    /// Adds the window that begins at `at` of what is held.
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

    /// Ends an average, and keeps it when it is among the quietest. Silence tells nothing of noise.
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

    /// The root of the mean power, channel by channel, bin by bin; zeros where nothing was heard.
    pub fn finish(mut self) -> Vec<f64> {
        let size = self.plan.spec().size;
        // A part shorter than a window counts as one.
        let rest = self.held.first().map_or(0, Vec::len);
        if self.windows == 0 && self.kept.is_empty() && rest > 0 && self.window(0).is_ok() {
            let missing = size as f64 / rest.min(size) as f64;
            self.sum.iter_mut().for_each(|sum| *sum *= missing);
        }
        if self.windows > 0 && (self.part.is_some() || self.kept.is_empty()) {
            self.keep();
        }
        // No more than a tenth of the recording is taken for noise.
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
