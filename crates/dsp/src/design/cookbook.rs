//! The biquads of R. Bristow-Johnson's *Audio EQ Cookbook*, built from their analog prototypes.
//!
//! The cookbook's digital coefficients are the bilinear transforms of these prototypes. Here `s` is in units of the
//! cutoff or centre, and `A = 10^(gain_db/40)`. The shelves have their poles at the cutoff times `1/sqrt A` (low) or
//! `sqrt A` (high), with damping `1/Q`, so their sections are expressed in units of that frequency.

use std::f64::consts::LN_10;

use super::{Section, Warped};

/// The normalisation of a cookbook band-pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BandpassPeak {
    /// Constant skirt gain; the peak gain is Q.
    Skirt,
    /// Constant peak gain of 0 dB.
    Unity,
}

/// Returns a low-pass, `1 / (s^2 + s/Q + 1)`.
pub fn cookbook_lowpass(cutoff: Warped, q: f64) -> Section {
    Section::from_prototype(cutoff.get(), 1.0 / q, [0.0, 0.0, 1.0])
}

/// Returns a high-pass, `s^2 / (s^2 + s/Q + 1)`.
pub fn cookbook_highpass(cutoff: Warped, q: f64) -> Section {
    Section::from_prototype(cutoff.get(), 1.0 / q, [1.0, 0.0, 0.0])
}

/// Returns a band-pass: `s / (s^2 + s/Q + 1)` for constant skirt gain, `(s/Q) / (s^2 + s/Q + 1)` for a peak of 0 dB.
pub fn cookbook_bandpass(center: Warped, q: f64, peak: BandpassPeak) -> Section {
    let gain = match peak {
        BandpassPeak::Skirt => 1.0,
        BandpassPeak::Unity => 1.0 / q,
    };
    Section::from_prototype(center.get(), 1.0 / q, [0.0, gain, 0.0])
}

/// Returns a notch, `(s^2 + 1) / (s^2 + s/Q + 1)`.
pub fn cookbook_notch(center: Warped, q: f64) -> Section {
    Section::from_prototype(center.get(), 1.0 / q, [1.0, 0.0, 1.0])
}

/// Returns an all-pass, `(s^2 - s/Q + 1) / (s^2 + s/Q + 1)`.
pub fn cookbook_allpass(center: Warped, q: f64) -> Section {
    Section::from_prototype(center.get(), 1.0 / q, [1.0, -1.0 / q, 1.0])
}

/// Returns a peaking equaliser, `(s^2 + s A/Q + 1) / (s^2 + s/(A Q) + 1)`.
pub fn cookbook_peaking(center: Warped, q: f64, gain_db: f64) -> Section {
    let a = root_gain(gain_db);
    let k = 1.0 / (a * q);
    with_mix(Section::from_prototype(center.get(), k, [1.0, a / q, 1.0]), [1.0, k * lift(gain_db), 0.0])
}

/// Returns a low shelf, `A (s^2 + s sqrt(A)/Q + A) / (A s^2 + s sqrt(A)/Q + 1)`.
pub fn cookbook_low_shelf(cutoff: Warped, gain_db: f64, q: f64) -> Section {
    let (a, k) = (root_gain(gain_db), 1.0 / q);
    let section = Section::from_prototype(cutoff.get() / a.sqrt(), k, [1.0, a * k, a * a]);
    with_mix(section, [1.0, k * lift(gain_db / 2.0), lift(gain_db)])
}

/// Returns a high shelf, `A (A s^2 + s sqrt(A)/Q + 1) / (s^2 + s sqrt(A)/Q + A)`.
pub fn cookbook_high_shelf(cutoff: Warped, gain_db: f64, q: f64) -> Section {
    let (a, k) = (root_gain(gain_db), 1.0 / q);
    let section = Section::from_prototype(cutoff.get() * a.sqrt(), k, [a * a, a * k, 1.0]);
    with_mix(section, [a * a, -a * k * lift(gain_db / 2.0), -lift(gain_db)])
}

/// The cookbook's `A`: the square root of the gain.
fn root_gain(gain_db: f64) -> f64 {
    10f64.powf(gain_db / 40.0)
}

/// Returns the linear gain minus one, at full precision even for a gain of a millionth of a decibel.
fn lift(gain_db: f64) -> f64 {
    (gain_db * (LN_10 / 20.0)).exp_m1()
}

/// Replaces the section's mix by values in closed form, which avoids cancellation.
fn with_mix(mut section: Section, m: [f64; 3]) -> Section {
    section.svf.m = m;
    section
}
