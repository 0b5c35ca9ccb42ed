//! Blind tests of versions of a recording. None of these types reveals which version is presented.

use serde::{Deserialize, Serialize};

use crate::blind::Standing;
use base::declared::TS;

/// A sound of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum BlindSound {
    /// The version A.
    A,
    /// The version B.
    B,
    /// The unknown sound: A or B.
    X,
    /// The reference, in a ranking.
    Reference,
    /// A stimulus of a ranking.
    Stimulus {
        /// Its place in the order presented.
        place: usize,
    },
}

/// The odds that a rule gives guessers and listeners.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, TS)]
pub struct BlindOdds {
    /// The probability with which a guesser passes.
    pub guesser_passes: f64,
    /// The share of right answers for which the power is given.
    pub ability: f64,
    /// The probability with which a listener of this ability passes.
    pub power: f64,
    /// The mean number of trials of such a listener.
    pub expected_trials: f64,
    /// The fewest right answers that pass a test of a fixed number of trials; null for a sequential one.
    pub least_right: Option<u32>,
}

/// Blind tests.
#[derive(Clone, Debug, Serialize, TS)]
pub struct BlindView {
    /// The running test; null if there is none.
    pub trial: Option<BlindTrial>,
    /// All sessions, last changed first.
    pub sessions: Vec<BlindSession>,
}

/// The trial that waits for an answer.
#[derive(Clone, Debug, Serialize, TS)]
pub struct BlindTrial {
    /// The session.
    pub session: String,
    /// The names of A and B; null in a ranking.
    pub names: Option<(String, String)>,
    /// The number of stimuli of a ranking; 0 for A against B.
    pub stimuli: usize,
    /// The number of answered trials.
    pub answered: usize,
    /// The number of trials, or their maximum if the test may end earlier.
    pub most: usize,
    /// Whether the test may end earlier.
    pub may_end_early: bool,
    /// The passage.
    pub passage: String,
    /// Its beginning and end in frames of the timeline.
    pub passage_frames: (u64, u64),
    /// The sound that is played, or will be when playback starts.
    pub heard: BlindSound,
}

/// A session in the list.
#[derive(Clone, Debug, Serialize, TS)]
pub struct BlindSession {
    /// Its handle.
    pub id: String,
    /// Whether it is a ranking rather than a test of A against B.
    pub ranking: bool,
    /// The names of the tested versions.
    pub names: Vec<String>,
    /// Who listens; may be empty.
    pub listener: String,
    /// When the last answer was given, in milliseconds since 1970.
    pub changed_ms: i64,
    /// The number of answered trials.
    pub answered: usize,
    /// The number of trials, or their maximum if the test may end earlier.
    pub most: usize,
    /// Whether the listener ended it early.
    pub given_up: bool,
    /// Whether it takes no more answers, so that its results can be read.
    pub over: bool,
    /// How a test of A against B ended; null for a ranking, and while it is open.
    pub standing: Option<Standing>,
    /// Why it cannot be read; nothing else is known about it then.
    pub failure: Option<String>,
}

/// A format of exported results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum BlindFormat {
    Markdown,
    Csv,
    Json,
}
