//! A gate for each frequency: open where the signal exceeds a noise profile, closed elsewhere.
//!
//! Windows of 43 ms (Hann for analysis and synthesis, four over each frame) lie on a grid counted from the first frame
//! of the stream. Musical noise arises from single bins that open by chance. Averaging over several windows and bins
//! prevents it: with ten independent values, noise exceeds four times its mean once in a million. The cost is three
//! transforms per window and channel.

use std::collections::VecDeque;

use crate::Process;
use audio::AudioBuffer;
use base::error::{Error, Result};
use dsp::kernels::signal::stft::{Complex32, Samples, StftPlan, Transform};

/// The sum of squared Hann windows, four over each frame.
const WEIGHT: f32 = 1.5;
/// The transition from closed to open, in dB of the averaged level.
const KNEE_DB: f32 = 6.0;

/// The settings of a gate.
#[derive(Clone, Debug)]
pub(super) struct GateSettings {
    /// The attenuation of a closed gate in dB.
    pub reduction_db: f32,
    /// The level above the noise at which it opens, in dB.
    pub sensitivity_db: f32,
    /// The number of windows before and after one that are averaged with it.
    pub windows: usize,
    /// The number of bins below and above one that are averaged with it.
    pub bins: usize,
    /// The share of the distance to a new gain left after one window: `attack` when opening, `release` when closing.
    pub attack: f32,
    pub release: f32,
    /// Whether to put out the removed part instead.
    pub taken: bool,
    /// The mean power of the noise, channel by channel and bin by bin. Without it the signal stays unchanged.
    pub noise: Option<Vec<f32>>,
}

/// The gate process.
#[derive(Debug)]
pub(super) struct Gate {
    settings: GateSettings,
    plan: StftPlan,
    /// The input from `held_first` on.
    held: Vec<Vec<f32>>,
    held_first: i64,
    /// The power of each bin relative to the noise, for windows from `next_window - windows` on.
    above: VecDeque<Vec<f32>>,
    /// The gain of each bin in dB.
    gain_db: Vec<f32>,
    sums: Vec<Vec<f32>>,
    next_out: i64,
    next_window: i64,
    spectrum: Vec<Complex32>,
}

impl Gate {
    pub fn new(settings: GateSettings, plan: StftPlan, channels: usize) -> Self {
        let mut gate = Self {
            held: vec![Vec::new(); channels],
            held_first: 0,
            above: VecDeque::new(),
            gain_db: vec![-settings.reduction_db; plan.bins()],
            sums: vec![Vec::new(); channels],
            next_out: 0,
            next_window: 0,
            spectrum: vec![Complex32::default(); plan.bins()],
            settings,
            plan,
        };
        gate.begin(0);
        gate
    }

    /// Returns the latency in frames.
    pub fn latency(plan: &StftPlan, windows: usize) -> u64 {
        (plan.spec().size + (windows + 1) * plan.spec().hop) as u64
    }

    fn hop(&self) -> i64 {
        self.plan.spec().hop as i64
    }

    fn half(&self) -> i64 {
        self.plan.spec().size as i64 / 2
    }

    fn next_in(&self) -> i64 {
        self.held_first + self.held.first().map_or(0, Vec::len) as i64
    }

    fn begin(&mut self, frame: i64) {
        self.held.iter_mut().chain(&mut self.sums).for_each(Vec::clear);
        self.held_first = frame;
        self.next_out = frame - Self::latency(&self.plan, self.settings.windows) as i64;
        self.next_window = (self.next_out - self.half()).div_euclid(self.hop()) + 1;
        self.gain_db.fill(-self.settings.reduction_db);
        self.above.clear();
    }

    /// Fills `above` for all windows averaged with the next one.
    fn listen(&mut self, transform: &mut Transform<'_>, noise: &[f32]) -> Result<()> {
        let around = self.settings.windows as i64;
        while self.above.len() < 2 * self.settings.windows + 1 {
            let window = self.next_window - around + self.above.len() as i64;
            let start = window * self.hop() - self.half();
            let mut above = vec![0.0f32; self.gain_db.len()];
            for (samples, noise) in self.held.iter().zip(noise.chunks_exact(above.len())) {
                let samples = Samples { samples, first_frame: self.held_first };
                // The channel that exceeds the noise most opens the gate for all, which preserves the stereo image.
                for ((above, x), noise) in above.iter_mut().zip(transform.spectrum(samples, start)?).zip(noise) {
                    *above = above.max(x.norm_sqr() / noise.max(f32::MIN_POSITIVE));
                }
            }
            self.above.push_back(above);
        }
        Ok(())
    }

    /// Moves the gains towards the targets of the next window.
    fn judge(&mut self) {
        let bins = self.gain_db.len();
        // Prefix sums over the bins, across all windows.
        let mut sums = vec![0.0f64; bins + 1];
        for bin in 0..bins {
            // Limit bins far above the others, so that rounding does not swamp their neighbours.
            let sum: f32 = self.above.iter().map(|above| above[bin].min(1e12)).sum();
            sums[bin + 1] = sums[bin] + f64::from(sum);
        }
        let GateSettings { reduction_db, sensitivity_db, attack, release, bins: around, .. } = self.settings;
        for bin in 0..bins {
            let (from, to) = (bin.saturating_sub(around), (bin + around + 1).min(bins));
            let mean = (sums[to] - sums[from]) / ((to - from) * self.above.len()) as f64;
            let above_db = 10.0 * mean.max(1e-30).log10() as f32;
            let open = ((above_db - sensitivity_db) / KNEE_DB + 0.5).clamp(0.0, 1.0);
            let wanted = reduction_db * (open * open * (3.0 - 2.0 * open) - 1.0);
            let gain = &mut self.gain_db[bin];
            let left = if wanted > *gain { attack } else { release };
            *gain = wanted + (*gain - wanted) * left;
        }
    }

