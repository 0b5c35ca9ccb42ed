//! Conversion from bins to the points of a logarithmic frequency axis.

use crate::design::Bins;
use base::error::{Error, Result};

/// The lowest level shown, in dB.
pub const FLOOR_DB: f32 = -200.0;
/// The frequency at which the slope adds nothing.
const PIVOT_HZ: f64 = 1000.0;

/// A logarithmic frequency axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogAxis {
    from_hz: f64,
    to_hz: f64,
    points: usize,
    slope_db: f64,
}

impl LogAxis {
    /// Creates an axis of `points` points with a constant ratio from one to the next. `slope_db` is added per octave
    /// above 1 kHz: with 3 dB, pink noise is level.
    ///
    /// # Errors
    /// [`Error::Invalid`] for frequencies that are not positive or not in order, for fewer than 2 or more than 8192
    /// points, and for a slope beyond 12 dB per octave.
    pub fn new(from_hz: f64, to_hz: f64, points: usize, slope_db: f64) -> Result<Self> {
        let refused = |what: &'static str, got: String, allowed: &str| Err(Error::invalid(what, got, allowed));
        if !(from_hz > 0.0 && from_hz < to_hz && to_hz <= 1e6) {
            return refused(
                "frequencies of an analyser",
                format!("{from_hz} to {to_hz} Hz"),
                "from above 0 Hz upwards",
            );
        }
        if !(2..=8192).contains(&points) {
            return refused("points of an analyser", points.to_string(), "2 to 8192");
        }
        if !(slope_db.abs() <= 12.0) {
            return refused("slope of an analyser", format!("{slope_db} dB per octave"), "-12 to 12 dB per octave");
        }
        Ok(Self { from_hz, to_hz, points, slope_db })
    }

    /// The number of points.
    pub fn points(&self) -> usize {
        self.points
    }

    /// Returns the frequency of a point in Hz; a fraction lies between two points.
    pub fn hz(&self, point: f64) -> f64 {
        self.from_hz * (self.to_hz / self.from_hz).powf(point / (self.points - 1) as f64)
    }

    /// Returns what the slope adds at a frequency, in dB.
    pub fn tilt_db(&self, hz: f64) -> f64 {
        self.slope_db * (hz / PIVOT_HZ).log2()
    }
}

/// Returns the levels at the points of an axis. A point covers the range half-way to its neighbours. If the range holds
/// several bins, the point has the level of the strongest. If it is narrower than a bin, the point lies on the curve
/// through the bins. If a tone's crest lies within the range, the point has the level of the crest, wherever it is
/// between two bins. Points beyond half the rate are `NaN`.
pub(super) fn levels(power: &[f32], bins: Bins, axis: &LogAxis) -> Vec<f32> {
    let top_hz = bins.rate_hz / 2.0;
    let last = power.len().saturating_sub(1);
    let level = |point: usize| {
        let hz = axis.hz(point as f64);
        if power.is_empty() || hz > top_hz {
            return f32::NAN;
        }
        let [low, high] = [-0.5, 0.5].map(|aside| bins.bin_from_hz(axis.hz(point as f64 + aside)));
        let mut db = between(power, bins.bin_from_hz(hz));
        for bin in (low.floor() as usize).min(last)..=(high.ceil() as usize).min(last) {
            if (low..=high).contains(&(bin as f64)) {
                db = db.max(decibels(power[bin]));
            }
            if let Some((place, crest_db)) = crest(power, bin)
                && (low..=high).contains(&place)
            {
                db = db.max(crest_db);
            }
        }
        (db + axis.tilt_db(hz)).max(f64::from(FLOOR_DB)) as f32
    };
    (0..axis.points()).map(level).collect()
}

fn decibels(power: f32) -> f64 {
    (10.0 * f64::from(power).log10()).max(f64::from(FLOOR_DB))
}

/// Returns the level between bins, on a Catmull-Rom cubic through the four nearest.
fn between(power: &[f32], place: f64) -> f64 {
    let last = power.len() - 1;
    let bin = (place.max(0.0).floor() as usize).min(last);
    let [before, here, after, beyond] =
        [bin.saturating_sub(1), bin, (bin + 1).min(last), (bin + 2).min(last)].map(|bin| decibels(power[bin]));
    let t = (place - bin as f64).clamp(0.0, 1.0);
    let square = 2.0 * before - 5.0 * here + 4.0 * after - beyond;
    let cube = 3.0 * (here - after) + beyond - before;
    let curve = here + 0.5 * t * (after - before + t * (square + t * cube));
    // A cubic overshoots beside a steep slope; the level is clamped.
    curve.clamp(before.min(here).min(after).min(beyond), here.max(after) + 1.5)
}

/// Returns the vertex of the parabola through the levels around a bin, as position and level; `None` if the bin is not
/// a local maximum.
fn crest(power: &[f32], bin: usize) -> Option<(f64, f64)> {
    if bin == 0 || bin + 1 >= power.len() || power[bin] < power[bin - 1] || power[bin] < power[bin + 1] {
        return None;
    }
    let [before, here, after] = [bin - 1, bin, bin + 1].map(|bin| decibels(power[bin]));
    let curvature = before - 2.0 * here + after;
    if curvature >= 0.0 {
        return None;
    }
    let offset = 0.5 * (before - after) / curvature;
    Some((bin as f64 + offset, here - 0.25 * (before - after) * offset))
}
