//! One window of a phase vocoder: the spectrum at a position of the input, rotated to continue the phases of the last
//! output window.
//!
//! Two input spectra are computed: at the position and one synthesis hop before it. The phase advance of a tone between
//! them is the advance it needs between two output windows, wherever those come from in the input. There is no phase
//! unwrapping, no frequency estimate, and no accumulation of errors. As a product of spectra, without angles:
//!
//! ```text
//! turn(p) = Y(p) conj(X_before(p)) / |..|,   Y'(b) = X(b) turn(p) for all bins b around the peak p
//! ```
//!
//! where `Y` is the last output spectrum. All bins around a peak rotate together (identity phase locking), so that a
//! tone keeps its shape. Peaks are those of the total power of all channels, and all channels rotate by the same
//! amount, so that levels and phases between channels are preserved.
//!
//! Three transforms per window and channel are the lower bound of the cost; everything else is a few operations per
//! bin.

use base::error::Result;
use dsp::kernels::signal::stft::{Complex32, Samples, Transform};

/// The factor by which the power of a peak must grow within a hop to restart its phase at an onset.
const GROWN: f32 = 2.0;

/// A maximum below this share of the largest is rounding noise.
const MIN_PEAK: f32 = 1e-14;

/// The state carried from window to window, and buffers for one window.
#[derive(Debug)]
pub(super) struct Vocoder {
    /// The last output spectrum of each channel.
    pub written: Vec<Vec<Complex32>>,
    /// The total input power of all channels in that window.
    pub power: Vec<f32>,
    now: Vec<Vec<Complex32>>,
    before: Vec<Vec<Complex32>>,
    power_before: Vec<f32>,
    peaks: Vec<usize>,
}

impl Vocoder {
    pub fn new(channels: usize, bins: usize) -> Self {
        let spectra = vec![vec![Complex32::default(); bins]; channels];
        Self {
            written: spectra.clone(),
            now: spectra.clone(),
            before: spectra,
            power: vec![0.0; bins],
            power_before: vec![0.0; bins],
            peaks: Vec::new(),
        }
    }

    /// Clears the output spectra. The next window starts with the phases of its input.
    pub fn clear(&mut self) {
        self.written.iter_mut().flatten().for_each(|bin| *bin = Complex32::default());
    }

    /// Computes [`Vocoder::written`] for the window that starts at frame `start` of the channels. If `onset` is set,
    /// peaks that have just appeared start with their input phases.
    pub fn step(
        &mut self,
        transform: &mut Transform<'_>,
        channels: &[Vec<f32>],
        first_frame: i64,
        start: i64,
        hop: usize,
        onset: bool,
    ) -> Result<()> {
        self.power.fill(0.0);
        self.power_before.fill(0.0);
        for (channel, samples) in channels.iter().enumerate() {
            let samples = Samples { samples, first_frame };
            self.now[channel].copy_from_slice(transform.spectrum(samples, start)?);
            self.before[channel].copy_from_slice(transform.spectrum(samples, start - hop as i64)?);
            add_power(&self.now[channel], &mut self.power);
            add_power(&self.before[channel], &mut self.power_before);
        }
        find_peaks(&self.power, &mut self.peaks);
        let mut begin = 0;
        for at in 0..self.peaks.len() {
            let peak = self.peaks[at];
            let end = match self.peaks.get(at + 1) {
                Some(&next) => lowest(&self.power, peak, next),
                None => self.power.len(),
            };
            let anew = onset && self.power[peak] > GROWN * self.power_before[peak];
            let turn = if anew { Complex32::new(1.0, 0.0) } else { self.turn(peak) };
            for (written, now) in self.written.iter_mut().zip(&self.now) {
                for (to, x) in written[begin..end].iter_mut().zip(&now[begin..end]) {
                    *to = x * turn;
                }
            }
            begin = end;
        }
        for (written, now) in self.written.iter_mut().zip(&self.now) {
            written[begin..].copy_from_slice(&now[begin..]);
        }
        Ok(())
    }

    /// Returns the rotation of the bins around a peak: 1 if there was no output before.
    fn turn(&self, peak: usize) -> Complex32 {
        let (mut re, mut im) = (0.0f64, 0.0f64);
        for (written, before) in self.written.iter().zip(&self.before) {
            let (y, x) = (written[peak], before[peak]);
            let [a, b, c, d] = [y.re, y.im, x.re, x.im].map(f64::from);
            re += a * c + b * d;
            im += b * c - a * d;
        }
        // The bin at 0 Hz can only keep or change its sign.
        if peak == 0 {
            im = 0.0;
        }
        let size = re.hypot(im);
        if size < 1e-60 {
            return Complex32::new(1.0, 0.0);
        }
        Complex32::new((re / size) as f32, (im / size) as f32)
    }
}

fn add_power(spectrum: &[Complex32], power: &mut [f32]) {
    for (power, x) in power.iter_mut().zip(spectrum) {
        *power += x.norm_sqr();
    }
}

/// Finds bins that exceed two neighbours on either side.
fn find_peaks(power: &[f32], peaks: &mut Vec<usize>) {
    peaks.clear();
    let floor = power.iter().fold(0.0f32, |most, power| most.max(*power)) * MIN_PEAK;
    let bins = power.len();
    for bin in 0..bins {
        let here = power[bin];
        let left = power[bin.saturating_sub(2)..bin].iter().all(|power| *power < here);
        let right = power[(bin + 1).min(bins)..(bin + 3).min(bins)].iter().all(|power| *power <= here);
        if here > floor && left && right {
            peaks.push(bin);
        }
    }
}

/// Returns the lowest bin between two peaks.
fn lowest(power: &[f32], from: usize, to: usize) -> usize {
    (from + 1..to).min_by(|a, b| power[*a].total_cmp(&power[*b])).unwrap_or(to)
}