    fn add_window(&mut self, transform: &mut Transform<'_>) -> Result<()> {
        let noise = self.settings.noise.take();
        if let Some(noise) = &noise {
            self.listen(transform, noise)?;
            self.judge();
            self.above.pop_front();
        }
        let known = noise.is_some();
        self.settings.noise = noise;
        let centre = self.next_window * self.hop();
        let start = centre - self.half() - self.next_out;
        let (skipped, at) = ((-start).max(0) as usize, start.max(0) as usize);
        let size = self.plan.spec().size;
        let scale = 1.0 / (size as f32 * WEIGHT);
        let taken = self.settings.taken;
        let gains: Vec<f32> = self
            .gain_db
            .iter()
            .map(|db| if known { 10f32.powf(db / 20.0) } else { 1.0 })
            .map(|gain| if taken { 1.0 - gain } else { gain })
            .collect();
        for (sums, samples) in self.sums.iter_mut().zip(&self.held) {
            let samples = Samples { samples, first_frame: self.held_first };
            self.spectrum.copy_from_slice(transform.spectrum(samples, centre - size as i64 / 2)?);
            for (x, gain) in self.spectrum.iter_mut().zip(&gains) {
                *x *= gain;
            }
            sums.resize(sums.len().max(at + size - skipped), 0.0);
            let frames = transform.frames(&self.spectrum)?;
            let window = self.plan.window();
            for ((sum, x), w) in sums[at..].iter_mut().zip(&frames[skipped..]).zip(&window[skipped..]) {
                *sum += scale * *w as f32 * x;
            }
        }
        self.next_window += 1;
        Ok(())
    }
}

impl Process for Gate {
    fn process(&mut self, block: &mut AudioBuffer) -> Result<()> {
        for (held, samples) in self.held.iter_mut().zip(block.iter()) {
            held.extend(samples.iter().map(|x| if x.is_finite() && x.abs() > 1e-30 { *x } else { 0.0 }));
        }
        let plan = self.plan.clone();
        let mut transform = plan.transform();
        let mut at = 0;
        while at < block.frames() {
            let summed = self.next_window * self.hop() - self.half();
            let ready = ((summed - self.next_out).max(0) as usize).min(block.frames() - at);
            if ready == 0 {
                self.add_window(&mut transform)?;
                continue;
            }
            for (sums, out) in self.sums.iter_mut().zip(block.iter_mut()) {
                for (to, sum) in out[at..at + ready].iter_mut().zip(sums.drain(..ready)) {
                    *to = sum;
                }
            }
            self.next_out += ready as i64;
            at += ready;
        }
        // Keep the input that the next window needs.
        let first = (self.next_window - self.settings.windows as i64) * self.hop() - self.half();
        let gone = (first - self.held_first).clamp(0, self.held.first().map_or(0, Vec::len) as i64);
        self.held.iter_mut().for_each(|held| drop(held.drain(..gone as usize)));
        self.held_first += gone;
        Ok(())
    }

    fn seek(&mut self, frame: i64) -> bool {
        let goes_on = self.held.iter().all(Vec::is_empty) || frame == self.next_in();
        if frame != self.next_in() {
            self.begin(frame);
        }
        goes_on
    }

    /// Lengths and positions, then gains, sums and input.
    fn state(&self) -> Vec<f64> {
        let lengths = [&self.held, &self.sums].map(|planes| planes.first().map_or(0, Vec::len) as f64);
        let head = [self.gain_db.len() as f64, self.settings.windows as f64, lengths[0], lengths[1]];
        let places = [self.held_first as f64, self.next_out as f64, self.next_window as f64];
        let values = self.gain_db.iter().chain(self.sums.iter().flatten()).chain(self.held.iter().flatten());
        head.into_iter().chain(places).chain(values.map(|x| f64::from(*x))).collect()
    }

    fn restore(&mut self, state: &[f64]) -> Result<()> {
        let refused = || Error::Internal("a gate was given the state of another one".into());
        let (head, values) = state.split_first_chunk::<7>().ok_or_else(refused)?;
        let (bins, channels) = (self.gain_db.len(), self.held.len());
        let [held, sums] = [head[2] as usize, head[3] as usize];
        let fits = head[0] == bins as f64 && head[1] == self.settings.windows as f64;
        if !fits || values.len() != bins + channels * (held + sums) {
            return Err(refused());
        }
        let samples = |from: &[f64]| from.iter().map(|x| *x as f32).collect::<Vec<_>>();
        self.gain_db = samples(&values[..bins]);
        let (all_sums, all_held) = values[bins..].split_at(channels * sums);
        for channel in 0..channels {
            self.sums[channel] = samples(&all_sums[channel * sums..][..sums]);
            self.held[channel] = samples(&all_held[channel * held..][..held]);
        }
        (self.held_first, self.next_out, self.next_window) = (head[4] as i64, head[5] as i64, head[6] as i64);
        self.above.clear();
        Ok(())
    }
}
