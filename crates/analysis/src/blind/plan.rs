//! The plan of a session, fixed before the first trial.

use serde::{Deserialize, Serialize};

use super::ranking::Role;
use super::rule::Rule;
use base::declared::TS;
use base::error::{Error, Result};

/// The maximum number of versions in a session.
pub const MAX_VERSIONS: usize = 12;
/// The maximum number of passages in a session.
pub const MAX_PASSAGES: usize = 50;
/// The maximum size of a name or a note in bytes.
const MAX_TEXT: usize = 4096;

/// The plan of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Who listens; may be empty.
    pub listener: String,
    /// A note for the reader of the results: headphones, room, question; may be empty.
    pub note: String,
    /// From which all orders are drawn.
    pub seed: u64,
    /// Whether versions are played at equal loudness.
    pub matched: bool,
    /// The versions.
    pub versions: Vec<Version>,
    /// The version on whose timeline the others lie, a place among them. A ranking hides it among the stimuli.
    pub reference: usize,
    /// The test.
    pub test: Test,
}

/// A version of the recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Version {
    /// Its name in the results.
    pub name: String,
    /// The key of its sound: a session is only resumed with the same sound.
    pub content: String,
    /// The gain at which it is played, in decibels.
    pub gain_db: f64,
}

/// A part of the recording that is heard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct Passage {
    /// Its name in the results.
    pub name: String,
    /// Its beginning, in seconds of the reference.
    pub start_s: f64,
    /// Its end.
    pub end_s: f64,
}

/// The test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[ts(rename = "BlindTest")]
pub enum Test {
    /// Trials in which an unknown X is one of two versions, A or B, and the listener says which (W. Munson and M. Gardner,
    /// JASA 22, 1950).
    Abx {
        /// The version A, a place among the versions.
        a: usize,
        /// The version B.
        b: usize,
        /// The passage that is heard; the listener may repeat any part of it.
        passage: Passage,
        /// When the test ends and is passed.
        rule: Rule,
    },
    /// Scores of all versions beside each other, with a hidden reference and anchors, passage by passage (ITU-R BS.1534-3).
    Ranking {
        /// Whether the reference low-passed at 3.5 kHz is among the stimuli.
        low_anchor: bool,
        /// Whether the reference low-passed at 7 kHz is.
        mid_anchor: bool,
        /// The passages that are heard.
        passages: Vec<Passage>,
    },
}

/// A stimulus of a ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stimulus {
    /// Its role: the reference, a version or an anchor.
    pub role: Role,
    /// The version that is played, or from which the anchor is made.
    pub version: usize,
}

impl Plan {
    /// Checks a plan, which may come from a file.
    pub fn check(&self) -> Result<()> {
        let texts = [("the listener's name", &self.listener), ("the note", &self.note)];
        for (what, text) in
            texts.into_iter().chain(self.versions.iter().map(|version| ("a version's name", &version.name)))
        {
            at_most(what, text.len(), MAX_TEXT, "bytes")?;
        }
        at_most("the versions of a blind test", self.versions.len(), MAX_VERSIONS, "versions")?;
        if self.versions.len() < 2 {
            return Err(invalid("the versions of a blind test", self.versions.len(), "two or more"));
        }
        for version in &self.versions {
            at_most("what a version is known by", version.content.len(), MAX_TEXT, "bytes")?;
            if !(-120.0..=120.0).contains(&version.gain_db) {
                return Err(invalid("the gain of a version", version.gain_db, "-120 dB to 120 dB"));
            }
        }
        self.check_place(self.reference)?;
        match &self.test {
            Test::Abx { a, b, passage, rule } => {
                self.check_place(*a)?;
                self.check_place(*b)?;
                if a == b {
                    return Err(invalid("version B", b, "another version than A"));
                }
                passage.check()?;
                rule.check()
            }
            Test::Ranking { passages, .. } => {
                at_most("the passages of a blind test", passages.len(), MAX_PASSAGES, "passages")?;
                if passages.is_empty() {
                    return Err(invalid("the passages of a blind test", 0, "one or more"));
                }
                passages.iter().try_for_each(Passage::check)
            }
        }
    }

    fn check_place(&self, version: usize) -> Result<()> {
        if version < self.versions.len() {
            return Ok(());
        }
        Err(invalid("the number of a version", version, &format!("0 to {}", self.versions.len() - 1)))
    }

    /// The stimuli of a ranking: the versions in their order, the reference among them, then the anchors. Empty for a test of
    /// A against B.
    pub fn stimuli(&self) -> Vec<Stimulus> {
        let Test::Ranking { low_anchor, mid_anchor, .. } = self.test else { return Vec::new() };
        let reference = self.reference;
        let role = |version| if version == reference { Role::Reference } else { Role::Version };
        let versions = (0..self.versions.len()).map(|version| Stimulus { role: role(version), version });
        let anchors = [(low_anchor, Role::LowAnchor), (mid_anchor, Role::MidAnchor)];
        versions
            .chain(
                anchors
                    .into_iter()
                    .filter(|(wanted, _)| *wanted)
                    .map(|(_, role)| Stimulus { role, version: reference }),
            )
            .collect()
    }

    /// The name of a stimulus in the results.
    pub fn stimulus_name(&self, stimulus: Stimulus) -> String {
        match stimulus.role {
            Role::Reference => format!("{} (hidden reference)", self.versions[stimulus.version].name),
            Role::Version => self.versions[stimulus.version].name.clone(),
            Role::LowAnchor => "Anchor 3.5 kHz".into(),
            Role::MidAnchor => "Anchor 7 kHz".into(),
        }
    }
}

impl Passage {
    fn check(&self) -> Result<()> {
        at_most("a passage's name", self.name.len(), MAX_TEXT, "bytes")?;
        if self.start_s >= 0.0 && self.end_s > self.start_s && self.end_s.is_finite() {
            return Ok(());
        }
        Err(invalid(
            "a passage",
            format!("{} s to {} s", self.start_s, self.end_s),
            "a start of 0 s or later and an end after it",
        ))
    }
}

fn at_most(what: &str, got: usize, limit: usize, unit: &str) -> Result<()> {
    if got <= limit {
        return Ok(());
    }
    Err(Error::Limit { what: what.into(), got: format!("{got} {unit}"), limit: format!("{limit} {unit}") })
}

fn invalid(what: &str, got: impl ToString, allowed: &str) -> Error {
    Error::Invalid { what: what.into(), got: got.to_string(), allowed: allowed.into() }
}
