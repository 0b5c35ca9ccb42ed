//! Checks frequencies of effects against the rate of a stream, which only a stage knows.

use super::spec::{refuse, title};
use super::{PLAIN, Parameter, ParameterKind, Scale, Unit};
use base::error::{Error, Result};
use base::units::SampleRate;
use dsp::design::{Band, Warped};

/// Maps a cutoff or centre to this rate.
pub(super) fn below_nyquist(effect: &str, parameter: &str, hz: f64, rate: SampleRate) -> Result<Warped> {
    Warped::new(hz, rate.as_f64()).ok_or_else(|| above_nyquist(effect, parameter, rate))
}

/// Maps a band to this rate. `effect` names the effect in errors.
pub(super) fn band_below_nyquist(effect: &str, low_hz: f64, high_hz: f64, rate: SampleRate) -> Result<Band> {
    Band::new(low_hz, high_hz, rate.as_f64()).ok_or_else(|| {
        let edge = if low_hz < rate.nyquist_hz() { "high" } else { "low" };
        above_nyquist(effect, edge, rate)
    })
}

/// Checks that the edges of the band are in order.
pub(super) fn ordered(effect: &str, low_hz: f64, high_hz: f64) -> Result<()> {
    // Edges so close that no band is left between them count as equal.
    if high_hz - low_hz > low_hz * 1e-9 {
        return Ok(());
    }
    Err(not_below(effect, "low", "high", Unit::Hz, high_hz))
}

/// The error of a value that is not below another one of the effect.
pub(super) fn not_below(effect: &str, parameter: &str, other: &str, unit: Unit, limit: f64) -> Error {
    let below = if unit == Unit::Seconds { "before" } else { "below" };
    refuse(effect, parameter, &format!("{below} {} ({})", title(effect, other), unit.written(limit)))
}

/// The error of a frequency that is not below half the rate.
pub(super) fn above_nyquist(effect: &str, parameter: &str, rate: SampleRate) -> Error {
    let written = |hz: f64| Unit::Hz.written(hz);
    let allowed = format!("below {} for this {} recording", written(rate.nyquist_hz()), written(rate.as_f64()));
    refuse(effect, parameter, &allowed)
}

/// A frequency parameter, 0.1 Hz to 384 kHz on a logarithmic scale, without a default.
pub(super) const fn frequency(name: &'static str, title: &'static str, help: &'static str, initial: f64) -> Parameter {
    let kind =
        ParameterKind::Number { unit: Unit::Hz, min: 0.1, max: 384_000.0, default: None, initial, scale: Scale::Log };
    Parameter { name, title, help, kind, ..PLAIN }.to_nyquist(20.0)
}

/// The Q of a flat second-order filter as written in text. Four digits, so that `q=0.7071` equals the default.
#[allow(clippy::approx_constant, reason = "the written value is meant, not the square root")]
pub(super) const FLAT_Q: f64 = 0.7071;

/// A parameter for the quality factor of a biquad, 0.001 to 1000 on a logarithmic scale.
pub(super) const fn quality(help: &'static str, default: Option<f64>, initial: f64) -> Parameter {
    let kind = ParameterKind::Number { unit: Unit::None, min: 0.001, max: 1000.0, default, initial, scale: Scale::Log };
    Parameter { name: "q", title: "Q", help, kind, ..PLAIN }.travels(0.1, 30.0)
}

/// A parameter for the gain of an equaliser band, -60 to 60 dB, without a default.
pub(super) const fn band_gain(help: &'static str) -> Parameter {
    let kind = ParameterKind::Number {
        unit: Unit::Db,
        min: -60.0,
        max: 60.0,
        default: None,
        initial: 0.0,
        scale: Scale::Linear,
    };
    Parameter { name: "gain", title: "Gain", help, kind, ..PLAIN }.travels(-24.0, 24.0)
}
