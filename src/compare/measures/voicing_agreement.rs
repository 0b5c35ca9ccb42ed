//! Agreement of the voicing.

use super::{Curve, Direction, Measure, Outcome, Reading};

pub(super) const SPEC: Measure = Measure {
    name: "voicing_agreement",
    unit: "1",
    direction: Direction::Higher,
    range: "0 to 1",
    definition: "share of windows that have a pitch in both or in none, as f0_correlation finds them",
    source: "M. Mauch and S. Dixon, ICASSP 2014; `librosa.pyin`",
    decimals: 4,
    needs_alignment: true,
    compute: |pair, progress| {
        let pitches = match pair.pitches(progress)? {
            Ok(pitches) => pitches,
            Err(reason) => return Ok(Reading::missing(reason)),
        };
        let agrees = |[r, o]: [f64; 2]| f64::from(u8::from(r.is_nan() == o.is_nan()));
        let values: Vec<f64> = pitches.pairs().map(agrees).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let curve = Curve { start_s: 0.0, step_s: pitches.step_s, values: values.into_iter().map(Some).collect() };
        Ok(Reading::of_whole(Outcome::or_missing(mean, "there are no windows"), Some(curve)))
    },
};
