//! The signal at the lowest rate that a constant-Q transform needs, kept while the tuning is still unknown.

use std::ops::Range;

use super::Memory;
use super::basis::{halvings, octaves_within};
use super::halve::needed;
use crate::kernels::signal::constant_q::half_band;
use crate::kernels::signal::stft::Samples;

/// Halves the rate of a signal as often as every possible plan of [`super::ConstantQ`] does. Keeping its output instead
/// of the signal saves memory, and [`super::ConstantQ::spectra_of_decimated`] gives the same bits from it.
#[derive(Clone, Debug)]
pub struct Decimator {
    halvings: u32,
    half_band: Vec<f32>,
}

impl Decimator {
    /// The frames before and after a signal, at the lower rate, in which the filters still ring.
    pub const RINGING: i64 = 32;

    /// Plans the decimation for plans of any of these tunings; `None` if the rate is too low for all of them.
    pub fn new(rate_hz: f64, tunings: impl Iterator<Item = f64>) -> Option<Self> {
        let planned = tunings.filter_map(|tuning| match octaves_within(rate_hz, tuning) {
            0 => None,
            octaves => Some(halvings(octaves, tuning, rate_hz).iter().sum()),
        });
        let halvings = planned.min()?;
        Some(Self { halvings, half_band: half_band().iter().map(|&tap| tap as f32).collect() })
    }

    /// Returns how often the rate is halved.
    pub fn halvings(&self) -> u32 {
        self.halvings
    }

    /// Returns the frame at the lower rate at which the samples from `frame` on begin.
    pub fn place(&self, frame: u64) -> i64 {
        frame.div_ceil(1 << self.halvings) as i64
    }

    /// Returns the frames of the signal that the given frames at the lower rate depend on.
    pub fn reach(&self, frames: Range<i64>) -> Range<i64> {
        (0..self.halvings).fold(frames, |frames, _| needed(&frames, self.half_band.len()))
    }

    /// Computes frames at the lower rate, with silence around the signal. `to` is overwritten.
    pub fn decimate(&self, signal: Samples<'_>, frames: Range<i64>, memory: &mut Memory, to: &mut Vec<f32>) {
        if self.halvings == 0 {
            to.clear();
            signal.extract(frames, to);
            return;
        }
        // The frames that each level needs, from the lowest rate up.
        let mut needs = vec![frames];
        for _ in 1..self.halvings {
            needs.push(needed(&needs[needs.len() - 1], self.half_band.len()));
        }
        let mut first_frame = signal.first_frame;
        for (level, need) in needs.into_iter().rev().enumerate() {
            let above = if level == 0 { signal } else { Samples { samples: &memory.signal, first_frame } };
            first_frame = need.start;
            memory.halver.halve(above, need, &self.half_band, to);
            std::mem::swap(&mut memory.signal, to);
        }
        std::mem::swap(&mut memory.signal, to);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Basis, ConstantQ, ConstantQSpec};
    use super::*;
    use crate::kernels::signal::stft::Spectra;
    use base::progress::Progress;

    fn tunings() -> impl Iterator<Item = f64> {
        (0..100).map(|step| f64::from(step) / 100.0 - 0.5)
    }

    #[test]
    fn no_plan_halves_less() {
        for rate_hz in [132.0, 1000.0, 8000.0, 16_000.0, 22_050.0, 44_100.0, 48_000.0, 96_000.0, 192_000.0, 384_000.0] {
            let Some(decimator) = Decimator::new(rate_hz, tunings()) else { continue };
            for tuning in tunings() {
                let spec = ConstantQSpec { hop: 64, tuning, basis: Basis::Librosa };
                if let Ok(plan) = ConstantQ::new(spec, rate_hz) {
                    assert!(plan.halvings >= decimator.halvings, "{tuning} at {rate_hz} Hz");
                }
            }
        }
        assert!(Decimator::new(100.0, tunings()).is_none());
    }

    #[test]
    fn spectra_of_a_decimated_signal_are_those_of_the_signal_bit_for_bit() {
        for rate_hz in [22_050.0, 44_100.0, 96_000.0, 192_000.0] {
            let x: Vec<f32> = (0..60_001_i64).map(|n| ((n * n * 7 + n) % 101) as f32 / 50.0 - 1.0).collect();
            let signal = Samples { samples: &x, first_frame: 0 };
            let decimator = Decimator::new(rate_hz, tunings()).unwrap();
            let (mut memory, mut decimated) = (Memory::default(), Vec::new());
            let first_frame = -Decimator::RINGING;
            let end = decimator.place(x.len() as u64) + Decimator::RINGING;
            decimator.decimate(signal, first_frame..end, &mut memory, &mut decimated);
            let decimated = Samples { samples: &decimated, first_frame };
            for tuning in [-0.5, 0.13] {
                let spec = ConstantQSpec { hop: 512, tuning, basis: Basis::Librosa };
                let plan = ConstantQ::new(spec, rate_hz).unwrap();
                let windows = 0..plan.windows(x.len() as u64);
                let expected = plan.spectra(signal, windows.clone(), &Progress::new()).unwrap();
                for windows in [windows.clone(), windows.end / 2..windows.end, 3..4] {
                    let mut got = Spectra { bins: plan.bins(), values: Vec::new() };
                    plan.spectra_of_decimated(
                        &decimator,
                        decimated,
                        windows.clone(),
                        &mut got.values,
                        &mut memory,
                        &Progress::new(),
                    )
                    .unwrap();
                    let range = windows.start as usize * got.bins..windows.end as usize * got.bins;
                    assert_eq!(got.values, expected.values[range], "{windows:?}, {tuning} at {rate_hz} Hz");
                }
            }
        }
    }
}
