//! The tuning of a recording: how far its partials lie from the centres of the pitch bins.

use std::ops::Range;

use super::chroma::BINS_PER_OCTAVE;
use super::frames::{Layout, Mean};
use audio::{AudioFormat, AudioReader};
use base::error::Result;
use base::progress::Progress;
use dsp::kernels::signal::stft::{Samples, Spectra, cpu};

/// The range in which partials are searched, in Hz.
const RANGE_HZ: [f64; 2] = [150.0, 4000.0];
/// The minimum magnitude of a partial, as a share of its window's largest magnitude.
const MIN_SHARE: f32 = 0.1;
/// Histogram steps per pitch bin.
const STEPS: usize = 100;
/// The reference frequency of the octave scale: A0.
const A0_HZ: f64 = 27.5;
/// The number of stretches that are analysed in a long recording, and the length of each in seconds.
const STRETCHES: u64 = 6;
const STRETCH_S: f64 = 10.0;
/// Windows that are transformed in one call.
const WINDOWS_AT_ONCE: u64 = 256;

/// Returns the tuning of a recording in bins of a third of a semitone, or 0 if nothing has a pitch.
///
/// A recording of up to one minute is analysed completely. A longer one is analysed in six evenly spaced stretches of
/// ten seconds, the first at its start and the last at its end; a minute of audio is enough to find the tuning. A
/// stretch is left out from the first read error on. The reader's position afterwards is unspecified.
pub fn tuning_of(reader: &mut dyn AudioReader, progress: &Progress) -> Result<f64> {
    let AudioFormat { rate, channels, .. } = reader.format();
    if channels == 0 {
        return Ok(0.0);
    }
    let rate_hz = rate.as_f64();
    let layout = Layout::of_rate(rate_hz);
    let plan = layout.plan()?;
    let mut tuning = Tuning::new(layout.size, rate_hz);
    let mut mean = Mean::default();
    let mut spectra = Spectra { bins: plan.bins(), values: Vec::new() };
    for stretch in stretches(layout, rate_hz, reader.frames()) {
        let mut next = stretch.start;
        while next < stretch.end {
            progress.check()?;
            let some = next..stretch.end.min(next + WINDOWS_AT_ONCE);
            let reach = plan.reach(some.clone());
            // A read error is not fatal here: the pass over the whole recording meets it again.
            if let Err(error) = mean.read(reader, reach.start.max(0) as u64..reach.end.max(0) as u64) {
                tracing::debug!("no tuning is heard from window {next} on: {error}");
                break;
            }
            let samples = Samples { samples: &mean.samples, first_frame: reach.start.max(0) };
            cpu::power_to(&plan, samples, some.clone(), &mut spectra.values)?;
            tuning.push(&spectra);
            next = some.end;
        }
    }
    Ok(tuning.finish().unwrap_or(0.0))
}

/// Returns the windows from which the tuning of a recording of `frames` frames is estimated, as in [`tuning_of`].
pub(super) fn stretches(layout: Layout, rate_hz: f64, frames: u64) -> Vec<Range<u64>> {
    let windows = layout.windows(frames);
    let each = ((STRETCH_S * rate_hz) as u64 / layout.hop as u64).max(1);
    let (count, each) = if windows <= STRETCHES * each { (1, windows) } else { (STRETCHES, each) };
    let first = |stretch| (windows - each) * stretch / (count - 1).max(1);
    (0..count).map(|stretch| first(stretch)..first(stretch) + each).collect()
}

/// A partial of one window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Partial {
    /// The upper 16 bits of its magnitude as a float.
    magnitude: u16,
    /// Its offset within a pitch bin, in steps of a hundredth: 0..100.
    step: u8,
}

/// The tuning of a stream of power spectra, as in `librosa.estimate_tuning`.
///
/// All magnitude peaks from 150 to 4000 Hz are refined by parabolic interpolation. The louder half of them votes for an
/// offset between the bins of a scale of 36 bins per octave, in steps of a hundredth of a bin (a third of a cent).
#[derive(Clone, Debug)]
pub struct Tuning {
    size: usize,
    rate_hz: f64,
    /// Votes by magnitude (the upper 16 bits of the float, steps of less than 1 %) and by offset within a bin.
    votes: Vec<Option<Box<[u32; STEPS]>>>,
}

