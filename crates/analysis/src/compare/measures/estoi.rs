//! Extended short-time objective intelligibility.

use super::third_octaves::{BANDS, IN_SEGMENTS, SEGMENT, over_segments};
use super::{Direction, Measure, OverTime};

pub(super) const SPEC: Measure = Measure {
    name: "estoi",
    title: "ESTOI",
    unit: "1",
    direction: Direction::Higher,
    range: "about 0 to 1",
    definition: "as stoi, but each segment is normalised over time, then over bands, and its windows are correlated; \
                 nothing is limited",
    source: "J. Jensen and C. Taal, IEEE TASLP 24, 2016; `pystoi` 0.4.1",
    decimals: 4,
    needs_alignment: true,
    over_time: Some(OverTime { unit: "1", definition: IN_SEGMENTS }),
    compute: |pair, curves, _| over_segments(pair, curves, segment),
};

fn segment(reference: &[[f64; BANDS]], other: &[[f64; BANDS]]) -> f64 {
    let (r, o) = (normalised(reference), normalised(other));
    r.iter().flatten().zip(o.iter().flatten()).map(|(r, o)| r * o).sum::<f64>() / SEGMENT as f64
}

/// Returns a segment with zero mean and unit norm over time in each band, then over the bands of each window. What
/// does not vary becomes 0.
fn normalised(segment: &[[f64; BANDS]]) -> Vec<[f64; BANDS]> {
    let mut out = segment.to_vec();
    let count = out.len() as f64;
    for band in 0..BANDS {
        let mean = out.iter().map(|window| window[band]).sum::<f64>() / count;
        let norm = out.iter().map(|window| (window[band] - mean).powi(2)).sum::<f64>().sqrt();
        out.iter_mut().for_each(|window| window[band] = divided(window[band] - mean, norm));
    }
    for window in &mut out {
        let mean = window.iter().sum::<f64>() / BANDS as f64;
        let norm = window.iter().map(|x| (x - mean).powi(2)).sum::<f64>().sqrt();
        window.iter_mut().for_each(|x| *x = divided(*x - mean, norm));
    }
    out
}

fn divided(x: f64, norm: f64) -> f64 {
    if norm > 1e-15 { x / norm } else { 0.0 }
}
