//! The JSON document.

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use super::Compared;
use crate::compare::{Curve, Outcome};

/// The document of pairs, to be serialised.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    /// The pairs.
    pub pairs: &'a [Compared<'a>],
    /// Whether the measures of each channel are written.
    pub channels: bool,
    /// Whether curves over time are written, where there are some.
    pub curves: bool,
    /// Files without another version.
    pub alone: &'a [String],
}

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("pairs", &All(self))?;
        if !self.alone.is_empty() {
            map.serialize_entry("alone", self.alone)?;
        }
        map.end()
    }
}

struct All<'a>(&'a Document<'a>);

impl Serialize for All<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut list = to.serialize_seq(Some(self.0.pairs.len()))?;
        for pair in self.0.pairs {
            list.serialize_element(&One { pair, channels: self.0.channels, curves: self.0.curves })?;
        }
        list.end()
    }
}

struct One<'a> {
    pair: &'a Compared<'a>,
    channels: bool,
    curves: bool,
}

impl Serialize for One<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("reference", self.pair.reference)?;
        map.serialize_entry("other", self.pair.other)?;
        let comparison = match self.pair.result {
            Ok(comparison) => comparison,
            Err(failure) => {
                map.serialize_entry("error", failure)?;
                return map.end();
            }
        };
        map.serialize_entry("alignment", &comparison.alignment)?;
        if let Some(gain_db) = comparison.matched_gain_db {
            map.serialize_entry("matched_gain_db", &gain_db)?;
        }
        if !comparison.parts.is_empty() {
            map.serialize_entry("parts", &comparison.parts)?;
        }
        let readings = || comparison.readings.iter().map(|(measure, reading)| (measure.name, reading));
        let whole = || readings().map(|(name, reading)| (name, &reading.whole)).collect();
        map.serialize_entry("measures", &Numbers(whole()))?;
        map.serialize_entry("missing", &Reasons(whole()))?;
        if self.channels {
            let count = readings().map(|(_, reading)| reading.channels.len()).max().unwrap_or(0);
            let channel = |channel: usize| {
                let of = || readings().filter_map(|(name, reading)| Some((name, reading.channels.get(channel)?)));
                let curves =
                    || readings().filter_map(|(name, reading)| Some((name, reading.channel_curves.get(channel)?)));
                Channel {
                    measures: Numbers(of().collect()),
                    missing: Reasons(of().collect()),
                    curves: self.curves.then(|| Entries(curves().collect())),
                }
            };
            map.serialize_entry("channels", &(0..count).map(channel).collect::<Vec<_>>())?;
        }
        if self.curves {
            let curves = readings().filter_map(|(name, reading)| Some((name, reading.curve.as_ref()?)));
            map.serialize_entry("curves", &Entries(curves.collect()))?;
        }
        let Compared { warnings, failed, .. } = *self.pair;
        for (key, list) in [("notes", comparison.notes.as_slice()), ("warnings", warnings), ("failed", failed)] {
            if !list.is_empty() {
                map.serialize_entry(key, list)?;
            }
        }
        map.end()
    }
}

#[derive(Serialize)]
struct Channel<'a> {
    measures: Numbers<'a>,
    missing: Reasons<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    curves: Option<Entries<&'a Curve>>,
}

/// The values that are numbers.
struct Numbers<'a>(Vec<(&'static str, &'a Outcome)>);

impl Serialize for Numbers<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().filter_map(|(name, outcome)| Some((name, outcome.number().ok()?))))
    }
}

/// The reasons of those that are not.
struct Reasons<'a>(Vec<(&'static str, &'a Outcome)>);

impl Serialize for Reasons<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().filter_map(|(name, outcome)| Some((name, outcome.number().err()?))))
    }
}

/// A map in the order of its entries.
struct Entries<T>(Vec<(&'static str, T)>);

impl<T: Serialize> Serialize for Entries<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}