impl Tuning {
    /// Creates an estimator for spectra of windows of `size` frames at a rate of `rate_hz`.
    pub fn new(size: usize, rate_hz: f64) -> Self {
        Self { size, rate_hz, votes: vec![None; 1 << 15] }
    }

    /// Adds the power spectra of the next windows.
    pub fn push(&mut self, power: &Spectra<f32>) {
        let (mut magnitudes, mut partials) = (Vec::new(), Vec::new());
        for window in power.values.chunks_exact(power.bins.max(1)) {
            partials.clear();
            self.partials(window, &mut magnitudes, &mut partials);
            self.vote(&partials);
        }
    }

    /// Appends the partials of one window, given by its powers, to `to`. `magnitudes` is scratch memory.
    pub(super) fn partials(&self, power: &[f32], magnitudes: &mut Vec<f32>, to: &mut Vec<Partial>) {
        magnitudes.clear();
        magnitudes.extend(power.iter().map(|p| p.sqrt()));
        let x = magnitudes.as_slice();
        let least = MIN_SHARE * x.iter().copied().fold(0.0, f32::max);
        let heard = |bin: usize| if x[bin] > least { x[bin] } else { 0.0 };
        let [low, high] = RANGE_HZ.map(|hz| hz.min(self.rate_hz / 2.0) * self.size as f64 / self.rate_hz);
        let first = (low.ceil() as usize).max(1);
        for bin in first..(high.ceil() as usize).min(x.len().saturating_sub(1)) {
            if !(heard(bin) > heard(bin - 1) && heard(bin) >= heard(bin + 1)) {
                continue;
            }
            let (bend, slope) = (x[bin + 1] + x[bin - 1] - 2.0 * x[bin], 0.5 * (x[bin + 1] - x[bin - 1]));
            let shift = if slope.abs() >= bend.abs() { 0.0 } else { -slope / bend };
            let hz = (bin as f64 + f64::from(shift)) * self.rate_hz / self.size as f64;
            let magnitude = x[bin] + 0.5 * slope * shift;
            if !(hz > 0.0 && magnitude > 0.0 && magnitude.is_finite()) {
                continue;
            }
            let place = (BINS_PER_OCTAVE as f64 * (hz / A0_HZ).log2() + 0.5).rem_euclid(1.0);
            let step = ((place * STEPS as f64) as usize).min(STEPS - 1);
            to.push(Partial { magnitude: (magnitude.to_bits() >> 16) as u16, step: step as u8 });
        }
    }

    /// Adds partials found by [`Tuning::partials`].
    pub(super) fn vote(&mut self, partials: &[Partial]) {
        for Partial { magnitude, step } in partials {
            let votes = self.votes[usize::from(*magnitude)].get_or_insert_with(|| Box::new([0; STEPS]));
            votes[usize::from(*step)] += 1;
        }
    }

    /// Returns all values that [`Tuning::finish`] can have.
    pub fn values() -> impl Iterator<Item = f64> {
        (0..STEPS).map(value_of_step)
    }

    /// Returns the tuning in bins of a third of a semitone, from -0.5 to below 0.5; `None` if nothing has a pitch.
    pub fn finish(&self) -> Option<f64> {
        let count = |votes: &[u32; STEPS]| votes.iter().map(|&n| u64::from(n)).sum::<u64>();
        let all: u64 = self.votes.iter().flatten().map(|votes| count(votes)).sum();
        let mut sums = [0_u64; STEPS];
        let mut louder = 0;
        for votes in self.votes.iter().rev().flatten() {
            sums.iter_mut().zip(votes.iter()).for_each(|(sum, &n)| *sum += u64::from(n));
            louder += count(votes);
            if 2 * louder >= all {
                break;
            }
        }
        let most = sums.iter().max().filter(|&&most| most > 0)?;
        let step = sums.iter().position(|sum| sum == most)?;
        Some(value_of_step(step))
    }
}

fn value_of_step(step: usize) -> f64 {
    step as f64 / STEPS as f64 - 0.5
}
