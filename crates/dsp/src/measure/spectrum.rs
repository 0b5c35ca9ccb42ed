//! The mean power spectrum of a range, and values derived from it.

use std::ops::Range;

use crate::design::{Bins, Window};
use crate::kernels::signal::stft::{Samples, StftPlan, StftSpec, cpu};
use base::error::Result;
use base::progress::Progress;
use base::sound::{AudioBuffer, AudioReader};

/// The maximum number of windows that are measured: spread over a long range they give its mean within a fraction of a
/// decibel.
const MAX_WINDOWS: u64 = 2048;
/// Frames per window: with the padding, bins are 3 Hz apart at 48 kHz.
const WINDOW_FRAMES: usize = 8192;
const PADDING: usize = 2;

/// A mean power spectrum. A full-scale sine on a bin has power 1.
#[derive(Clone, Debug)]
pub struct MeanSpectrum {
    /// The frequencies of the bins.
    pub bins: Bins,
    /// The power of each bin: [`mean_spectrum`] sums it over the channels, `RunningSpectrum` averages it.
    pub power: Vec<f64>,
}

/// Measures the frames `range` of all channels in up to 2048 windows, spread evenly.
pub fn mean_spectrum(reader: &mut dyn AudioReader, range: Range<u64>, progress: &Progress) -> Result<MeanSpectrum> {
    let spec = StftSpec { window: Window::BlackmanHarris, size: WINDOW_FRAMES, padding: PADDING, hop: 1 };
    let plan = StftPlan::new(spec)?;
    let rate = reader.format().rate.as_f64();
    let mut power = vec![0.0; plan.bins()];
    let frames = range.end.saturating_sub(range.start);
    let windows = (frames / (WINDOW_FRAMES as u64 / 2)).clamp(1, MAX_WINDOWS);
    let mut audio = AudioBuffer::default();
    for window in 0..windows {
        progress.check()?;
        // Windows lie within the range; a range shorter than a window is measured around its middle.
        let middle = range.start + ((2 * window + 1) as u128 * u128::from(frames) / (2 * u128::from(windows))) as u64;
        let start = middle.saturating_sub(WINDOW_FRAMES as u64 / 2).max(range.start);
        let end = (start + WINDOW_FRAMES as u64).min(range.end);
        reader.seek(start)?;
        reader.read(&mut audio, (end - start) as usize)?;
        for channel in audio.iter() {
            let samples = Samples { samples: channel, first_frame: start as i64 };
            let spectrum = cpu::power(&plan, samples, middle..middle + 1)?;
            power.iter_mut().zip(spectrum.window(0)).for_each(|(sum, &x)| *sum += f64::from(x) / windows as f64);
        }
    }
    Ok(MeanSpectrum { bins: plan.bins_at(rate), power })
}

impl MeanSpectrum {
    /// Returns the power-weighted mean frequency between two frequencies, in Hz; `None` for silence.
    pub fn centroid_hz(&self, low_hz: f64, high_hz: f64) -> Option<f64> {
        let (mut sum, mut weighed) = (0.0, 0.0);
        for (bin, power) in self.power.iter().enumerate() {
            let hz = self.bins.hz_from_bin(bin);
            if (low_hz..=high_hz).contains(&hz) {
                sum += power;
                weighed += power * hz;
            }
        }
        (sum > 1e-18).then(|| weighed / sum)
    }

    /// Returns up to `count` peaks in Hz, the strongest first. Peaks within a third of an octave of a stronger one,
    /// more than 40 dB below the strongest, or below 20 Hz are left out.
    pub fn dominant_hz(&self, count: usize) -> Vec<f64> {
        let peak = |bin: &usize| {
            let [before, here, after] = [bin - 1, *bin, bin + 1].map(|bin| self.power[bin]);
            here > before && here >= after && here > 1e-14 && self.bins.hz_from_bin(*bin) >= 20.0
        };
        let mut peaks: Vec<usize> = (1..self.power.len().saturating_sub(1)).filter(peak).collect();
        peaks.sort_by(|&a, &b| self.power[b].total_cmp(&self.power[a]));
        let least = peaks.first().map_or(0.0, |&bin| self.power[bin] * 1e-4);
        let mut found: Vec<f64> = Vec::new();
        for bin in peaks.into_iter().take_while(|&bin| self.power[bin] > least) {
            let hz = self.bins.hz_from_bin(bin) + self.offset(bin) * self.bins.hz_from_bin(1);
            if found.iter().all(|other| (hz / other).log2().abs() > 1.0 / 3.0) {
                found.push(hz);
            }
            if found.len() == count {
                break;
            }
        }
        found
    }

    /// Returns the offset, in bins, of the vertex of the parabola through the levels around a peak.
    fn offset(&self, bin: usize) -> f64 {
        let [a, b, c] = [bin - 1, bin, bin + 1].map(|bin| self.power[bin].max(1e-30).ln());
        let curve = a - 2.0 * b + c;
        if curve < 0.0 { (0.5 * (a - c) / curve).clamp(-0.5, 0.5) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::memory::memory;
    use base::sound::MemoryReader;

    fn tones(parts: &[(f64, f64)], frames: usize) -> MemoryReader {
        let sample = |n: usize| {
            let sum: f64 =
                parts.iter().map(|(hz, level)| level * (std::f64::consts::TAU * hz * n as f64 / 48_000.0).sin()).sum();
            sum as f32
        };
        memory(48_000, vec![(0..frames).map(sample).collect()])
    }

    #[test]
    fn tones_are_found_by_strength() {
        let mut reader = tones(&[(440.0, 0.1), (3001.7, 0.5), (60.0, 0.3), (460.0, 0.09)], 400_000);
        let spectrum = mean_spectrum(&mut reader, 0..400_000, &Progress::new()).expect("measured");
        let found = spectrum.dominant_hz(5);
        assert_eq!(found.len(), 3, "{found:?}");
        for (hz, expected) in found.iter().zip([3001.7, 60.0, 440.0]) {
            assert!((hz - expected).abs() < 0.5, "{found:?}");
        }
        let strongest = spectrum.power.iter().copied().fold(0.0, f64::max);
        assert!((10.0 * (strongest / 0.25).log10()).abs() < 0.9);
    }

    #[test]
    fn the_centre_lies_between_what_sounds() {
        let mut reader = tones(&[(1000.0, 0.2), (3000.0, 0.2)], 100_000);
        let spectrum = mean_spectrum(&mut reader, 20_000..90_000, &Progress::new()).expect("measured");
        assert!((spectrum.centroid_hz(0.0, 24_000.0).expect("sound") - 2000.0).abs() < 20.0);
        assert!((spectrum.centroid_hz(500.0, 2000.0).expect("sound") - 1000.0).abs() < 20.0);
    }

    #[test]
    fn silence_and_scraps_are_no_fault() {
        for frames in [0, 1, 5000] {
            let mut reader = tones(&[], frames);
            let spectrum = mean_spectrum(&mut reader, 0..frames as u64, &Progress::new()).expect("measured");
            assert!(spectrum.dominant_hz(3).is_empty() && spectrum.centroid_hz(0.0, 24_000.0).is_none());
        }
        let mut reader = tones(&[(1000.0, 1.0)], 3000);
        let spectrum = mean_spectrum(&mut reader, 0..3000, &Progress::new()).expect("measured");
        assert!((spectrum.dominant_hz(1)[0] - 1000.0).abs() < 10.0);
    }
}
