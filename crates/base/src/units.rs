//! The units of the core: sample rate, frames, hertz and decibels.
//!
//! A *frame* is one sample per channel. Frame counts and positions are `u64`, named `..._frame` or `..._frames`.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// A sample rate in hertz, between [`SampleRate::MIN`] and [`SampleRate::MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct SampleRate(u32);

crate::declared_as!(SampleRate, u32);

impl SampleRate {
    /// The lowest accepted rate, 1 Hz.
    pub const MIN: u32 = 1;
    /// The highest accepted rate, 768 kHz.
    pub const MAX: u32 = 768_000;

    /// Creates a sample rate of `hz`.
    ///
    /// # Errors
    /// [`Error::Invalid`] outside 1 Hz..=768 kHz.
    pub fn new(hz: u32) -> Result<Self> {
        if (Self::MIN..=Self::MAX).contains(&hz) {
            Ok(Self(hz))
        } else {
            Err(Error::invalid("sample rate", format!("{hz} Hz"), "1 Hz to 768 kHz"))
        }
    }

    /// Returns the rate in hertz.
    pub const fn hz(self) -> u32 {
        self.0
    }

    /// Returns the rate in hertz as `f64`, for arithmetic.
    pub const fn as_f64(self) -> f64 {
        self.0 as f64
    }

    /// Returns half the rate in hertz: the highest frequency that the stream can carry.
    pub const fn nyquist_hz(self) -> f64 {
        self.0 as f64 / 2.0
    }

    /// Returns the time at which `frame` begins, in seconds.
    pub fn seconds_from_frames(self, frame: u64) -> f64 {
        frame as f64 / self.as_f64()
    }

    /// Returns the frame nearest to `seconds`; negative times give 0.
    pub fn frames_from_seconds(self, seconds: f64) -> u64 {
        (seconds * self.as_f64()).round().max(0.0) as u64
    }
}

impl TryFrom<u32> for SampleRate {
    type Error = Error;

    fn try_from(hz: u32) -> Result<Self> {
        Self::new(hz)
    }
}

impl From<SampleRate> for u32 {
    fn from(rate: SampleRate) -> Self {
        rate.0
    }
}

impl fmt::Display for SampleRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} Hz", self.0)
    }
}

/// Returns the amplitude ratio of a level in decibels: `10^(db/20)`.
pub fn gain_from_db(db: f64) -> f64 {
    10f64.powf(db / 20.0)
}

/// Returns the level in decibels of an amplitude ratio: `20 log10 |gain|`. A gain of 0 gives negative infinity.
pub fn db_from_gain(gain: f64) -> f64 {
    20.0 * gain.abs().log10()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_outside_the_range_are_refused_by_value() {
        let message = SampleRate::new(0).unwrap_err().to_string();
        assert!(message.contains("0 Hz") && message.contains("768 kHz"), "{message}");
        assert!(SampleRate::new(768_001).is_err());
        assert_eq!(SampleRate::new(768_000).map(SampleRate::hz).ok(), Some(768_000));
    }

    #[test]
    fn seconds_and_frames_round_trip() {
        let rate = SampleRate(44_100);
        for frame in [0, 1, 44_099, 44_100, 1_000_000_007] {
            assert_eq!(rate.frames_from_seconds(rate.seconds_from_frames(frame)), frame);
        }
        assert_eq!(rate.frames_from_seconds(-1.0), 0);
    }

    #[test]
    fn decibels_invert() {
        assert!((gain_from_db(6.0) - 1.995_262_314_968_88).abs() < 1e-12);
        assert!((db_from_gain(gain_from_db(-37.5)) + 37.5).abs() < 1e-12);
        assert_eq!(db_from_gain(0.0), f64::NEG_INFINITY);
    }
}
