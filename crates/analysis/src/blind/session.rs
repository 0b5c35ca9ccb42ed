//! A session: a plan, the answers so far, and the file in which both are kept.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::order::{first_is_unknown, shuffled};
use super::outcomes;
use super::plan::{Plan, Stimulus, Test};
use super::ranking::Scores;
use super::rule::Standing;
use base::declared::TS;
use base::error::{Error, Result};
use base::files;

/// The version of the files.
const FORMAT: u32 = 1;
/// The maximum size of a file in bytes.
const MAX_BYTES: u64 = 4 << 20;

/// A session of one listener.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// The version of the file.
    format: u32,
    plan: Plan,
    /// When it was begun, in milliseconds since 1970 (UTC).
    begun_ms: i64,
    /// When the last answer was given.
    changed_ms: i64,
    /// The answers, in the order of the trials.
    answers: Vec<Answer>,
    /// Whether it was ended before its end by the rule: it then has no result.
    given_up: bool,
}

/// An answer to one trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The choice or the scores.
    pub said: Said,
    /// How long the trial took, in seconds.
    pub seconds: f64,
    /// How often the listener switched between what is heard.
    pub switches: u32,
}

/// The choice of a listener between A and B, or the scores in a ranking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// X is A.
    XIsA,
    /// X is B.
    XIsB,
    /// The scores of the stimuli in the order in which they were presented, 0 to 100.
    Scores(Vec<f64>),
}

/// The contents of a trial. The user interface must not show them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trial {
    /// X is A or B.
    Abx {
        /// The trial's number, from 0.
        number: u32,
        /// Whether X is A.
        x_is_a: bool,
    },
    /// Stimuli beside each other.
    Ranking {
        /// The trial's number, from 0.
        number: usize,
        /// The passage, a place in the plan.
        passage: usize,
        /// The stimuli in the order in which they are presented.
        stimuli: Vec<Stimulus>,
    },
}

/// The result of a test of A against B.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AbxResult {
    /// Trials with an answer.
    pub answered: u32,
    /// Right ones.
    pub right: u32,
    /// Where the test stands.
    pub standing: Standing,
    /// The probability with which guessing ends as convincingly; `None` if the test has not ended by its rule.
    pub p_value: Option<f64>,
    /// The share of right answers in the long run, at a confidence of 95 %; `None` as above.
    pub interval: Option<(f64, f64)>,
}

impl Session {
    /// Begins a session.
    pub fn new(plan: Plan, now_ms: i64) -> Result<Self> {
        plan.check()?;
        Ok(Self { format: FORMAT, plan, begun_ms: now_ms, changed_ms: now_ms, answers: Vec::new(), given_up: false })
    }

    /// Reads a session.
    ///
    /// # Errors
    /// [`Error::Malformed`] also for answers that the plan has no room for; [`Error::Unsupported`] for the file of a
    /// later version.
    pub fn load(path: &Path) -> Result<Self> {
        let bytes = files::read(path, "blind test", MAX_BYTES)?;
        let malformed = |reason: String| Error::Malformed { reason, path: path.into() };
        #[derive(Deserialize)]
        struct Head {
            format: u32,
        }
        let head: Head =
            serde_json::from_slice(&bytes).map_err(|error| malformed(format!("This is no blind test: {error}.")))?;
        if head.format > FORMAT {
            return Err(Error::Unsupported {
                what: format!("a blind test of format {}", head.format),
                reason: format!("this version reads formats up to {FORMAT}"),
            });
        }
        let session: Self = serde_json::from_slice(&bytes)
            .map_err(|error| malformed(format!("This blind test cannot be read: {error}.")))?;
        session.plan.check().map_err(|error| malformed(format!("This blind test cannot be read: {error}")))?;
        // The answers are given again one by one, so that a file with impossible answers is refused.
        let mut again = Self { answers: Vec::new(), given_up: false, ..session.clone() };
        for answer in &session.answers {
            again
                .answer(answer.clone(), session.changed_ms)
                .map_err(|error| malformed(format!("This blind test cannot be read: {error}")))?;
        }
        Ok(session)
    }

    /// Writes the session in place of what is in the file. On failure, the file stays as it was.
    pub fn save(&self, path: &Path) -> Result<()> {
        let mut bytes = serde_json::to_vec_pretty(self).map_err(|error| Error::Impossible(error.to_string()))?;
        bytes.push(b'\n');
        files::write(path, true, &bytes)
    }

    /// Returns the plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// When the session was begun and when it was changed last, in milliseconds since 1970.
    pub fn times_ms(&self) -> (i64, i64) {
        (self.begun_ms, self.changed_ms)
    }

    /// The answers so far.
    pub fn answers(&self) -> &[Answer] {
        &self.answers
    }

    /// Whether the listener has given up.
    pub fn given_up(&self) -> bool {
        self.given_up
    }

