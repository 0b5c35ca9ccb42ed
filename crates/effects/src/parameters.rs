//! Definitions of effect parameters, and values checked against them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::When;
use base::declared::TS;
use base::error::{Error, Result};

/// The unit of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// No unit: an order, a Q.
    None,
    /// Hertz; `kHz` is accepted.
    Hz,
    /// Decibels.
    #[serde(rename = "dB")]
    Db,
    /// Seconds; `ms` is accepted.
    Seconds,
    /// A share, written in per cent and stored as 0..=1.
    Percent,
    /// Kilobits per second, written `kbps` in text.
    Kbps,
}

/// How the travel of a control maps to values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Equal steps.
    Linear,
    /// Equal ratios.
    Log,
    /// Integers.
    Integer,
    /// The number of one of several, such as a channel. Such a control counts up and down and has no travel.
    Index,
}

impl Scale {
    /// Returns whether the values are whole numbers.
    pub fn is_whole(self) -> bool {
        matches!(self, Self::Integer | Self::Index)
    }
}

/// The everyday values of a number, over which its control travels. Values beyond, within the parameter's bounds, can
/// be typed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, TS)]
pub struct Travel {
    /// The first value.
    pub from: f64,
    /// The last value.
    pub to: TravelEnd,
}

impl Travel {
    /// Returns its last value for a recording of this rate and length.
    pub fn end(self, nyquist_hz: f64, seconds: f64) -> f64 {
        match self.to {
            TravelEnd::Value(value) => value,
            TravelEnd::Nyquist => nyquist_hz,
            TravelEnd::Length | TravelEnd::Selection => seconds,
        }
    }
}

/// The last value of a [`Travel`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, TS)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
pub enum TravelEnd {
    /// A value.
    Value(f64),
    /// Half the sample rate.
    Nyquist,
    /// The length of the recording.
    Length,
    /// The length of the selection, or of the recording without one.
    Selection,
}

/// A value at which a parameter does nothing or is chosen automatically. Front ends show its word; text accepts the word
/// in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, TS)]
pub struct Rest {
    /// The value.
    pub value: f64,
    /// The word: "Off".
    pub word: &'static str,
}

/// A unit that also sets a choice: a target in LUFS is a loudness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
pub struct UnitChoice {
    /// The unit.
    pub unit: &'static str,
    /// The parameter that is the choice.
    pub choice: &'static str,
    /// The word that the unit sets it to.
    pub word: &'static str,
}

/// One parameter of an effect.
#[derive(Clone, Copy, Debug, Serialize, TS)]
#[ts(rename = "ParameterView")]
pub struct Parameter {
    /// The name in the notation: `cutoff`.
    pub name: &'static str,
    /// The display name: "Cutoff".
    pub title: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// The values of other parameters with which it has an effect, any of them; empty if it always has.
    #[serde(rename = "used_with")]
    #[ts(inline)]
    pub used_when: &'static [When],
    /// The everyday values of a number; `None` for all that it accepts.
    #[ts(inline)]
    pub travel: Option<Travel>,
    /// The value at which a number does nothing or is chosen automatically, if it has one.
    pub rest: Option<Rest>,
    /// The units that also set a choice.
    pub units: &'static [UnitChoice],
    /// The values it accepts.
    #[serde(rename = "control")]
    pub kind: ParameterKind,
}

/// A parameter without a name, from which others take what they do not set.
pub(super) const PLAIN: Parameter = Parameter {
    name: "",
    title: "",
    help: "",
    used_when: &[],
    travel: None,
    rest: None,
    units: &[],
    kind: ParameterKind::File { optional: true, folder: false },
};

/// Variations of a definition.
impl Parameter {
    /// Sets the conditions under which it has an effect.
    pub(super) const fn used_when(self, used_when: &'static [When]) -> Self {
        Self { used_when, ..self }
    }

    /// Sets its everyday values.
    pub(super) const fn travels(self, from: f64, to: f64) -> Self {
        Self { travel: Some(Travel { from, to: TravelEnd::Value(to) }), ..self }
    }

    /// Sets its everyday values: from a frequency to half the sample rate.
    pub(super) const fn to_nyquist(self, from_hz: f64) -> Self {
        Self { travel: Some(Travel { from: from_hz, to: TravelEnd::Nyquist }), ..self }
    }

