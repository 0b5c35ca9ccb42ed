//! Static curves: the gain reduction at a level.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use super::approximate::{DB_PER_OCTAVE, log2};
use base::simd::{Lanes, Simd, Task};

/// The level of silence: an amplitude of -300 dB.
const SILENCE: f32 = 1e-15;

/// Represents no reduction, so that exponential smoothing never produces subnormal numbers. Its gain is 1.
const NONE: f32 = 1e-20;

/// A straight line on either side of a threshold, joined by a parabola over the width of the knee (Giannoulis, Massberg
/// and Reiss 2012, equation 4).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Knee {
    pub threshold_db: f64,
    /// The full width of the knee in dB.
    pub width_db: f64,
    /// Reduction in dB per dB beyond the threshold.
    pub slope: f64,
    /// The maximum reduction in dB.
    pub range_db: f64,
    /// Whether it reduces levels below the threshold, like an expander.
    pub below: bool,
}

impl Knee {
    /// Returns the reduction at a level in dB, 0 or more.
    pub fn reduction_db(&self, level_db: f64) -> f64 {
        let over = if self.below { self.threshold_db - level_db } else { level_db - self.threshold_db };
        let half = self.width_db / 2.0;
        let within = (over + half).clamp(0.0, self.width_db);
        let parabola = if self.width_db > 0.0 { within * within / (2.0 * self.width_db) } else { 0.0 };
        (self.slope * (parabola + (over - half).max(0.0))).min(self.range_db)
    }

    /// Replaces levels by reductions in dB. Levels are amplitudes, or mean squares if `squared` is set.
    pub fn reduce(&self, levels: &mut [f32], squared: bool) {
        let per_octave = if squared { DB_PER_OCTAVE / 2.0 } else { DB_PER_OCTAVE };
        let (sign, half) = (if self.below { -1.0 } else { 1.0 }, self.width_db / 2.0);
        Simd::best().dispatch(Reduce {
            levels,
            scale: (sign * per_octave) as f32,
            // Shifts the start of the knee to 0.
            offset: (half - sign * self.threshold_db) as f32,
            width: self.width_db as f32,
            bend: if self.width_db > 0.0 { (0.5 / self.width_db) as f32 } else { 0.0 },
            slope: self.slope as f32,
            range: self.range_db as f32,
        });
    }
}

struct Reduce<'a> {
    levels: &'a mut [f32],
    scale: f32,
    offset: f32,
    width: f32,
    bend: f32,
    slope: f32,
    range: f32,
}

impl Task for Reduce<'_> {
    type Output = ();

    // A plain loop that the compiler vectorises for the dispatched instruction set.
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { levels, scale, offset, width, bend, slope, range } = self;
        for level in levels {
            let audible = if *level > SILENCE { *level } else { SILENCE };
            let over = scale * log2(audible) + offset;
            let within = if over > 0.0 { over } else { 0.0 };
            let within = if within < width { within } else { width };
            let beyond = if over > width { over - width } else { 0.0 };
            let reduction = slope * (bend * within * within + beyond);
            let reduction = if reduction < range { reduction } else { range };
            *level = if reduction > NONE { reduction } else { NONE };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn knee(width_db: f64, below: bool) -> Knee {
        Knee { threshold_db: -20.0, width_db, slope: 0.75, range_db: 40.0, below }
    }

    #[test]
    fn the_curve_is_the_papers() {
        for (level, expected) in [(-23.0, 0.0), (-20.0, 0.75 * 9.0 / 12.0), (-17.0, 0.75 * 3.0), (-8.0, 9.0)] {
            assert!((knee(6.0, false).reduction_db(level) - expected).abs() < 1e-12, "{level}");
            assert!((knee(6.0, true).reduction_db(-40.0 - level) - expected).abs() < 1e-12, "{level}");
        }
        assert_eq!(knee(0.0, false).reduction_db(-20.0), 0.0);
        assert_eq!(knee(0.0, false).reduction_db(-16.0), 3.0);
        assert_eq!(knee(6.0, true).reduction_db(-300.0), 40.0);
    }

    #[test]
    fn what_is_run_is_the_curve() {
        for (width, below, squared) in [(6.0, false, false), (0.0, false, true), (12.0, true, false), (0.0, true, true)]
        {
            let curve = knee(width, below);
            for n in -3000..200 {
                let level_db = f64::from(n) * 0.1;
                let scale = if squared { 10.0 } else { 20.0 };
                let level = 10f64.powf(level_db / scale) as f32;
                let mut levels = [level];
                curve.reduce(&mut levels, squared);
                let expected = curve.reduction_db(scale * f64::from(level).log10().max(-15.0));
                assert!((f64::from(levels[0]) - expected).abs() < 1e-4, "{level_db} dB: {} for {expected}", levels[0]);
            }
        }
    }

    #[test]
    fn silence_and_the_largest_number_have_a_level() {
        let mut levels = [0.0, 1e-44, f32::MAX];
        knee(6.0, false).reduce(&mut levels, false);
        assert_eq!(levels, [1e-20, 1e-20, 40.0]);
    }
}
