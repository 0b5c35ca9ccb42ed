//! Edits of a part of a recording, from one time to another and from one frequency to another, that leave every sample
//! outside these times as it is.
//!
//! [`segments`] brings the part in pieces to an [`Editor`], which gives it back changed: [`band`] scales or keeps a band
//! of frequencies, [`mend`] paints it anew after its surroundings.

mod band;
mod gain;
mod heal;
mod isolate;
mod mend;
pub(super) mod segments;

use std::fmt::Debug;
use std::ops::Range;

use super::{Arguments, EffectSpec, Parameter, ParameterKind, Scale, Unit};
use crate::error::{Error, Result};
use crate::units::SampleRate;

/// The family's effects, in the order in which they are listed.
pub(super) static ALL: &[&EffectSpec] = &[&gain::SPEC, &isolate::SPEC, &heal::SPEC];

/// What becomes of a piece of the part.
pub(super) trait Editor: Send + Debug {
    /// Frames of a piece at the most, and how many it must see before and after it.
    fn reach(&self) -> Reach;

    /// The frames `piece` of one channel, of which the first is the stream's frame `start`, changed. `seen` holds them
    /// and what lies around them.
    ///
    /// # Errors
    /// [`Error::Internal`] when a transform fails.
    fn edit(&self, seen: &[f32], piece: Range<usize>, start: i64) -> Result<Vec<f32>>;
}

/// How far an [`Editor`] works and looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Reach {
    /// Frames of a piece at the most.
    pub piece: usize,
    /// Frames seen before it.
    pub before: usize,
    /// Frames seen after it.
    pub after: usize,
}

/// A part of a recording.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Region {
    from_s: f64,
    to_s: f64,
    low_hz: f64,
    high_hz: f64,
}

impl Region {
    /// The region of an effect's arguments.
    ///
    /// # Errors
    /// [`Error::Invalid`] unless it begins before it ends and its lower edge lies below its higher one.
    fn new(effect: &str, arguments: &Arguments) -> Result<Self> {
        let number = |name| arguments.checked_number(name);
        let region =
            Self { from_s: number("from")?, to_s: number("to")?, low_hz: number("low")?, high_hz: number("high")? };
        let below = |name: &str, unit: Unit, got: f64, limit: f64, other: &str| {
            let allowed = format!("below {other} ({})", unit.written(limit));
            Error::invalid(format!("{effect} {name}"), unit.written(got), allowed)
        };
        if region.from_s >= region.to_s {
            return Err(below("from", Unit::Seconds, region.from_s, region.to_s, "to"));
        }
        if region.low_hz >= region.high_hz {
            return Err(below("low", Unit::Hz, region.low_hz, region.high_hz, "high"));
        }
        Ok(region)
    }

    /// Its frames at this rate, one at the least.
    fn frames(&self, rate: SampleRate) -> Range<i64> {
        let start = (self.from_s * rate.as_f64()).round() as i64;
        start..((self.to_s * rate.as_f64()).round() as i64).max(start + 1)
    }
}

/// Whether a region's band begins below half the rate.
///
/// # Errors
/// [`Error::Invalid`] otherwise; `effect` names it.
fn starts_below_nyquist(effect: &str, region: &Region, rate: SampleRate) -> Result<()> {
    if region.low_hz < rate.nyquist_hz() {
        return Ok(());
    }
    let allowed =
        format!("below half the sample rate of {rate}, that is below {}", Unit::Hz.written(rate.nyquist_hz()));
    Err(Error::invalid(format!("{effect} low"), Unit::Hz.written(region.low_hz), allowed))
}

fn internal(error: realfft::FftError) -> Error {
    Error::Internal(format!("a transform failed: {error}"))
}

/// How much of a change is heard at a frame of a region of `length`: a raised cosine over `fade` frames at either end.
fn fade_share(frame: usize, length: usize, fade: usize) -> f64 {
    let fade = fade.min(length / 2);
    let from_end = frame.min(length - 1 - frame);
    if from_end >= fade {
        return 1.0;
    }
    0.5 - 0.5 * (std::f64::consts::PI * (from_end as f64 + 0.5) / fade as f64).cos()
}

const fn seconds(name: &'static str, title: &'static str, help: &'static str, initial: f64) -> Parameter {
    let kind =
        ParameterKind::Number { unit: Unit::Seconds, min: 0.0, max: 1e6, default: None, initial, scale: Scale::Linear };
    Parameter { name, title, help, kind }
}

const fn hertz(name: &'static str, title: &'static str, help: &'static str, initial: f64) -> Parameter {
    let kind = ParameterKind::Number {
        unit: Unit::Hz,
        min: 0.0,
        max: 384_000.0,
        default: None,
        initial,
        scale: Scale::Linear,
    };
    Parameter { name, title, help, kind }
}

const FROM: Parameter = seconds("from", "From", "Where the part begins, from the start of the recording.", 0.0);
const TO: Parameter = seconds("to", "To", "Where it ends.", 1.0);
const LOW: Parameter = hertz("low", "Low", "Its lowest frequency; 0 Hz takes all that is below the high edge.", 1000.0);
const HIGH: Parameter = hertz(
    "high",
    "High",
    "Its highest frequency; half the sample rate or more takes all that is above the low edge.",
    4000.0,
);
const FADE: Parameter = Parameter {
    name: "fade",
    title: "Fade",
    help: "How long the change takes to set in and to end, within the part.",
    kind: ParameterKind::Number {
        unit: Unit::Seconds,
        min: 0.0,
        max: 10.0,
        default: Some(0.005),
        initial: 0.005,
        scale: Scale::Linear,
    },
};
