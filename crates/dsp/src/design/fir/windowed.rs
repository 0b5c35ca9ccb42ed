//! The window method: the ideal response truncated by a window (A. V. Oppenheim, R. W. Schafer, *Discrete-Time Signal
//! Processing*, 7.5), and Kaiser's formulas for length and transition width (J. F. Kaiser, "Nonrecursive digital filter
//! design using the I0-sinh window function", 1974).

use std::f64::consts::PI;

use super::super::sinc::ideal_low_pass;
use super::super::window::Window;
use super::{Pass, even_taps};
use base::error::{Error, Result};

/// Returns `taps` taps of the ideal response, multiplied by `window` and scaled to a gain of 1 at the middle of the
/// first pass band, or at 0 or the Nyquist frequency if that band ends there.
///
/// # Errors
/// [`Error::Invalid`] if `taps` is 0, if the edges are out of order or outside 0..0.5, if `taps` is even and the
/// Nyquist frequency must pass, or if the windowed taps have no gain at the reference frequency.
pub fn windowed(pass: Pass, taps: usize, window: Window) -> Result<Vec<f64>> {
    if taps == 0 {
        return Err(Error::invalid("taps", "0", "1 or more"));
    }
    if taps.is_multiple_of(2) && pass.passes_nyquist() {
        return Err(even_taps(taps));
    }
    let edges = pass.edges();
    let within = edges.iter().all(|edge| *edge > 0.0 && *edge < 0.5);
    if !within || edges.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(Error::invalid("edges of a filter", format!("{edges:?}"), "ascending ones within 0 to 0.5"));
    }
    let stretches = pass.stretches();
    let middle = (taps - 1) as f64 / 2.0;
    let ideal =
        |n: f64| stretches.iter().map(|(from, to)| ideal_low_pass(*to, n) - ideal_low_pass(*from, n)).sum::<f64>();
    let weights = window.symmetric(taps);
    let mut values: Vec<f64> = weights.iter().enumerate().map(|(n, w)| w * ideal((n as f64 - middle).abs())).collect();
    let reference = match stretches[0] {
        (0.0, _) => 0.0,
        (_, 0.5) => 0.5,
        (from, to) => f64::midpoint(from, to),
    };
    let gain: f64 =
        values.iter().enumerate().map(|(n, tap)| tap * (2.0 * PI * reference * (n as f64 - middle)).cos()).sum();
    if gain.abs() < 1e-12 {
        let got = format!("{taps}");
        return Err(Error::invalid("taps", got, "more, as so few under this window let nothing through"));
    }
    values.iter_mut().for_each(|tap| *tap /= gain);
    Ok(values)
}

/// Returns the number of taps that a Kaiser window needs for a stop-band attenuation of `attenuation_db` and a
/// transition of `transition` cycles per frame.
pub fn kaiser_taps(attenuation_db: f64, transition: f64) -> f64 {
    ((attenuation_db - 7.95) / (2.285 * 2.0 * PI * transition) + 1.0).ceil()
}

/// Returns the transition width in cycles per frame that `taps` taps give at a stop-band attenuation of
/// `attenuation_db`.
pub fn kaiser_transition(attenuation_db: f64, taps: usize) -> f64 {
    (attenuation_db - 7.95) / (2.285 * 2.0 * PI * taps.saturating_sub(1).max(1) as f64)
}
