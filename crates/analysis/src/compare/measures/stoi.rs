//! Short-time objective intelligibility.

use super::third_octaves::{BANDS, IN_SEGMENTS, over_segments};
use super::{Direction, Measure, OverTime};

pub(super) const SPEC: Measure = Measure {
    name: "stoi",
    title: "STOI",
    unit: "1",
    direction: Direction::Higher,
    range: "about 0 to 1",
    definition: "mean correlation of the amplitudes of 15 third octaves from 150 Hz over segments of 384 ms, at 10 kHz, \
                 the other scaled to the reference and limited to 15 dB below it; silent windows (40 dB) left out",
    source: "C. Taal et al., IEEE TASLP 19, 2011; `pystoi` 0.4.1",
    decimals: 4,
    needs_alignment: true,
    over_time: Some(OverTime { unit: "1", definition: IN_SEGMENTS }),
    compute: |pair, curves, _| over_segments(pair, curves, segment),
};

/// The maximum by which the other may exceed the reference, as a factor: 15 dB of noise.
const LIMIT: f64 = 1.0 + 5.623_413_251_903_491;

fn segment(reference: &[[f64; BANDS]], other: &[[f64; BANDS]]) -> f64 {
    let count = reference.len() as f64;
    let band = |band: usize| {
        let energy = |of: &[[f64; BANDS]]| of.iter().map(|w| w[band] * w[band]).sum::<f64>().sqrt();
        let scale = energy(reference) / (energy(other) + f64::EPSILON);
        let limited = |r: &[f64; BANDS], o: &[f64; BANDS]| (o[band] * scale).min(r[band] * LIMIT);
        let pairs = || reference.iter().zip(other).map(|(r, o)| (r[band], limited(r, o)));
        let (sum_r, sum_o) = pairs().fold((0.0, 0.0), |sum, (r, o)| (sum.0 + r, sum.1 + o));
        let (mean_r, mean_o) = (sum_r / count, sum_o / count);
        let (mut rr, mut oo, mut ro) = (0.0, 0.0, 0.0);
        for (r, o) in pairs() {
            let (r, o) = (r - mean_r, o - mean_o);
            rr += r * r;
            oo += o * o;
            ro += r * o;
        }
        ro / ((rr.sqrt() + f64::EPSILON) * (oo.sqrt() + f64::EPSILON))
    };
    (0..BANDS).map(band).sum::<f64>() / BANDS as f64
}
