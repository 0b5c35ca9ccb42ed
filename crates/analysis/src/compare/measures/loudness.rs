//! Differences of the integrated loudness and of the loudness range.

use super::curve::Curve;
use super::frame_ratios::{SILENT_OTHER, SILENT_REFERENCE};
use super::{Direction, Measure, Outcome, OverTime, Reading};
use crate::compare::pair::Pair;
use audio::AudioFormat;
use base::error::{Error, Result};
use dsp::measure::loudness::{Blocks, LoudnessCurve, POINTS_PER_S};

pub(super) const INTEGRATED: Measure = Measure {
    name: "loudness_difference",
    title: "Loudness difference",
    unit: "LU",
    direction: Direction::NearZero,
    range: "any; positive if the other is louder",
    definition: "integrated loudness of the other less the reference's, over all channels",
    source: "ITU-R BS.1770-4, EBU R 128",
    decimals: 2,
    needs_alignment: false,
    over_time: Some(OverTime { unit: "LU", definition: "of the momentary loudness, at the middle of its 0.4 s" }),
    compute: |pair, curves, _| {
        let over_time = |r: &LoudnessCurve, o: &LoudnessCurve| over_time([r.momentary(), o.momentary()]);
        measured(pair, "0.4 s", |curve| curve.summary().integrated, |r, o| curves.then(|| over_time(r, o)))
    },
};

pub(super) const RANGE: Measure = Measure {
    name: "loudness_range_difference",
    title: "Loudness range difference",
    unit: "LU",
    direction: Direction::NearZero,
    range: "any; negative if the other's dynamics are narrower",
    definition: "loudness range of the other less the reference's: from the 10th to the 95th percentile of the gated \
                 short-term loudness, over all channels",
    source: "EBU Tech 3342",
    decimals: 2,
    needs_alignment: false,
    over_time: None,
    compute: |pair, _, _| measured(pair, "3 s", |curve| curve.summary().range, |_, _| None),
};

/// Takes the difference of a figure of the loudness curves, and their curve.
fn measured(
    pair: &Pair,
    least: &str,
    figure: fn(&LoudnessCurve) -> Option<f64>,
    curve: impl FnOnce(&LoudnessCurve, &LoudnessCurve) -> Option<Curve>,
) -> Result<Reading> {
    let [reference, other] = match pair.loudness()? {
        Ok(both) => both,
        Err(reason) => return Ok(Reading::missing(reason)),
    };
    let missing = |what: &str| Outcome::Missing(format!("{what}, or shorter than {least}"));
    let whole = match (figure(reference), figure(other)) {
        (Some(reference), Some(other)) => Outcome::Value(other - reference),
        (None, _) => missing(SILENT_REFERENCE),
        (_, None) => missing(SILENT_OTHER),
    };
    Ok(Reading::of_whole(whole, curve(reference, other)))
}

/// The loudness of both over time.
pub(in crate::compare) type Loudness = [LoudnessCurve; 2];

/// Measures the loudness of both. The inner error says why there is none.
pub(in crate::compare) fn loudness(pair: &Pair) -> Result<std::result::Result<Loudness, String>> {
    match [&pair.reference, &pair.other].map(|channels| curve(pair, channels)) {
        [Ok(reference), Ok(other)] => Ok(Ok([reference, other])),
        [Err(Error::Unsupported { reason, .. }), _] | [_, Err(Error::Unsupported { reason, .. })] => Ok(Err(reason)),
        [Err(error), _] | [_, Err(error)] => Err(error),
    }
}

/// Points that a momentary window lasts.
const POINTS: usize = 4;

/// Returns the difference of two curves of momentary loudness, whose values belong to the ends of their windows, at the
/// middles of the windows that lie within the recording.
fn over_time([reference, other]: [&[f32]; 2]) -> Curve {
    let step_s = 1.0 / POINTS_PER_S as f64;
    let difference = |(r, o): (&f32, &f32)| match (r.is_finite(), o.is_finite()) {
        (true, true) => Ok(f64::from(*o) - f64::from(*r)),
        (false, _) => Err(SILENT_REFERENCE),
        (true, false) => Err(SILENT_OTHER),
    };
    let whole = reference.iter().zip(other).skip(POINTS - 1);
    Curve::new(POINTS as f64 / 2.0 * step_s, step_s, whole.map(difference))
}

fn curve(pair: &Pair, channels: &[Vec<f32>]) -> Result<LoudnessCurve> {
    let format = AudioFormat::new(pair.rate, channels.len()).with_layout(pair.layout);
    let (mut blocks, mut curve) = (Blocks::new(format)?, LoudnessCurve::default());
    let planes: Vec<&[f32]> = channels.iter().map(Vec::as_slice).collect();
    blocks.add(&planes, |energy| curve.push(energy))?;
    Ok(curve)
}
