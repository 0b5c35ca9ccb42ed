//! When a forced-choice test ends, and when it is passed: chosen before the first trial.

use serde::{Deserialize, Serialize};

use base::declared::TS;
use base::error::{Error, Result};

/// The maximum number of trials of a test.
pub const MAX_TRIALS: u32 = 500;

/// The rule by which a test of trials with two answers ends. Its level is the probability with which somebody who only
/// guesses may pass at most.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Rule {
    /// All trials are made. The test is passed if guessing would give as many right answers with a probability of at most
    /// `level`.
    Fixed {
        /// The number of trials.
        trials: u32,
        /// The level, 0.0001 to 0.5.
        level: f64,
    },
    /// The sequential probability ratio test (A. Wald, "Sequential tests of statistical hypotheses", Annals of
    /// Mathematical Statistics 16, 1945): it ends as soon as the answers tell a listener who is right in `ability` of all
    /// trials from one who guesses. It is passed where the ratio of both likelihoods reaches 1 / `level`, and not passed
    /// where it falls to `miss`. After `most` trials it ends without being passed.
    Sequential {
        /// The level, 0.0001 to 0.5.
        level: f64,
        /// The probability with which a listener of this ability may fail at most, apart from the limit of trials: 0.0001
        /// to 0.5.
        miss: f64,
        /// The share of right answers that is looked for: 0.55 to 0.99.
        ability: f64,
        /// The most trials.
        most: u32,
    },
}

/// Where a test stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// More trials are to be made.
    Open,
    /// The test has ended and is passed: this was not guessing.
    Passed,
    /// The test has ended and is not passed. That does not show that there is no difference.
    NotPassed,
}

impl Rule {
    /// Checks the numbers.
    ///
    /// # Errors
    /// [`Error::Invalid`] also for a rule that not even right answers alone can pass.
    pub fn check(&self) -> Result<()> {
        let within = |what: &str, value: f64, (low, high): (f64, f64)| {
            if (low..=high).contains(&value) {
                return Ok(());
            }
            Err(Error::Invalid { what: what.into(), got: value.to_string(), allowed: format!("{low} to {high}") })
        };
        within("the level of a blind test", self.level(), (0.0001, 0.5))?;
        if let Self::Sequential { miss, ability, .. } = *self {
            within("the probability of a miss", miss, (0.0001, 0.5))?;
            within("the ability that a blind test looks for", ability, (0.55, 0.99))?;
        }
        let most = self.most();
        let least = (1..=MAX_TRIALS).find(|&trials| self.with_trials(trials).can_be_passed());
        let Some(least) = least.filter(|_| most <= MAX_TRIALS && self.can_be_passed()) else {
            return Err(Error::Invalid {
                what: "the number of trials".into(),
                got: most.to_string(),
                allowed: format!("{} to {MAX_TRIALS} at this level", least.unwrap_or(MAX_TRIALS)),
            });
        };
        debug_assert!(least <= most, "a rule that can be passed has trials enough");
        Ok(())
    }

    /// The level.
    pub fn level(&self) -> f64 {
        match *self {
            Self::Fixed { level, .. } | Self::Sequential { level, .. } => level,
        }
    }

    /// The most trials that can be made.
    pub fn most(&self) -> u32 {
        match *self {
            Self::Fixed { trials, .. } => trials,
            Self::Sequential { most, .. } => most,
        }
    }

    /// Where a test stands after `answered` trials, `right` of them with the right answer.
    pub fn standing(&self, answered: u32, right: u32) -> Standing {
        match *self {
            Self::Fixed { trials, .. } if answered < trials => Standing::Open,
            Self::Fixed { trials, level } if tail(trials, right) <= level => Standing::Passed,
            Self::Fixed { .. } => Standing::NotPassed,
            Self::Sequential { level, miss, ability, most } => {
                let wrong = f64::from(answered - right);
                let ratio = f64::from(right) * (2.0 * ability).ln() + wrong * (2.0 - 2.0 * ability).ln();
                if ratio >= -level.ln() {
                    Standing::Passed
                } else if ratio <= miss.ln() || answered >= most {
                    Standing::NotPassed
                } else {
                    Standing::Open
                }
            }
        }
    }

    /// Whether a listener who is always right passes.
    fn can_be_passed(&self) -> bool {
        (1..=self.most()).any(|answered| self.standing(answered, answered) == Standing::Passed)
    }

    fn with_trials(self, count: u32) -> Self {
        match self {
            Self::Fixed { level, .. } => Self::Fixed { trials: count, level },
            Self::Sequential { level, miss, ability, .. } => Self::Sequential { level, miss, ability, most: count },
        }
    }
}

/// The probability with which guessing gives at least `right` right answers in `trials`.
fn tail(trials: u32, right: u32) -> f64 {
    // C(n, k) / 2^n, begun at the end that is asked for: the small ones are added first, exactly enough for any test.
    let mut term = 0.5_f64.powi(trials as i32);
    let mut sum = 0.0;
    for count in (right..=trials).rev() {
        sum += term;
        term *= f64::from(count) / f64::from(trials - count + 1);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(trials: u32) -> Rule {
        Rule::Fixed { trials, level: 0.05 }
    }

    #[test]
    fn the_right_answers_that_pass_are_those_of_the_binomial_table() {
        for (trials, least) in [(5, 5), (8, 7), (10, 9), (16, 12), (20, 15), (25, 18), (50, 32), (100, 59)] {
            let standing = |right| fixed(trials).standing(trials, right);
            assert_eq!(standing(least), Standing::Passed, "{least} of {trials}");
            assert_eq!(standing(least - 1), Standing::NotPassed, "{} of {trials}", least - 1);
            assert_eq!(fixed(trials).standing(trials - 1, trials - 1), Standing::Open);
        }
    }

    #[test]
    fn four_trials_cannot_be_passed_at_a_level_of_five_percent() {
        let error = fixed(4).check().unwrap_err().to_string();
        assert!(error.contains("5 to 500"), "{error}");
        assert!(fixed(5).check().is_ok());
        assert!(fixed(MAX_TRIALS + 1).check().is_err());
        assert!(fixed(0).check().is_err());
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        for level in [0.0, -1.0, f64::NAN, 0.6] {
            assert!(Rule::Fixed { trials: 16, level }.check().is_err(), "{level}");
        }
        let sequential = |miss, ability, most| Rule::Sequential { level: 0.05, miss, ability, most }.check();
        assert!(sequential(0.05, 0.75, 100).is_ok());
        assert!(sequential(0.05, 0.5, 100).is_err());
        assert!(sequential(0.0, 0.75, 100).is_err());
        assert!(sequential(0.05, 0.75, 3).is_err());
    }

    #[test]
    fn a_sequential_test_ends_where_the_answers_are_clear() {
        let rule = Rule::Sequential { level: 0.05, miss: 0.05, ability: 0.9, most: 100 };
        // ln 20 / ln 1.8 = 5.1
        assert_eq!(rule.standing(5, 5), Standing::Open);
        assert_eq!(rule.standing(6, 6), Standing::Passed);
        // ln 0.05 / ln 0.2 = 1.9
        assert_eq!(rule.standing(1, 0), Standing::Open);
        assert_eq!(rule.standing(2, 0), Standing::NotPassed);
    }
}
