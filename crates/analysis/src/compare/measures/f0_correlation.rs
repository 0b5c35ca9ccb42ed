//! Correlation of the pitch.

use super::curve::Point;
use super::pitch::{Pitches, of_pitches};
use super::{Direction, Measure, Outcome, OverTime};

pub(super) const SPEC: Measure = Measure {
    name: "f0_correlation",
    title: "F0 correlation",
    unit: "1",
    direction: Direction::Higher,
    range: "-1 to 1",
    definition: "Pearson's correlation of the pitches, in cents, of windows that have one in both; mean of the channels, \
                 probabilistic YIN, 50 to 1100 Hz",
    source: "M. Mauch and S. Dixon, ICASSP 2014; `librosa.pyin`",
    decimals: 4,
    needs_alignment: true,
    over_time: Some(OverTime { unit: "cents", definition: "the other's pitch less the reference's, of each window" }),
    compute: |pair, curves, progress| {
        of_pitches(pair, progress, whole, |pitches| curves.then(|| pitches.curve(difference)))
    },
};

fn cents(hz: f64) -> f64 {
    1200.0 * hz.log2()
}

fn whole(pitches: &Pitches) -> Outcome {
    let both: Vec<[f64; 2]> =
        pitches.pairs().map(|pair| pair.map(cents)).filter(|pair| pair.iter().all(|c| c.is_finite())).collect();
    if both.len() < LEAST_WINDOWS {
        return Outcome::Missing(format!("fewer than {LEAST_WINDOWS} windows have a pitch in both"));
    }
    Outcome::or_missing(correlation(&both), "the pitch does not vary")
}

fn difference([reference, other]: [f64; 2]) -> Point {
    match (reference.is_nan(), other.is_nan()) {
        (false, false) => Ok(cents(other) - cents(reference)),
        (true, true) => Err("no pitch in either"),
        (true, false) => Err("no pitch in the reference"),
        (false, true) => Err("no pitch in the other"),
    }
}

/// With fewer windows a correlation says nothing.
const LEAST_WINDOWS: usize = 10;

fn correlation(pairs: &[[f64; 2]]) -> f64 {
    let count = pairs.len() as f64;
    let mean = |of: usize| pairs.iter().map(|pair| pair[of]).sum::<f64>() / count;
    let means = [mean(0), mean(1)];
    let (mut rr, mut oo, mut ro) = (0.0, 0.0, 0.0);
    for pair in pairs {
        let (r, o) = (pair[0] - means[0], pair[1] - means[1]);
        rr += r * r;
        oo += o * o;
        ro += r * o;
    }
    // Pitches in steps of ten cents: rounding is no variation.
    if rr < 1e-6 || oo < 1e-6 { f64::NAN } else { ro / (rr * oo).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::correlation;

    #[test]
    fn a_line_correlates_and_a_constant_does_not() {
        let line: Vec<[f64; 2]> = (0..50).map(|n| [f64::from(n), 3.0 * f64::from(n) + 7.0]).collect();
        assert!((correlation(&line) - 1.0).abs() < 1e-12);
        assert!(correlation(&vec![[1.0, 2.0]; 50]).is_nan());
    }
}
