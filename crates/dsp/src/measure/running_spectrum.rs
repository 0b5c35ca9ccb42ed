//! The mean power spectrum of a stream that is read once, from start to end.
//!
//! [`super::spectrum::mean_spectrum`] seeks to each window that it needs. This module reads nothing itself: a caller
//! that reads the stream for another purpose passes the blocks on. The windows are adjacent or evenly spread, so the
//! cost of a long recording is bounded.

use super::spectrum::MeanSpectrum;
use crate::design::Window;
use crate::kernels::signal::stft::{Samples, StftPlan, StftSpec, cpu};
use base::error::Result;
use base::sound::AudioFormat;

/// The maximum number of windows that are measured.
const MAX_WINDOWS: u64 = 256;
/// Frames per window: bins are 6 Hz apart at 48 kHz.
const WINDOW_FRAMES: usize = 8192;

/// Accumulates a mean power spectrum. Powers are means over the channels: a full-scale sine in all of them has power 1.
pub struct RunningSpectrum {
    plan: StftPlan,
    format: AudioFormat,
    frames: u64,
    windows: u64,
    /// The index of the current window, and its samples so far.
    window: u64,
    gathered: Vec<Vec<f32>>,
    /// The next frame of the stream.
    position: u64,
    power: Vec<f64>,
    measured: u64,
}

impl RunningSpectrum {
    /// Plans the spectrum of a stream of `frames` frames.
    pub fn new(format: AudioFormat, frames: u64) -> Result<Self> {
        let spec = StftSpec { window: Window::BlackmanHarris, size: WINDOW_FRAMES, padding: 1, hop: 1 };
        let plan = StftPlan::new(spec)?;
        Ok(Self {
            power: vec![0.0; plan.bins()],
            plan,
            format,
            frames,
            windows: (frames / WINDOW_FRAMES as u64).clamp(1, MAX_WINDOWS),
            window: 0,
            gathered: vec![Vec::with_capacity(WINDOW_FRAMES); format.channels],
            position: 0,
            measured: 0,
        })
    }

    /// Adds the next frames, one slice per channel.
    pub fn push(&mut self, planes: &[&[f32]]) -> Result<()> {
        let frames = planes.first().map_or(0, |plane| plane.len()) as u64;
        let end = self.position + frames;
        while self.window < self.windows {
            let have = self.gathered.first().map_or(0, Vec::len);
            let from = self.start(self.window) + have as u64;
            if from >= end {
                break;
            }
            let first = from.saturating_sub(self.position) as usize;
            let count = (WINDOW_FRAMES - have).min(frames as usize - first);
            for (gathered, plane) in self.gathered.iter_mut().zip(planes) {
                gathered.extend_from_slice(&plane[first..first + count]);
            }
            if have + count < WINDOW_FRAMES {
                break;
            }
            self.measure()?;
        }
        self.position = end;
        Ok(())
    }

    /// Returns the spectrum. A stream shorter than a window is measured as it is.
    pub fn finish(mut self) -> Result<MeanSpectrum> {
        if self.measured == 0 {
            self.measure()?;
        }
        let share = 1.0 / (self.measured.max(1) * self.format.channels.max(1) as u64) as f64;
        self.power.iter_mut().for_each(|power| *power *= share);
        Ok(MeanSpectrum { bins: self.plan.bins_at(self.format.rate.as_f64()), power: self.power })
    }

    /// Returns the first frame of a window, which lies in the middle of its share of the stream.
    fn start(&self, window: u64) -> u64 {
        let middle = (u128::from(2 * window + 1) * u128::from(self.frames) / u128::from(2 * self.windows)) as u64;
        middle.saturating_sub(WINDOW_FRAMES as u64 / 2)
    }

    fn measure(&mut self) -> Result<()> {
        for gathered in &mut self.gathered {
            let samples = Samples { samples: gathered, first_frame: -(WINDOW_FRAMES as i64) / 2 };
            let spectrum = cpu::power(&self.plan, samples, 0..1)?;
            self.power.iter_mut().zip(spectrum.window(0)).for_each(|(sum, &power)| *sum += f64::from(power));
            gathered.clear();
        }
        self.measured += 1;
        self.window += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::units::SampleRate;

    fn measured(frames: usize, block: usize, hz: f64) -> MeanSpectrum {
        let wave = |n: usize| (std::f64::consts::TAU * hz * n as f64 / 48_000.0).sin() as f32;
        let samples: Vec<f32> = (0..frames).map(wave).collect();
        let format = AudioFormat::new(SampleRate::new(48_000).unwrap(), 2);
        let mut running = RunningSpectrum::new(format, frames as u64).unwrap();
        for part in samples.chunks(block) {
            running.push(&[part, part]).unwrap();
        }
        running.finish().unwrap()
    }

    #[test]
    fn a_tone_of_full_scale_is_one_however_it_is_cut() {
        // 1500 Hz is bin 256 of 8192 at 48 kHz.
        let whole = measured(100_000, 100_000, 1500.0);
        assert!((whole.power[256] - 1.0).abs() < 1e-3, "{}", whole.power[256]);
        for block in [777, 8192, 30_000] {
            assert_eq!(measured(100_000, block, 1500.0).power, whole.power, "{block}");
        }
        assert!((measured(8192 * 1000, 1 << 17, 1500.0).power[256] - 1.0).abs() < 1e-3);
    }

    #[test]
    fn scraps_are_no_fault() {
        for frames in [0, 1, 5000, 8191] {
            let spectrum = measured(frames, 1000, 3000.0);
            assert!(spectrum.power.iter().all(|power| power.is_finite()));
        }
        assert!(measured(5000, 999, 3000.0).power[512] > 0.1);
    }
}