    /// Sets its everyday values: from a time to the length of the recording.
    pub(super) const fn to_length(self, from_s: f64) -> Self {
        Self { travel: Some(Travel { from: from_s, to: TravelEnd::Length }), ..self }
    }

    /// Sets its everyday values: from a time to the length of the selection, or of the recording without one.
    pub(super) const fn to_selection(self, from_s: f64) -> Self {
        Self { travel: Some(Travel { from: from_s, to: TravelEnd::Selection }), ..self }
    }

    /// Sets the value at which it does nothing or is chosen automatically.
    pub(super) const fn rests(self, value: f64, word: &'static str) -> Self {
        Self { rest: Some(Rest { value, word }), ..self }
    }

    /// Sets the curve of its control.
    pub(super) const fn on(self, curve: Scale) -> Self {
        let kind = match self.kind {
            ParameterKind::Number { unit, min, max, default, initial, .. } => {
                ParameterKind::Number { unit, min, max, default, initial, scale: curve }
            }
            ParameterKind::NumberOrNote { unit, min, max, default, initial, .. } => {
                ParameterKind::NumberOrNote { unit, min, max, default, initial, scale: curve }
            }
            other => other,
        };
        Self { kind, ..self }
    }
}

/// The values that a parameter accepts. The window draws a control for each kind; what applies to text alone is left out
/// there.
#[derive(Clone, Copy, Debug, Serialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[ts(rename = "ControlView")]
pub enum ParameterKind {
    /// A number from `min` to `max`.
    Number {
        /// Its unit.
        unit: Unit,
        /// The minimum.
        min: f64,
        /// The maximum.
        max: f64,
        /// The value if the argument is omitted. `None` if text must give it; the window then starts with `initial`.
        #[serde(skip)]
        default: Option<f64>,
        /// The value of a newly added effect in the window.
        initial: f64,
        /// The control's scale.
        scale: Scale,
    },
    /// A number like [`ParameterKind::Number`], or a note: `1/8`, dotted `1/8d`, triplet `1/8t`. The effect's `bpm`
    /// turns a note into a time in seconds or a rate in Hz.
    #[allow(missing_docs, reason = "as in Number")]
    NumberOrNote {
        unit: Unit,
        min: f64,
        max: f64,
        #[serde(skip)]
        default: Option<f64>,
        initial: f64,
        scale: Scale,
    },
    /// One of several words.
    Choice {
        /// The words, as in the notation.
        options: &'static [&'static str],
        /// The word if the argument is omitted.
        #[serde(rename = "initial")]
        default: &'static str,
    },
    /// A file, written as a quoted string; an empty string means no file.
    File {
        /// Whether text may omit it. In the window it is initially empty in either case, for the user to choose.
        #[serde(skip)]
        optional: bool,
        /// Whether a folder may be chosen in its place.
        folder: bool,
    },
}

/// A value of a parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(untagged)]
pub enum Value {
    /// A number in the unit of its parameter (Hz, dB, seconds; a share as 0..=1).
    Number(f64),
    /// A word, a note or a file.
    Text(String),
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<i32> for Value {
    fn from(number: i32) -> Self {
        Self::Number(number.into())
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// The complete, checked arguments of an effect, including defaults.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Arguments(BTreeMap<String, Value>);

base::declared_as!(Arguments, BTreeMap<String, Value>);

impl Arguments {
    /// Returns the number of a checked argument, for building an effect.
    pub(crate) fn checked_number(&self, name: &str) -> Result<f64> {
        self.number(name).ok_or_else(|| Error::Internal(format!("an effect was built without its number `{name}`")))
    }

    /// Returns the text of a checked argument, for building an effect.
    pub(crate) fn checked_text(&self, name: &str) -> Result<&str> {
        self.text(name).ok_or_else(|| Error::Internal(format!("an effect was built without its word `{name}`")))
    }

    /// Returns the value of `name`.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Returns the number given for `name`.
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.0.get(name) {
            Some(Value::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// Returns the text given for `name`.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.0.get(name) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Sets a value without checking it.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    /// Iterates over all values by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}
