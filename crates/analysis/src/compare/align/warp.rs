//! Band-limited interpolation: a recording read along another's clock.

use std::sync::OnceLock;

use rayon::prelude::*;

use super::line::Line;
use dsp::design::{KaiserSinc, kaiser_beta};

/// Half the filter's length in frames.
const HALF: usize = 32;
const TAPS: usize = 2 * HALF;
/// Rows of the table per frame. Between rows the coefficients are interpolated linearly, with an error below
/// `(pi / PHASES)^2 / 8`: -118 dB.
const PHASES: usize = 1024;
/// The attenuation that the window is designed for.
const ATTENUATION_DB: f64 = 110.0;
/// Frames per task.
const PIECE: usize = 1 << 13;

/// A windowed sinc as a table. Flat within -100 dB up to 0.44 of the rate.
pub(in crate::compare) struct Interpolator {
    rows: Vec<f32>,
}

impl Interpolator {
    /// The number of frames on either side of a place from which its value is computed.
    pub const HALF: usize = HALF;

    /// Returns the table, which is made once.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Interpolator> = OnceLock::new();
        SHARED.get_or_init(|| {
            let sinc = KaiserSinc { cutoff: 0.5, half_width: HALF as f64, beta: kaiser_beta(ATTENUATION_DB) };
            let row = |phase: usize| {
                let part = phase as f64 / PHASES as f64;
                let taps: Vec<f64> = (0..TAPS).map(|tap| sinc.at(tap as f64 - (HALF - 1) as f64 - part)).collect();
                let sum: f64 = taps.iter().sum();
                taps.into_iter().map(move |tap| (tap / sum) as f32)
            };
            Self { rows: (0..=PHASES).flat_map(row).collect() }
        })
    }

    /// Returns the value of `source` at a fractional frame. Outside, the source is silent.
    pub fn at(&self, source: &[f32], place: f64) -> f64 {
        let whole = place.floor();
        let phase = (place - whole) * PHASES as f64;
        let row = (phase as usize).min(PHASES - 1);
        let part = (phase - row as f64) as f32;
        let [low, high] = [row, row + 1].map(|row| &self.rows[row * TAPS..][..TAPS]);
        let first = whole as i64 - (HALF as i64 - 1);
        if first >= 0 && first as usize + TAPS <= source.len() {
            return dot(&source[first as usize..][..TAPS], low, high, part);
        }
        let mut near = [0.0f32; TAPS];
        for (index, to) in near.iter_mut().enumerate() {
            let from = usize::try_from(first + index as i64).ok();
            *to = from.and_then(|from| source.get(from)).copied().unwrap_or(0.0);
        }
        dot(&near, low, high, part)
    }

    /// Fills `out` with `source` at the places `at(0)`, `at(1)`, ...
    pub fn fill(&self, source: &[f32], at: impl Fn(usize) -> f64 + Sync, out: &mut [f32]) {
        out.par_chunks_mut(PIECE).enumerate().for_each(|(piece, out)| {
            for (n, to) in out.iter_mut().enumerate() {
                *to = self.at(source, at(piece * PIECE + n)) as f32;
            }
        });
    }

    /// Fills `out` with `source` along a line, starting at frame `first` of the line's clock.
    pub fn along(&self, source: &[f32], line: &Line, first: usize, out: &mut [f32]) {
        self.fill(source, |n| line.at((first + n) as f64), out);
    }
}

fn dot(source: &[f32], low: &[f32], high: &[f32], part: f32) -> f64 {
    // Eight sums side by side, which the compiler keeps in vectors.
    let mut sums = [0.0f64; 8];
    let (source, low, high) = (source.as_chunks::<8>().0, low.as_chunks::<8>().0, high.as_chunks::<8>().0);
    for ((source, low), high) in source.iter().zip(low).zip(high) {
        for lane in 0..8 {
            let tap = low[lane] + part * (high[lane] - low[lane]);
            sums[lane] += f64::from(source[lane]) * f64::from(tap);
        }
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tones_are_read_between_their_samples() {
        let tone = |cycles: f64, n: f64| (std::f64::consts::TAU * cycles * n + 0.3).sin();
        for cycles in [0.001, 0.1, 0.37, 0.43] {
            let source: Vec<f32> = (0..400).map(|n| tone(cycles, f64::from(n)) as f32).collect();
            for place in [100.0, 100.25, 171.5, 230.000_3, 230.999_9] {
                let got = Interpolator::shared().at(&source, place);
                assert!((got - tone(cycles, place)).abs() < 2e-5, "{cycles} at {place}");
            }
        }
    }

    #[test]
    fn whole_frames_are_kept_and_outside_is_silence() {
        let source = [0.5f32, -1.0, 0.25];
        let at = |place| Interpolator::shared().at(&source, place);
        assert!((at(1.0) + 1.0).abs() < 1e-6 && (at(2.0) - 0.25).abs() < 1e-6);
        assert_eq!([at(-1e9), at(1e9), at(-40.5)], [0.0; 3]);
    }
}
