//! Difference of the true peaks.

use rayon::prelude::*;

use super::curve::{Curve, Point};
use super::frame_ratios::{IN_TENTHS, SILENT_OTHER, SILENT_REFERENCE, of_tenths as tenths, step};
use super::{Direction, Measure, Outcome, OverTime, Reading};
use crate::compare::pair::Pair;
use audio::AudioFormat;
use base::units::db_from_gain;
use dsp::measure::true_peak::{TruePeakPlan, TruePeaks};

pub(super) const SPEC: Measure = Measure {
    name: "true_peak_difference",
    title: "True-peak difference",
    unit: "dB",
    direction: Direction::NearZero,
    range: "any; positive if the other's peak is higher",
    definition: "highest true peak of the other less the reference's",
    source: "ITU-R BS.1770-4, annex 2",
    decimals: 2,
    needs_alignment: false,
    over_time: Some(OverTime { unit: "dB", definition: IN_TENTHS }),
    compute: |pair, curves, _| {
        let [reference, other] = [&pair.reference, &pair.other].map(|channels| {
            let mut peaks = TruePeaks::new(AudioFormat::new(pair.rate, channels.len()));
            let planes: Vec<&[f32]> = channels.iter().map(Vec::as_slice).collect();
            peaks.add(&planes);
            peaks.finish()
        });
        let highest = |peaks: &[f64]| peaks.iter().copied().fold(0.0, f64::max);
        let whole = Outcome::of(difference(highest(&reference), highest(&other)));
        let channels = reference.iter().zip(&other).map(|(r, o)| Outcome::of(difference(*r, *o))).collect();
        let (curve, channel_curves) = if curves { over_time(pair) } else { (None, Vec::new()) };
        Ok(Reading { whole, channels, curve, channel_curves })
    },
};

fn difference(reference: f64, other: f64) -> Point {
    match (reference > 0.0, other > 0.0) {
        (true, true) if other.is_finite() && reference.is_finite() => Ok(db_from_gain(other / reference)),
        (true, true) => Err("the samples are too large to interpolate"),
        (false, _) => Err(SILENT_REFERENCE),
        (_, false) => Err(SILENT_OTHER),
    }
}

/// Returns the difference in each tenth of a second, of all channels and of each.
fn over_time(pair: &Pair) -> (Option<Curve>, Vec<Curve>) {
    let plan = TruePeakPlan::new(pair.rate.hz());
    let of_tenths = |samples: &Vec<f32>| -> Vec<f64> {
        let led: Vec<f32> = std::iter::repeat_n(0.0, TruePeakPlan::LEAD).chain(samples.iter().copied()).collect();
        let step = step(pair.rate);
        let starts = (0..samples.len()).step_by(step);
        starts
            .map(|start| {
                let end = (start + step).min(samples.len());
                f64::from(plan.peak(&led[start..end + TruePeakPlan::LEAD], 0.0))
            })
            .collect()
    };
    let [reference, other]: [Vec<Vec<f64>>; 2] =
        [&pair.reference, &pair.other].map(|channels| channels.par_iter().map(of_tenths).collect());
    let curve = |r: &[f64], o: &[f64]| tenths(pair.rate, r.iter().zip(o).map(|(r, o)| difference(*r, *o)));
    let channels = reference.iter().zip(&other).map(|(r, o)| curve(r, o)).collect();
    let highest = |peaks: &[Vec<f64>]| -> Vec<f64> {
        let count = peaks.first().map_or(0, Vec::len);
        (0..count).map(|at| peaks.iter().map(|channel| channel[at]).fold(0.0, f64::max)).collect()
    };
    (Some(curve(&highest(&reference), &highest(&other))), channels)
}
