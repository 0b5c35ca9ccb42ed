//! Conditions on measures, such as `si_sdr<20`, by which a comparison fails.

use std::str::FromStr;

use super::measures::{MEASURES, Measure, Outcome, measure_among};
use base::error::{Error, Result};

/// How a value is compared with a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `<`
    Below,
    /// `<=`
    AtMost,
    /// `>`
    Above,
    /// `>=`
    AtLeast,
}

/// A condition under which a comparison fails: a measure, a relation and a limit.
#[derive(Clone, Debug)]
pub struct Threshold {
    /// The measure.
    pub measure: &'static Measure,
    /// The relation.
    pub relation: Relation,
    /// The limit, in the measure's unit.
    pub limit: f64,
    text: String,
}

impl Threshold {
    /// Returns whether a comparison with this outcome fails. A measure that could not be computed fails too: a test
    /// must not pass because nothing was measured.
    pub fn fails(&self, outcome: &Outcome) -> bool {
        let Outcome::Value(value) = outcome else { return true };
        match self.relation {
            Relation::Below => *value < self.limit,
            Relation::AtMost => *value <= self.limit,
            Relation::Above => *value > self.limit,
            Relation::AtLeast => *value >= self.limit,
        }
    }

    /// Returns the condition as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl FromStr for Threshold {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::among(&MEASURES, text)
    }
}

impl Threshold {
    /// Reads a condition on one of `measures`.
    pub fn among(measures: &'static [Measure], text: &str) -> Result<Self> {
        let allowed = "a measure, <, <=, > or >=, and a number, such as si_sdr<20";
        let wrong = || Error::invalid("condition", text, allowed);
        let at = text.find(['<', '>']).ok_or_else(wrong)?;
        let (name, rest) = text.split_at(at);
        let (relation, number) = match (rest.strip_prefix("<="), rest.strip_prefix(">="), rest.strip_prefix('<')) {
            (Some(number), ..) => (Relation::AtMost, number),
            (_, Some(number), _) => (Relation::AtLeast, number),
            (.., Some(number)) => (Relation::Below, number),
            _ => (Relation::Above, &rest[1..]),
        };
        let limit: f64 = number.trim().parse().map_err(|_| wrong())?;
        if limit.is_nan() {
            return Err(wrong());
        }
        Ok(Self { measure: measure_among(measures, name.trim())?, relation, limit, text: text.trim().to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read_and_kept() {
        for (text, value, fails) in [
            ("si_sdr<20", 19.9, true),
            ("si_sdr < 20", 20.0, false),
            ("si_sdr<=20", 20.0, true),
            ("l1>0.01", 0.02, true),
            ("l1>=0.01", 0.009, false),
            ("snr<30", f64::INFINITY, false),
        ] {
            let threshold: Threshold = text.parse().unwrap();
            assert_eq!(threshold.fails(&Outcome::Value(value)), fails, "{text} {value}");
            assert!(threshold.fails(&Outcome::Missing("silence".to_owned())), "{text}");
        }
    }

    #[test]
    fn what_is_no_condition_is_refused() {
        for text in ["", "si_sdr", "si_sdr=20", "loud<2", "si_sdr<x", "si_sdr<", "<20", "si_sdr<nan"] {
            assert!(text.parse::<Threshold>().is_err(), "{text}");
        }
    }
}