    /// Whether no answer is left to be given.
    pub fn is_over(&self) -> bool {
        self.next().is_none()
    }

    /// The next trial; `None` if the session is over.
    pub fn next(&self) -> Option<Trial> {
        let open = !self.given_up && self.standing().is_none_or(|standing| standing == Standing::Open);
        if open { self.presented(self.answers.len()) } else { None }
    }

    /// Returns a trial by its number, even one that the test may not reach; `None` beyond the passages of a ranking.
    pub fn presented(&self, number: usize) -> Option<Trial> {
        let Test::Ranking { passages, .. } = &self.plan.test else {
            let number = number as u32;
            return Some(Trial::Abx { number, x_is_a: first_is_unknown(self.plan.seed, number) });
        };
        let stimuli = self.plan.stimuli();
        let order = shuffled(self.plan.seed, 1 + number, stimuli.len());
        Some(Trial::Ranking {
            number,
            passage: *shuffled(self.plan.seed, 0, passages.len()).get(number)?,
            stimuli: order.into_iter().map(|place| stimuli[place]).collect(),
        })
    }

    /// Gives the answer to the next trial.
    ///
    /// # Errors
    /// [`Error::Impossible`] if the session is over or the answer belongs to another kind of test; [`Error::Invalid`]
    /// for another number of scores than of stimuli, or scores outside 0 to 100.
    pub fn answer(&mut self, answer: Answer, now_ms: i64) -> Result<()> {
        let Some(trial) = self.next() else {
            return Err(Error::Impossible("This blind test is over: it takes no more answers.".into()));
        };
        match (&trial, &answer.said) {
            (Trial::Abx { .. }, Said::XIsA | Said::XIsB) => {}
            (Trial::Ranking { stimuli, .. }, Said::Scores(scores)) => {
                let fits = scores.len() == stimuli.len() && scores.iter().all(|score| (0.0..=100.0).contains(score));
                if !fits {
                    return Err(Error::Invalid {
                        what: "the scores".into(),
                        got: format!("{scores:?}"),
                        allowed: format!("{} numbers of 0 to 100", stimuli.len()),
                    });
                }
            }
            _ => return Err(Error::Impossible("This answer belongs to another kind of blind test.".into())),
        }
        if !(answer.seconds >= 0.0 && answer.seconds.is_finite()) {
            return Err(Error::Invalid {
                what: "the time of a trial".into(),
                got: answer.seconds.to_string(),
                allowed: "0 s or more".into(),
            });
        }
        self.answers.push(answer);
        self.changed_ms = now_ms;
        Ok(())
    }

    /// Ends the session before its end. It keeps its answers but has no result, since a listener who stops while ahead
    /// would pass too often.
    pub fn give_up(&mut self, now_ms: i64) {
        if !self.is_over() {
            self.given_up = true;
            self.changed_ms = now_ms;
        }
    }

    /// Returns the result of a test of A against B so far; `None` for a ranking.
    pub fn abx(&self) -> Option<AbxResult> {
        let Test::Abx { rule, .. } = &self.plan.test else { return None };
        let (answered, right) = self.counts();
        Some(AbxResult {
            answered,
            right,
            standing: rule.standing(answered, right),
            p_value: outcomes::p_value(rule, answered, right),
            interval: outcomes::interval(rule, answered, right),
        })
    }

    /// Where a test of A against B stands; `None` for a ranking.
    pub fn standing(&self) -> Option<Standing> {
        let Test::Abx { rule, .. } = &self.plan.test else { return None };
        let (answered, right) = self.counts();
        Some(rule.standing(answered, right))
    }

    /// The answers and the right ones among them.
    fn counts(&self) -> (u32, u32) {
        let answered = self.answers.len() as u32;
        (answered, (0..answered).filter(|&trial| self.is_right(trial)).count() as u32)
    }

    /// Whether the answer to a trial of A against B is right.
    pub fn is_right(&self, trial: u32) -> bool {
        let x_is_a = first_is_unknown(self.plan.seed, trial);
        self.answers
            .get(trial as usize)
            .is_some_and(|answer| answer.said == if x_is_a { Said::XIsA } else { Said::XIsB })
    }

    /// The scores of a ranking: passages, in the order in which they were heard, of stimuli in the plan's order. Empty for a
    /// test of A against B.
    pub fn scores(&self) -> Scores {
        let stimuli = self.plan.stimuli();
        let row = |(number, answer): (usize, &Answer)| {
            let Said::Scores(given) = &answer.said else { return None };
            let mut row = vec![0.0; stimuli.len()];
            for (&place, &score) in shuffled(self.plan.seed, 1 + number, stimuli.len()).iter().zip(given) {
                row[place] = score;
            }
            Some(row)
        };
        Scores {
            listener: self.plan.listener.clone(),
            passages: self.answers.iter().enumerate().filter_map(row).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
