//! Delays, levels and phases that swing to and fro.
//!
//! What swings is an [`lfo`], whose phase depends on the stream's frame alone.

mod chorus;
mod flanger;
pub(super) mod lfo;
mod phaser;
mod swept_comb;
mod tremolo;
mod vibrato;

use super::{EffectSpec, Parameter, ParameterKind, Scale, Unit};

/// The family's effects, in the order in which they are listed.
pub(super) static ALL: &[&EffectSpec] =
    &[&chorus::SPEC, &flanger::SPEC, &phaser::SPEC, &swept_comb::SPEC, &tremolo::SPEC, &vibrato::SPEC];

/// Frames of which the swing is computed at once.
const RUN: usize = 256;

/// A delay of some milliseconds.
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
        scale: Scale::Linear,
    };
    Parameter { name, title, help, kind }
}
