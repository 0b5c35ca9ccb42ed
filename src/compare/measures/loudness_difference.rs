//! Difference of the integrated loudness.

use super::reading::Curve;
use super::{Direction, Measure, Outcome, Reading};
use crate::audio::AudioFormat;
use crate::error::{Error, Result};
use crate::measure::loudness::{Blocks, LoudnessCurve, POINTS_PER_S};
use crate::units::SampleRate;

pub(super) const SPEC: Measure = Measure {
    name: "loudness_difference",
    unit: "LU",
    direction: Direction::NearZero,
    range: "any; positive if the other is louder",
    definition: "integrated loudness of the other less the reference's, over all channels; over time, momentary loudness",
    source: "ITU-R BS.1770-4, EBU R 128",
    decimals: 2,
    needs_alignment: false,
    compute: |pair, _| {
        let curves = [&pair.reference, &pair.other].map(|channels| curve(pair.rate, channels));
        let [reference, other] = match curves {
            [Ok(reference), Ok(other)] => [reference, other],
            [Err(Error::Unsupported { reason, .. }), _] | [_, Err(Error::Unsupported { reason, .. })] => {
                return Ok(Reading::missing(&reason));
            }
            [Err(error), _] | [_, Err(error)] => return Err(error),
        };
        let whole = match (reference.summary().integrated, other.summary().integrated) {
            (Some(reference), Some(other)) => Outcome::Value(other - reference),
            (None, _) => Outcome::Missing("the reference is silent, or shorter than 0.4 s".to_owned()),
            (_, None) => Outcome::Missing("the other is silent, or shorter than 0.4 s".to_owned()),
        };
        let values = reference
            .momentary()
            .iter()
            .zip(other.momentary())
            .map(|(r, o)| Some(f64::from(*o) - f64::from(*r)).filter(|difference| difference.is_finite()))
            .collect();
        let step_s = 1.0 / POINTS_PER_S as f64;
        Ok(Reading::of_whole(whole, Some(Curve { start_s: step_s, step_s, values })))
    },
};

fn curve(rate: SampleRate, channels: &[Vec<f32>]) -> Result<LoudnessCurve> {
    let (mut blocks, mut curve) =
        (Blocks::new(AudioFormat { rate, channels: channels.len() })?, LoudnessCurve::default());
    let planes: Vec<&[f32]> = channels.iter().map(Vec::as_slice).collect();
    blocks.add(&planes, |energy| curve.push(energy))?;
    Ok(curve)
}
