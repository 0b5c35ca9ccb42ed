//! Echoes and rooms.
//!
//! [`clocked`] runs an effect channel by channel or pair by pair, [`line`] are its delays, [`decay`] says how long it
//! sounds.

pub(super) mod clocked;
pub(super) mod decay;
mod delay;
mod fdn_reverb;
pub(super) mod line;
mod one_pole;
mod reverb;
pub(super) mod tape;

use super::{EffectSpec, Parameter, ParameterKind, Scale, Unit};

/// The family's effects, in the order in which they are listed.
pub(super) static ALL: &[&EffectSpec] = &[&delay::SPEC, &reverb::SPEC, &fdn_reverb::SPEC];

/// A share of 0 to 1, written in per cent.
pub(super) const fn share(
    name: &'static str,
    title: &'static str,
    help: &'static str,
    min: f64,
    max: f64,
    default: f64,
) -> Parameter {
    let kind = ParameterKind::Number {
        unit: Unit::Percent,
        min,
        max,
        default: Some(default),
        initial: default,
        scale: Scale::Linear,
    };
    Parameter { name, title, help, kind }
}

/// Wet against dry.
pub(super) const fn mix(default: f64) -> Parameter {
    share("mix", "Mix", "The share of the effect in the output; the rest is the sound as it came.", 0.0, 1.0, default)
}
