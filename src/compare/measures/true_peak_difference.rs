//! Difference of the true peaks.

use super::{Direction, Measure, Outcome, Reading};
use crate::audio::AudioFormat;
use crate::measure::true_peak::TruePeaks;
use crate::units::db_from_gain;

pub(super) const SPEC: Measure = Measure {
    name: "true_peak_difference",
    unit: "dB",
    direction: Direction::NearZero,
    range: "any; positive if the other's peak is higher",
    definition: "highest true peak of the other less the reference's",
    source: "ITU-R BS.1770-4, annex 2",
    decimals: 2,
    needs_alignment: false,
    compute: |pair, _| {
        let [reference, other] = [&pair.reference, &pair.other].map(|channels| {
            let mut peaks = TruePeaks::new(AudioFormat { rate: pair.rate, channels: channels.len() });
            let planes: Vec<&[f32]> = channels.iter().map(Vec::as_slice).collect();
            peaks.add(&planes);
            peaks.finish()
        });
        let outcome = |r: f64, o: f64| match (r > 0.0, o > 0.0) {
            (true, true) => Outcome::or_missing(db_from_gain(o / r), "the samples are too large to interpolate"),
            (false, _) => Outcome::Missing(super::frame_ratios::SILENT_REFERENCE.to_owned()),
            (_, false) => Outcome::Missing("the other is silent".to_owned()),
        };
        let highest = |peaks: &[f64]| peaks.iter().copied().fold(0.0, f64::max);
        let whole = outcome(highest(&reference), highest(&other));
        let channels = reference.iter().zip(&other).map(|(r, o)| outcome(*r, *o)).collect();
        Ok(Reading { whole, channels, curve: None })
    },
};
