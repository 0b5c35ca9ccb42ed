//! Agreement of the voicing.

use super::pitch::{Pitches, of_pitches};
use super::{Direction, Measure, Outcome, OverTime};

pub(super) const SPEC: Measure = Measure {
    name: "voicing_agreement",
    title: "Voicing agreement",
    unit: "1",
    direction: Direction::Higher,
    range: "0 to 1",
    definition: "share of windows that have a pitch in both or in none, as f0_correlation finds them",
    source: "M. Mauch and S. Dixon, ICASSP 2014; `librosa.pyin`",
    decimals: 4,
    needs_alignment: true,
    over_time: Some(OverTime { unit: "1", definition: "1 for each window where they agree, 0 where they do not" }),
    compute: |pair, curves, progress| {
        let whole = |pitches: &Pitches| {
            let values: Vec<f64> = pitches.pairs().map(agrees).collect();
            Outcome::or_missing(values.iter().sum::<f64>() / values.len() as f64, "there are no windows")
        };
        of_pitches(pair, progress, whole, |pitches| curves.then(|| pitches.curve(|pair| Ok(agrees(pair)))))
    },
};

fn agrees([reference, other]: [f64; 2]) -> f64 {
    f64::from(u8::from(reference.is_nan() == other.is_nan()))
}
