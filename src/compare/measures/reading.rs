//! What a measure gives: a value or the reason why there is none, for the whole, for each channel and over time.

use rayon::prelude::*;
use serde::Serialize;

use super::spectra::{LEAST_FRAMES, Spectral};
use crate::compare::pair::Pair;
use crate::error::Result;

/// A value, or why there is none.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The value in the measure's unit; infinite for ratios to no difference at all.
    Value(f64),
    /// Why it cannot be had.
    Missing(String),
}

impl Outcome {
    /// Returns a value, or `reason` if it is `NaN`.
    pub(super) fn or_missing(value: f64, reason: &str) -> Self {
        if value.is_nan() { Self::Missing(reason.to_owned()) } else { Self::Value(value) }
    }

    /// Returns the value, if there is one.
    pub fn value(&self) -> Option<f64> {
        match self {
            Self::Value(value) => Some(*value),
            Self::Missing(_) => None,
        }
    }

    /// Returns the value if it can be written as a number, or why not.
    ///
    /// # Errors
    /// The reason, also for an infinite value, which JSON and tables have no number for.
    pub fn number(&self) -> std::result::Result<f64, String> {
        match self {
            Self::Value(value) if value.is_finite() => Ok(*value),
            Self::Value(value) if *value > 0.0 => Err("infinite: the two do not differ here".to_owned()),
            Self::Value(_) => Err("minus infinite: the two have nothing in common here".to_owned()),
            Self::Missing(reason) => Err(reason.clone()),
        }
    }
}

/// A measure over time. Value `k` belongs to the time `start_s + k step_s` of the compared part.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Curve {
    /// The time of the first value, in seconds.
    pub start_s: f64,
    /// The time from one value to the next, in seconds.
    pub step_s: f64,
    /// The values; `None` where there is none, as in silence.
    pub values: Vec<Option<f64>>,
}

/// What a measure gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Over the whole of all channels.
    pub whole: Outcome,
    /// For each channel; empty for measures of all channels together.
    pub channels: Vec<Outcome>,
    /// Over time, as the mean of the channels.
    pub curve: Option<Curve>,
}

impl Reading {
    /// A reading without a value.
    pub fn missing(reason: &str) -> Self {
        Self { whole: Outcome::Missing(reason.to_owned()), channels: Vec::new(), curve: None }
    }

    /// A reading of all channels together.
    pub(super) fn of_whole(whole: Outcome, curve: Option<Curve>) -> Self {
        Self { whole, channels: Vec::new(), curve }
    }

    /// Takes a measure of the spectra of each channel.
    pub(super) fn of_spectra(pair: &Pair, of: fn(&Spectral) -> (f64, Curve)) -> Result<Self> {
        if pair.frames() < LEAST_FRAMES {
            return Ok(Self::missing(&format!("shorter than {LEAST_FRAMES} frames, a window")));
        }
        let (mut outcomes, mut curves) = (Vec::new(), Vec::new());
        for spectral in pair.spectra()? {
            let (value, curve) = of(spectral);
            outcomes.push(Outcome::Value(value));
            curves.push(curve);
        }
        Ok(Self { whole: mean(&outcomes), channels: outcomes, curve: mean_curve(curves) })
    }

    /// Computes each channel and takes the mean.
    pub(super) fn of_channels(
        pair: &Pair,
        one: impl Fn(&[f32], &[f32]) -> Result<(Outcome, Option<Curve>)> + Sync,
    ) -> Result<Self> {
        let channels: Vec<_> = pair.reference.par_iter().zip(&pair.other).map(|(r, o)| one(r, o)).collect();
        let (mut outcomes, mut curves) = (Vec::new(), Vec::new());
        for channel in channels {
            let (outcome, curve) = channel?;
            outcomes.push(outcome);
            curves.extend(curve);
        }
        Ok(Self { whole: mean(&outcomes), channels: outcomes, curve: mean_curve(curves) })
    }
}

fn mean(outcomes: &[Outcome]) -> Outcome {
    let values: Vec<f64> = outcomes.iter().filter_map(Outcome::value).collect();
    let finite: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    match (finite.as_slice(), values.first(), outcomes.first()) {
        ([], Some(&infinite), _) => Outcome::Value(infinite),
        ([], None, Some(missing)) => missing.clone(),
        ([], None, None) => Outcome::Missing("there is no channel".to_owned()),
        (finite, ..) => Outcome::Value(finite.iter().sum::<f64>() / finite.len() as f64),
    }
}

fn mean_curve(curves: Vec<Curve>) -> Option<Curve> {
    let longest = curves.iter().map(|curve| curve.values.len()).max()?;
    let first = curves.first()?;
    let value = |at: usize| {
        let values: Vec<f64> = curves
            .iter()
            .filter_map(|curve| curve.values.get(at).copied().flatten())
            .filter(|v| v.is_finite())
            .collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    Some(Curve { values: (0..longest).map(value).collect(), ..*first })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_without_a_value_do_not_count() {
        let none = || Outcome::Missing("silent".to_owned());
        let value = Outcome::Value;
        assert_eq!(mean(&[value(10.0), none(), value(20.0)]), value(15.0));
        assert_eq!(mean(&[value(f64::INFINITY), value(20.0)]), value(20.0));
        assert_eq!(mean(&[value(f64::INFINITY), none()]), value(f64::INFINITY));
        assert_eq!(mean(&[none()]), none());
        assert!(mean(&[]).value().is_none());
    }

    #[test]
    fn only_numbers_are_written() {
        assert_eq!(Outcome::Value(1.5).number(), Ok(1.5));
        for outcome in [Outcome::Value(f64::INFINITY), Outcome::Value(f64::NEG_INFINITY)] {
            assert!(outcome.number().unwrap_err().contains("infinite"));
        }
    }
}
