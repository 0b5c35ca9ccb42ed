//! The result of a measure: a value or the reason why there is none, for the whole, for each channel and over time.

use rayon::prelude::*;

use super::curve::{Curve, Point, mean_curve};
use super::spectra::{LEAST_FRAMES, Spectral};
use crate::compare::pair::Pair;
use base::error::Result;

/// Why a ratio to no difference at all is no number.
pub(super) const INFINITE: &str = "infinite: the two do not differ here";

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

    /// Returns a value, or its reason.
    pub(super) fn of(point: Point) -> Self {
        match point {
            Ok(value) => Self::or_missing(value, "not a number"),
            Err(reason) => Self::Missing(reason.to_owned()),
        }
    }

    /// Returns the value, if there is one.
    pub fn value(&self) -> Option<f64> {
        match self {
            Self::Value(value) => Some(*value),
            Self::Missing(_) => None,
        }
    }

    /// Returns the value, or the reason why it cannot be written as a number. JSON and tables have no number for an
    /// infinite value.
    pub fn number(&self) -> std::result::Result<f64, String> {
        match self {
            Self::Value(value) if value.is_finite() => Ok(*value),
            Self::Value(value) if *value > 0.0 => Err(INFINITE.to_owned()),
            Self::Value(_) => Err("minus infinite: the two have nothing in common here".to_owned()),
            Self::Missing(reason) => Err(reason.clone()),
        }
    }
}

/// The result of a measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Over the whole of all channels.
    pub whole: Outcome,
    /// For each channel; empty for measures of all channels together.
    pub channels: Vec<Outcome>,
    /// Over time, as the mean of the channels, if asked for and if the measure makes sense over time.
    pub curve: Option<Curve>,
    /// The curve of each channel; empty for measures of all channels together.
    pub channel_curves: Vec<Curve>,
}

impl Reading {
    /// A reading without a value.
    pub fn missing(reason: &str) -> Self {
        Self {
            whole: Outcome::Missing(reason.to_owned()),
            channels: Vec::new(),
            curve: None,
            channel_curves: Vec::new(),
        }
    }

    /// A reading of all channels together.
    pub(in crate::compare) fn of_whole(whole: Outcome, curve: Option<Curve>) -> Self {
        Self { whole, channels: Vec::new(), curve, channel_curves: Vec::new() }
    }

    /// Takes a measure of the spectra of each channel.
    pub(super) fn of_spectra(
        pair: &Pair,
        curves: bool,
        of: fn(&Spectral) -> Vec<f64>,
        whole: fn(&Spectral) -> f64,
    ) -> Result<Self> {
        if pair.frames() < LEAST_FRAMES {
            return Ok(Self::missing(&format!("shorter than {LEAST_FRAMES} frames, a window")));
        }
        let spectra = pair.spectra()?;
        let one = |spectral: &Spectral| (Outcome::Value(whole(spectral)), curves.then(|| spectral.curve(of(spectral))));
        Ok(Self::of_each(spectra.iter().map(one)))
    }

    /// Computes each channel and takes the mean.
    pub(super) fn of_channels(
        pair: &Pair,
        one: impl Fn(&[f32], &[f32]) -> Result<(Outcome, Option<Curve>)> + Sync,
    ) -> Result<Self> {
        let channels: Vec<_> = pair.reference.par_iter().zip(&pair.other).map(|(r, o)| one(r, o)).collect();
        Ok(Self::of_each(channels.into_iter().collect::<Result<Vec<_>>>()?))
    }

    /// Takes the mean of the channels' results.
    pub(super) fn of_each(channels: impl IntoIterator<Item = (Outcome, Option<Curve>)>) -> Self {
        let (channels, curves): (Vec<Outcome>, Vec<Option<Curve>>) = channels.into_iter().unzip();
        // A channel without a value keeps its place.
        let like = curves.iter().flatten().next().cloned();
        let nothing = |like: &Curve, outcome: &Outcome| like.nothing(outcome.number().err().unwrap_or_default());
        let channel_curves: Vec<Curve> = curves
            .into_iter()
            .zip(&channels)
            .filter_map(|(curve, outcome)| curve.or_else(|| Some(nothing(like.as_ref()?, outcome))))
            .collect();
        Self { whole: mean(&channels), channels, curve: mean_curve(&channel_curves), channel_curves }
    }

    /// Returns the same, with the curves on the time of the whole reference.
    pub(super) fn placed(self, pair: &Pair) -> Self {
        let place = |curve: Curve| curve.placed(&pair.stretches, pair.rate.as_f64());
        Self {
            curve: self.curve.map(place),
            channel_curves: self.channel_curves.into_iter().map(place).collect(),
            ..self
        }
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
