//! Difference of the crest factors.

use super::curve::Point;
use super::frame_ratios::{IN_TENTHS, SILENT_OTHER, SILENT_REFERENCE, of_tenths, step};
use super::{Direction, Measure, Outcome, OverTime, Reading};

pub(super) const SPEC: Measure = Measure {
    name: "crest_difference",
    title: "Crest difference",
    unit: "dB",
    direction: Direction::NearZero,
    range: "any; negative if the other's peaks were brought down",
    definition: "20 log10(max |o| / rms o) less the same of r",
    source: "crest factor, IEC 60050-103",
    decimals: 2,
    needs_alignment: false,
    over_time: Some(OverTime { unit: "dB", definition: IN_TENTHS }),
    compute: |pair, curves, _| {
        Reading::of_channels(pair, |reference, other| {
            let tenth = step(pair.rate);
            let parts = || reference.chunks(tenth).zip(other.chunks(tenth));
            let curve = || of_tenths(pair.rate, parts().map(|(r, o)| difference(r, o)));
            Ok((Outcome::of(difference(reference, other)), curves.then(curve)))
        })
    },
};

fn difference(reference: &[f32], other: &[f32]) -> Point {
    Ok(crest_db(other).ok_or(SILENT_OTHER)? - crest_db(reference).ok_or(SILENT_REFERENCE)?)
}

fn crest_db(samples: &[f32]) -> Option<f64> {
    let peak = samples.iter().fold(0.0f32, |peak, sample| peak.max(sample.abs()));
    let energy: f64 = samples.iter().map(|sample| f64::from(*sample).powi(2)).sum();
    (peak > 0.0).then(|| 20.0 * (f64::from(peak) / (energy / samples.len() as f64).sqrt()).log10())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sine_has_three_decibels_and_a_square_none() {
        let sine: Vec<f32> = (0..44_100).map(|n| (std::f32::consts::TAU * 0.01 * n as f32).sin()).collect();
        let square: Vec<f32> = sine.iter().map(|x| x.signum()).collect();
        assert!((difference(&sine, &square).unwrap() + 3.0103).abs() < 0.01);
        assert_eq!(difference(&sine, &[0.0; 10]), Err(SILENT_OTHER));
        assert_eq!(difference(&[0.0; 10], &sine), Err(SILENT_REFERENCE));
    }
}
