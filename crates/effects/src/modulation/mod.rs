//! Effects with modulated delays, levels and phases.
//!
//! The modulator is an [`crate::lfo`], whose phase depends only on the frame of the stream.

mod chorus;
mod flanger;
mod phaser;
mod swept_comb;
mod tremolo;
mod vibrato;

use super::{EffectSpec, PLAIN, Parameter, ParameterKind, Scale, Unit};

/// The effects of the family, in listing order.
pub(super) static ALL: &[&EffectSpec] =
    &[&chorus::SPEC, &flanger::SPEC, &phaser::SPEC, &swept_comb::SPEC, &tremolo::SPEC, &vibrato::SPEC];

/// The number of frames for which modulation is computed at once.
const RUN: usize = 256;

/// A parameter for a short delay in seconds.
const fn milliseconds(
    name: &'static str,
    title: &'static str,
    help: &'static str,
    min_s: f64,
    max_s: f64,
    default_s: f64,
) -> Parameter {
    let kind = ParameterKind::Number {
        unit: Unit::Seconds,
        min: min_s,
        max: max_s,
        default: Some(default_s),
        initial: default_s,
        scale: Scale::Log,
    };
    Parameter { name, title, help, kind, ..PLAIN }
}
