//! Filters and equalisers.

mod allpass;
mod band;
mod comb;
mod comb_line;
mod crossover;
mod dc_block;
mod design;
mod filter_bank;
mod graphic_eq;
mod interaction;
mod notch;
mod parametric_eq;
mod pass;
mod peaking;
mod rbj_bandpass;
mod rbj_pass;
mod shelf;
mod tilt;

use super::bounds::below_nyquist;
use super::{Arguments, EffectSpec, PLAIN, Parameter, ParameterKind, Scale, Unit};
use base::error::Result;
use base::units::SampleRate;
use dsp::design::Warped;

/// The effects of the family, in listing order.
pub(super) static ALL: &[&EffectSpec] = &[
    &pass::LOWPASS,
    &pass::HIGHPASS,
    &band::BANDPASS,
    &band::BANDSTOP,
    &rbj_pass::RBJ_LOWPASS,
    &rbj_pass::RBJ_HIGHPASS,
    &rbj_bandpass::SPEC,
    &notch::SPEC,
    &allpass::SPEC,
    &peaking::SPEC,
    &shelf::LOW_SHELF,
    &shelf::HIGH_SHELF,
    &parametric_eq::SPEC,
    &graphic_eq::SPEC_10,
    &graphic_eq::SPEC_31,
    &tilt::SPEC,
    &comb::SPEC,
    &dc_block::SPEC,
    &crossover::SPEC,
    &filter_bank::SPEC,
];

/// A frequency parameter, 0.1 Hz to 384 kHz, with a default.
const fn hertz(name: &'static str, title: &'static str, help: &'static str, default: f64) -> Parameter {
    let kind = ParameterKind::Number {
        unit: Unit::Hz,
        min: 0.1,
        max: 384_000.0,
        default: Some(default),
        initial: default,
        scale: Scale::Log,
    };
    Parameter { name, title, help, kind, ..PLAIN }.to_nyquist(20.0)
}

/// A gain parameter from `-most` to `most` dB with default 0 dB.
const fn decibels(name: &'static str, title: &'static str, help: &'static str, most: f64) -> Parameter {
    let kind = ParameterKind::Number {
        unit: Unit::Db,
        min: -most,
        max: most,
        default: Some(0.0),
        initial: 0.0,
        scale: Scale::Linear,
    };
    Parameter { name, title, help, kind, ..PLAIN }
}

/// An integer parameter.
const fn whole(
    name: &'static str,
    title: &'static str,
    help: &'static str,
    (min, max): (f64, f64),
    default: Option<f64>,
    initial: f64,
) -> Parameter {
    let kind = ParameterKind::Number { unit: Unit::None, min, max, default, initial, scale: Scale::Integer };
    Parameter { name, title, help, kind, ..PLAIN }
}

/// Maps the frequency of an equaliser band to this rate. Returns `None` for a band with 0 dB at its default frequency
/// if that is at or above half the rate.
fn band_place(spec: &EffectSpec, name: &str, hz: f64, gain_db: f64, rate: SampleRate) -> Result<Option<Warped>> {
    let unused = gain_db == 0.0 && spec.parameter(name).and_then(Parameter::default_value) == Some(hz.into());
    if unused && hz >= rate.nyquist_hz() {
        return Ok(None);
    }
    below_nyquist(spec.name, name, hz, rate).map(Some)
}

fn number(arguments: &Arguments, name: &str) -> Result<f64> {
    arguments.checked_number(name)
}
