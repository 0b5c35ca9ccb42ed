//! Parameters of effects: their one definition, and values checked against it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::error::{Error, Result};

/// The unit of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// None: an order, a Q.
    None,
    /// Hertz; `kHz` is understood.
    Hz,
    /// Decibels.
    #[serde(rename = "dB")]
    Db,
    /// Seconds; `ms` is understood.
    Seconds,
    /// A share, written in per cent and kept as 0..1.
    Percent,
}

/// How a control maps its travel to values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Even steps.
    Linear,
    /// Even ratios.
    Log,
    /// Whole numbers.
    Integer,
}

/// One parameter of an effect.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The name in the notation: `cutoff`.
    pub name: &'static str,
    /// The name for people: "Cutoff".
    pub title: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// What values it takes.
    pub kind: ParameterKind,
}

/// What values a parameter takes.
#[derive(Clone, Copy, Debug)]
pub enum ParameterKind {
    /// A number from `min` to `max`.
    Number {
        /// Its unit.
        unit: Unit,
        /// The least allowed.
        min: f64,
        /// The most allowed.
        max: f64,
        /// The value when none is given; without one the argument must be given in text, and `initial` is what the
        /// window starts with.
        default: Option<f64>,
        /// What a newly added effect starts with in the window.
        initial: f64,
        /// The control's scale.
        scale: Scale,
    },
    /// A number as [`ParameterKind::Number`], or a note of which the effect's `bpm` makes a time (in seconds) or a rate (in
    /// hertz): `1/8`, dotted `1/8d`, triplet `1/8t`.
    #[allow(missing_docs, reason = "as in Number")]
    NumberOrNote { unit: Unit, min: f64, max: f64, default: Option<f64>, initial: f64, scale: Scale },
    /// One of some words.
    Choice {
        /// The words, as in the notation.
        options: &'static [&'static str],
        /// The one when none is given.
        default: &'static str,
    },
    /// A file, written as a quoted string; an empty one is none.
    File {
        /// Whether text may leave it out. The window starts with none either way, for the user to choose.
        optional: bool,
    },
}

/// A value of a parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(untagged)]
pub enum Value {
    /// A number in its parameter's unit (hertz, decibels, seconds; a share as 0..1).
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

/// The arguments of an effect, complete and checked: every parameter that has a default is there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(transparent)]
#[ts(type = "Record<string, number | string>")]
pub struct Arguments(BTreeMap<String, Value>);

impl Arguments {
    /// The number of a checked argument, for an effect that builds itself.
    pub(crate) fn checked_number(&self, name: &str) -> Result<f64> {
        self.number(name).ok_or_else(|| Error::Internal(format!("an effect was built without its number `{name}`")))
    }

    /// The word of a checked argument, for an effect that builds itself.
    pub(crate) fn checked_text(&self, name: &str) -> Result<&str> {
        self.text(name).ok_or_else(|| Error::Internal(format!("an effect was built without its word `{name}`")))
    }

    /// What is set for `name`.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// The number given for `name`.
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.0.get(name) {
            Some(Value::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// The word or file given for `name`.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.0.get(name) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Sets a value, unchecked.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    /// All that is set, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}
