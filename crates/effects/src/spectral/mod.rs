//! Edits of a time and frequency region of a recording. Samples outside the time range do not change.
//!
//! [`segments`] passes the region in pieces to an [`Editor`], which returns them changed: [`band`] scales or keeps a
//! band of frequencies, [`healer`] reconstructs it from its surroundings.

mod band;
mod gain;
mod heal;
mod healer;
mod isolate;
pub(super) mod segments;

pub use heal::LONGEST_S as HEAL_LONGEST_S;

use std::fmt::Debug;
use std::ops::Range;

use super::bounds::{above_nyquist, not_below};
use super::{Arguments, EffectSpec, PLAIN, Parameter, ParameterKind, Scale, Unit};
use base::error::Result;
use base::units::SampleRate;

/// The effects of the family, in listing order.
pub(super) static ALL: &[&EffectSpec] = &[&gain::SPEC, &isolate::SPEC, &heal::SPEC];

/// Changes the pieces of a region.
pub(super) trait Editor: Send + Debug {
    /// Returns the maximum length of a piece in frames, and how many frames it needs before and after it.
    fn reach(&self) -> Reach;

    /// Returns the frames `piece` of `seen` for one channel, changed. The first of them is frame `start` of the stream.
    /// `seen` holds them and their surroundings.
    fn edit(&self, seen: &[f32], piece: Range<usize>, start: i64) -> Result<Vec<f32>>;
}

/// The piece length and context of an [`Editor`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Reach {
    /// The maximum length of a piece in frames.
    pub piece: usize,
    /// Frames needed before it.
    pub before: usize,
    /// Frames needed after it.
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
    /// Reads the region from the arguments of an effect.
    fn new(effect: &str, arguments: &Arguments) -> Result<Self> {
        let number = |name| arguments.checked_number(name);
        let region =
            Self { from_s: number("from")?, to_s: number("to")?, low_hz: number("low")?, high_hz: number("high")? };
        if region.from_s >= region.to_s {
            return Err(not_below(effect, "from", "to", Unit::Seconds, region.to_s));
        }
        if region.low_hz >= region.high_hz {
            return Err(not_below(effect, "low", "high", Unit::Hz, region.high_hz));
        }
        Ok(region)
    }

    /// Returns its frames at this rate, at least one.
    fn frames(&self, rate: SampleRate) -> Range<i64> {
        let start = (self.from_s * rate.as_f64()).round() as i64;
        start..((self.to_s * rate.as_f64()).round() as i64).max(start + 1)
    }
}

/// Checks that the band of a region begins below half the rate.
fn starts_below_nyquist(effect: &str, region: &Region, rate: SampleRate) -> Result<()> {
    if region.low_hz < rate.nyquist_hz() {
        return Ok(());
    }
    Err(above_nyquist(effect, "low", rate))
}

/// Returns the share of a change at a frame of a region of `length` frames: a raised cosine over `fade` frames at
/// either end.
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
    Parameter { name, title, help, kind, ..PLAIN }.to_length(0.0)
}

const fn hertz(name: &'static str, title: &'static str, help: &'static str, initial: f64) -> Parameter {
    let kind =
        ParameterKind::Number { unit: Unit::Hz, min: 0.0, max: 384_000.0, default: None, initial, scale: Scale::Log };
    Parameter { name, title, help, kind, ..PLAIN }.to_nyquist(20.0)
}

const FROM: Parameter = seconds("from", "From", "Start of the region in the recording.", 0.0).rests(0.0, "Beginning");
const TO: Parameter = seconds("to", "To", "End of the region.", 1.0);
const LOW: Parameter = hertz("low", "Low", "Lowest frequency; 0 Hz is open.", 1000.0).rests(0.0, "Open");
const HIGH: Parameter = hertz("high", "High", "Highest frequency; half the sample rate or more is open.", 4000.0);
const FADE: Parameter = Parameter {
    name: "fade",
    title: "Fade",
    help: "Fade in and out of the change, within the region.",
    kind: ParameterKind::Number {
        unit: Unit::Seconds,
        min: 0.0,
        max: 10.0,
        default: Some(0.005),
        initial: 0.005,
        scale: Scale::Log,
    },
    ..PLAIN
}
.travels(0.001, 1.0);
