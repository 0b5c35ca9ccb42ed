//! Rate conversion at mastering quality between any two rates, exact at any frame.
//!
//! Output frame `n` is the band-limited input at the time `n / to`, so there is no latency. The input is silent outside
//! its frames. The output has [`ResamplePlan::frames_out`] frames: `frames * to / from`, halves rounded up. Every
//! output sample depends on absolute positions only, so any division into blocks and any seek give the same bits.
//!
//! The filter is a Kaiser-windowed sinc (J. F. Kaiser, "Nonrecursive digital filter design using the I0-sinh window
//! function", 1974), designed and applied in f64:
//!
//! | of the lower rate | |
//! |---|---|
//! | 0..[`PASS_BAND`] (20.04 kHz at 44.1 kHz) | flat within -120 dB |
//! | [`PASS_BAND`]..0.5 | transition, -6 dB at its middle |
//! | from 0.5 | images and aliases at most -120 dB |
//!
//! A ratio with few phases has a bank with a row for each phase. A ratio with many phases (44,099 to 48,000 Hz)
//! interpolates its coefficients cubically between finely spaced rows, with an error below -160 dB. A ratio of 32 or
//! more is split into steps of 8 with wide transition bands, before (down) or after (up) the narrow step.

mod bank;
mod blocks;
mod dot;
mod reader;
mod stage;
#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;
use std::sync::Arc;

pub use blocks::Resampler;
pub use reader::ResampledReader;

use bank::Bank;
use base::error::{Error, Result};
use base::units::SampleRate;

/// The upper edge of the pass band, as a share of the lower of the two rates.
pub const PASS_BAND: f64 = 5.0 / 11.0;
/// From this ratio on, a conversion is split into steps.
const SPLIT_RATIO: u64 = 32;
/// The ratio of each wide step.
const SPLIT_STEP: u64 = 8;

/// Returns the number of frames at `to` of a recording of `frames` frames at `from`, halves rounded up.
pub fn converted_frames(frames: u64, from: SampleRate, to: SampleRate) -> u64 {
    scaled(frames, (u64::from(to.hz()), u64::from(from.hz())))
}

fn scaled(frames: u64, (up, down): (u64, u64)) -> u64 {
    let (up, down) = (u128::from(up), u128::from(down));
    u64::try_from((2 * u128::from(frames) * up + down) / (2 * down)).unwrap_or(u64::MAX)
}

/// Fractions of a hertz in which the rate of a stream at another speed is counted. A speed keeps 15 digits, so nothing
/// drifts.
const SPEED_PARTS: f64 = 1e9;

/// Returns the number of frames at `to` of a recording of `frames` frames at `from` that is played `speed` times as fast,
/// which is one of [`SPEEDS`], halves rounded up.
pub fn frames_at_speed(frames: u64, from: SampleRate, to: SampleRate, speed: f64) -> u64 {
    scaled(frames, ratio_at(from, to, speed))
}

fn ratio_at(from: SampleRate, to: SampleRate, speed: f64) -> (u64, u64) {
    let parts = |hz: f64| (hz * SPEED_PARTS).round() as u64;
    reduced(parts(to.as_f64()), parts(from.as_f64() * speed))
}

/// The speeds at which a conversion can play a stream, as factors.
pub const SPEEDS: RangeInclusive<f64> = 0.25..=4.0;

/// A conversion between two rates with its filters. Any number of streams can share it.
#[derive(Debug)]
pub struct ResamplePlan {
    from: SampleRate,
    to: SampleRate,
    /// Output frames per input frame, in lowest terms: numerator and denominator.
    ratio: (u64, u64),
    stages: Vec<Bank>,
}

impl ResamplePlan {
    /// Designs the conversion of a stream at `from` to one at `to`. Takes a few milliseconds for unequal rates.
    pub fn new(from: SampleRate, to: SampleRate) -> Arc<Self> {
        Self::of_ratio(from, to, reduced(u64::from(to.hz()), u64::from(from.hz())))
    }

