//! The part of the other that the reference, however filtered and faded, does not explain.

use std::ops::Range;
use std::sync::Arc;

use transforms::num_complex::Complex64;
use transforms::{RealFftPlanner, RealToComplex};

use super::curve::{Curve, Point};
use super::frame_ratios::{SILENT_OTHER, SILENT_REFERENCE};
use super::{Direction, Measure, Outcome, OverTime, Reading};
use crate::compare::pair::Pair;
use base::error::Result;
use dsp::design::Window;

pub(super) const SPEC: Measure = Measure {
    name: "noise_added",
    title: "Noise added",
    unit: "dB",
    direction: Direction::Lower,
    range: "-150 to 150",
    definition: "10 log10(sum u / sum (O - u)), O the other's power in a tile, u what its best multiple of the reference \
                 leaves of it: (O - |C|^2 / R) n / (n - 1), C the cross-spectrum; tiles of 8 Hann windows of 23 ms \
                 (hop a half) and a third of an octave, at least 4 bins, n the bins in it. Filters, and gains that \
                 change slowly, add little",
    source: "this program; coherence as in J. Bendat and A. Piersol, \"Random Data\", 2010, ch. 6",
    decimals: 2,
    needs_alignment: true,
    over_time: Some(OverTime { unit: "dB", definition: "of each 8 windows, about 0.1 s" }),
    compute: |pair, curves, _| {
        let plan = Plan::new(pair);
        Reading::of_channels(pair, |reference, other| plan.measured(reference, other, curves))
    },
};

/// The duration of a window in seconds, about.
const WINDOW_S: f64 = 0.023;
/// Windows of a tile.
const WINDOWS: usize = 8;
/// The fewest bins of a band.
const LEAST_BINS: usize = 4;
/// The limit of the ratio on either side, in dB.
const LIMIT_DB: f64 = 150.0;

struct Plan {
    rate_hz: f64,
    size: usize,
    window: Vec<f64>,
    bands: Vec<Range<usize>>,
    forward: Arc<dyn RealToComplex<f64>>,
}

/// The power that the reference explains, and that it does not.
#[derive(Clone, Copy, Debug, Default)]
struct Split {
    explained: f64,
    added: f64,
}

impl Split {
    fn ratio_db(self) -> Point {
        if self.explained + self.added > 0.0 {
            Ok((10.0 * (self.added / self.explained).log10()).clamp(-LIMIT_DB, LIMIT_DB))
        } else {
            Err(SILENT_OTHER)
        }
    }
}

/// Sums over the bins of a tile.
#[derive(Clone, Copy, Debug, Default)]
struct Tile {
    reference: f64,
    other: f64,
    cross: Complex64,
    count: f64,
}

impl Tile {
    fn split(&self) -> Split {
        let fits = if self.reference > 0.0 { self.cross.norm_sqr() / self.reference } else { 0.0 };
        let added = ((self.other - fits).max(0.0) * self.count / (self.count - 1.0)).min(self.other);
        Split { explained: self.other - added, added }
    }
}

impl Plan {
    fn new(pair: &Pair) -> Self {
        let rate_hz = pair.rate.as_f64();
        let size = ((WINDOW_S * rate_hz).log2().round().exp2() as usize).clamp(64, 1 << 14);
        let bins = size / 2 + 1;
        let mut bands = Vec::new();
        // Without the constant.
        let mut first = 1;
        while first < bins {
            let end = ((first as f64 * (1.0f64 / 3.0).exp2()).round() as usize).max(first + LEAST_BINS).min(bins);
            // Remaining bins that are too few for a band belong to the last one.
            let end = if bins - end < LEAST_BINS { bins } else { end };
            bands.push(first..end);
            first = end;
        }
        Self {
            rate_hz,
            size,
            window: Window::Hann.periodic(size),
            bands,
            forward: RealFftPlanner::new().plan_fft_forward(size),
        }
    }

    fn measured(&self, reference: &[f32], other: &[f32], curves: bool) -> Result<(Outcome, Option<Curve>)> {
        if reference.len() < self.size {
            return Ok((Outcome::Missing(format!("shorter than {} frames, a window", self.size)), None));
        }
        if reference.iter().all(|&sample| sample == 0.0) {
            return Ok((Outcome::Missing(SILENT_REFERENCE.to_owned()), None));
        }
        let hop = self.size / 2;
        let windows = 1 + (reference.len() - self.size) / hop;
        let mut frames = self.forward.make_input_vec();
        let mut spectra = [self.forward.make_output_vec(), self.forward.make_output_vec()];
        let mut splits = Vec::new();
        for first in (0..windows).step_by(WINDOWS) {
            let mut tiles = vec![Tile::default(); self.bands.len()];
            for window in first..(first + WINDOWS).min(windows) {
                for (samples, spectrum) in [reference, other].into_iter().zip(&mut spectra) {
                    let part = &samples[window * hop..][..self.size];
                    frames.iter_mut().zip(part).zip(&self.window).for_each(|((to, x), w)| *to = f64::from(*x) * w);
                    self.forward.process(&mut frames, spectrum)?;
                }
                for (band, tile) in self.bands.iter().zip(&mut tiles) {
                    for (r, o) in spectra[0][band.clone()].iter().zip(&spectra[1][band.clone()]) {
                        tile.reference += r.norm_sqr();
                        tile.other += o.norm_sqr();
                        tile.cross += r.conj() * o;
                    }
                    tile.count += band.len() as f64;
                }
            }
            splits.push(tiles.iter().map(Tile::split).fold(Split::default(), added));
        }
        let whole = splits.iter().copied().fold(Split::default(), added).ratio_db();
        let (start, step) = ((WINDOWS + 1) as f64 / 2.0 * hop as f64, (WINDOWS * hop) as f64);
        let curve =
            || Curve::new(start / self.rate_hz, step / self.rate_hz, splits.iter().map(|split| split.ratio_db()));
        Ok((Outcome::of(whole), curves.then(curve)))
    }
}

fn added(a: Split, b: Split) -> Split {
    Split { explained: a.explained + b.explained, added: a.added + b.added }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::noise::noise;
    use base::units::SampleRate;

    fn value(reference: &[f32], other: &[f32]) -> f64 {
        let pair = Pair::new(SampleRate::new(44_100).unwrap(), vec![reference.to_vec()], vec![other.to_vec()]);
        Plan::new(&pair).measured(reference, other, false).unwrap().0.value().unwrap()
    }

    #[test]
    fn noise_of_a_level_is_found_at_that_level() {
        let (r, n) = (noise(1, 80_000), noise(2, 80_000));
        for level in [0.3f32, 0.03, 0.001] {
            let noisy: Vec<f32> = r.iter().zip(&n).map(|(r, n)| 0.5 * r + 0.5 * level * n).collect();
            let expected = 20.0 * f64::from(level).log10();
            assert!((value(&r, &noisy) - expected).abs() < 0.2, "{level}: {}", value(&r, &noisy));
        }
    }

    #[test]
    fn filters_and_slow_gains_add_little() {
        let r = noise(3, 80_000);
        let filtered: Vec<f32> = (1..r.len()).map(|n| 0.6 * r[n] + 0.4 * r[n - 1]).collect();
        assert!(value(&r[1..], &filtered) < -20.0, "{}", value(&r[1..], &filtered));
        let faded: Vec<f32> = r.iter().enumerate().map(|(n, x)| x * (0.2 + n as f32 / 80_000.0)).collect();
        assert!(value(&r, &faded) < -30.0, "{}", value(&r, &faded));
        assert!(value(&r, &r) < -120.0 && value(&r, &noise(4, 80_000)) > 15.0);
    }
}
