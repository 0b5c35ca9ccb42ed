//! Frequencies of effects against the rate of a stream: what only a stage can check.

use super::{Parameter, ParameterKind, Scale, Unit};
use crate::design::{Band, Warped};
use crate::error::{Error, Result};
use crate::units::SampleRate;

/// The cutoff's or centre's place at this rate.
///
/// # Errors
/// [`Error::Invalid`] unless it is below half the rate; `what` names effect and parameter.
pub(super) fn below_nyquist(what: &str, hz: f64, rate: SampleRate) -> Result<Warped> {
    Warped::new(hz, rate.as_f64()).ok_or_else(|| above_nyquist(what, hz, rate))
}

/// The band's place at this rate; `effect` names it in errors.
///
/// # Errors
/// [`Error::Invalid`] unless both edges are below half the rate.
pub(super) fn band_below_nyquist(effect: &str, low_hz: f64, high_hz: f64, rate: SampleRate) -> Result<Band> {
    Band::new(low_hz, high_hz, rate.as_f64()).ok_or_else(|| {
        let (edge, hz) = if low_hz < rate.nyquist_hz() { ("high", high_hz) } else { ("low", low_hz) };
        above_nyquist(&format!("{effect} {edge}"), hz, rate)
    })
}

/// Whether the band has its edges in order.
///
/// # Errors
/// [`Error::Invalid`] unless `low_hz < high_hz`.
pub(super) fn ordered(effect: &str, low_hz: f64, high_hz: f64) -> Result<()> {
    // So near to each other that no band is left between them counts as one frequency.
    if high_hz - low_hz > low_hz * 1e-9 {
        return Ok(());
    }
    let allowed = format!("below high ({})", Unit::Hz.written(high_hz));
    Err(Error::invalid(format!("{effect} low"), Unit::Hz.written(low_hz), allowed))
}

fn above_nyquist(what: &str, hz: f64, rate: SampleRate) -> Error {
    let allowed =
        format!("below half the sample rate of {rate}, that is below {}", Unit::Hz.written(rate.nyquist_hz()));
    Error::invalid(what, Unit::Hz.written(hz), allowed)
}

/// A frequency, 0.1 Hz to 384 kHz on a logarithmic scale; without a default.
pub(super) const fn frequency(name: &'static str, title: &'static str, help: &'static str, initial: f64) -> Parameter {
    let kind =
        ParameterKind::Number { unit: Unit::Hz, min: 0.1, max: 384_000.0, default: None, initial, scale: Scale::Log };
    Parameter { name, title, help, kind }
}

/// The Q of a flat second-order filter as people write it. Four digits, so that `q=0.7071` in a text is the default.
#[allow(clippy::approx_constant, reason = "the written value is meant, not the square root")]
pub(super) const FLAT_Q: f64 = 0.7071;

/// The quality factor of a biquad, 0.001 to 1000 on a logarithmic scale.
pub(super) const fn quality(help: &'static str, default: Option<f64>, initial: f64) -> Parameter {
    let kind = ParameterKind::Number { unit: Unit::None, min: 0.001, max: 1000.0, default, initial, scale: Scale::Log };
    Parameter { name: "q", title: "Q", help, kind }
}

/// The gain of an equaliser's band, -60 to 60 dB; without a default.
pub(super) const fn band_gain(help: &'static str) -> Parameter {
    let kind = ParameterKind::Number {
        unit: Unit::Db,
        min: -60.0,
        max: 60.0,
        default: None,
        initial: 0.0,
        scale: Scale::Linear,
    };
    Parameter { name: "gain", title: "Gain", help, kind }
}