    /// Designs the conversion of a stream at `from`, played `speed` times as fast, to one at `to`: output frame `n` is
    /// the input at the time `n * speed / to`. Pitch follows the speed, as on a turntable.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a speed outside [`SPEEDS`].
    pub fn at_speed(from: SampleRate, to: SampleRate, speed: f64) -> Result<Arc<Self>> {
        if !SPEEDS.contains(&speed) {
            let allowed = format!("{} to {}", SPEEDS.start(), SPEEDS.end());
            return Err(Error::invalid("speed", speed.to_string(), allowed));
        }
        Ok(Self::of_ratio(from, to, ratio_at(from, to, speed)))
    }

    fn of_ratio(from: SampleRate, to: SampleRate, ratio: (u64, u64)) -> Arc<Self> {
        let (mut up, mut down) = ratio;
        // The narrow step runs at the lower end of the conversion, the wide steps at its upper end. Band edges are in
        // cycles per frame of the lower rate; the rate still to be converted is `up / down` times that rate.
        let mut wide = Vec::new();
        let mut narrow = Vec::new();
        while up >= SPLIT_RATIO * down {
            // From `up / down / 8` to `up / down` times the lower rate: the images of 0..0.5 begin here.
            let rate = up as f64 / down as f64 / SPLIT_STEP as f64;
            wide.push(Bank::new(SPLIT_STEP, 1, 0.5 / rate, 1.0 - 0.5 / rate));
            (up, down) = reduced(up, down * SPLIT_STEP);
        }
        while down >= SPLIT_RATIO * up {
            let rate = down as f64 / up as f64;
            let fold = 1.0 / SPLIT_STEP as f64;
            wide.push(Bank::new(1, SPLIT_STEP, 0.5 / rate, fold - 0.5 / rate));
            (up, down) = reduced(up * SPLIT_STEP, down);
        }
        if up != down {
            let lower = (up as f64 / down as f64).min(1.0);
            narrow.push(Bank::new(up, down, PASS_BAND * lower, 0.5 * lower));
        }
        let stages = if ratio.0 > ratio.1 {
            wide.reverse();
            narrow.into_iter().chain(wide).collect()
        } else {
            wide.into_iter().chain(narrow).collect()
        };
        Arc::new(Self { from, to, ratio, stages })
    }

    /// The rate of the input.
    pub fn from(&self) -> SampleRate {
        self.from
    }

    /// The rate of the output.
    pub fn to(&self) -> SampleRate {
        self.to
    }

    /// Returns the number of output frames for a number of input frames: `frames * to / from` (divided by the speed),
    /// halves rounded up.
    pub fn frames_out(&self, frames_in: u64) -> u64 {
        scaled(frames_in, self.ratio)
    }

    /// Returns how far, at most, the output that is determined lags behind the input, in seconds: half of the filters'
    /// lengths. Input up to frame `n` determines all output before the time `n / from` less this lag.
    pub fn lag_s(&self) -> f64 {
        let mut rate = self.from.as_f64();
        let lag = |bank: &Bank| {
            let lag_s = bank.half_taps() as f64 / rate;
            rate *= bank.ratio();
            lag_s
        };
        self.stages.iter().map(lag).sum()
    }

    /// Returns the first input frame that output frame `frame` depends on; negative frames are silent.
    pub fn first_input(&self, frame: i64) -> i64 {
        self.stages.iter().rev().fold(frame, |frame, bank| bank.first_input(frame))
    }

    /// Returns the number of output frames that are determined once the input is known up to `input_end` (exclusive).
    pub fn settled_outputs(&self, input_end: i64) -> i64 {
        self.stages.iter().fold(input_end, |end, bank| bank.settled_outputs(end))
    }
}

fn reduced(a: u64, b: u64) -> (u64, u64) {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (a / x, b / x)
}
