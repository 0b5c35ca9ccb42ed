//! The JSON document of comparisons.

use std::path::PathBuf;

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use crate::compare::{Comparison, Curve, Outcome};
use crate::error::Failure;

/// Two files and how they compare.
pub struct Pair {
    pub reference: PathBuf,
    pub other: PathBuf,
    pub result: PairResult,
}

pub enum PairResult {
    Compared(Box<Compared>),
    Failed(Failure),
}

pub struct Compared {
    pub comparison: Comparison,
    /// What the files' readers have to say.
    pub warnings: Vec<String>,
    /// The conditions of `--fail-if` that hold.
    pub failed: Vec<String>,
}

/// The document.
pub struct Pairs<'a> {
    pub pairs: &'a [Pair],
    pub channels: bool,
    pub curves: bool,
    pub alone: &'a [PathBuf],
}

impl Serialize for Pairs<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("pairs", &All(self))?;
        if !self.alone.is_empty() {
            let paths: Vec<_> = self.alone.iter().map(|path| path.to_string_lossy()).collect();
            map.serialize_entry("alone", &paths)?;
        }
        map.end()
    }
}

struct All<'a>(&'a Pairs<'a>);

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
    pair: &'a Pair,
    channels: bool,
    curves: bool,
}

impl Serialize for One<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("reference", &self.pair.reference.to_string_lossy())?;
        map.serialize_entry("other", &self.pair.other.to_string_lossy())?;
        let compared = match &self.pair.result {
            PairResult::Compared(compared) => compared,
            PairResult::Failed(failure) => {
                map.serialize_entry("error", failure)?;
                return map.end();
            }
        };
        let comparison = &compared.comparison;
        map.serialize_entry("alignment", &comparison.alignment)?;
        if !comparison.parts.is_empty() {
            map.serialize_entry("parts", &comparison.parts)?;
        }
        let whole = comparison.readings.iter().map(|(measure, reading)| (measure.name, &reading.whole));
        map.serialize_entry("measures", &Numbers(whole.clone().collect()))?;
        map.serialize_entry("missing", &Reasons(whole.collect()))?;
        if self.channels {
            let count = comparison.readings.iter().map(|(_, reading)| reading.channels.len()).max().unwrap_or(0);
            let channels: Vec<Channel> = (0..count)
                .map(|channel| {
                    let of = comparison
                        .readings
                        .iter()
                        .filter_map(|(measure, reading)| Some((measure.name, reading.channels.get(channel)?)));
                    let curves = comparison
                        .readings
                        .iter()
                        .filter_map(|(measure, reading)| Some((measure.name, reading.channel_curves.get(channel)?)));
                    Channel {
                        measures: Numbers(of.clone().collect()),
                        missing: Reasons(of.collect()),
                        curves: self.curves.then(|| Entries(curves.collect())),
                    }
                })
                .collect();
            map.serialize_entry("channels", &channels)?;
        }
        if self.curves {
            let curves: Vec<_> = comparison
                .readings
                .iter()
                .filter_map(|(measure, reading)| Some((measure.name, reading.curve.as_ref()?)))
                .collect();
            map.serialize_entry("curves", &Entries(curves))?;
        }
        for (key, list) in
            [("notes", &comparison.notes), ("warnings", &compared.warnings), ("failed", &compared.failed)]
        {
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
