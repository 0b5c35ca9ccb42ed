//! Echoes and rooms.
//!
//! [`clocked`] runs an effect channel by channel or pair by pair, [`line`](mod@line) provides the delays, and [`decay`]
//! computes tail lengths.

pub(super) mod clocked;
pub(super) mod decay;
mod delay;
mod fdn_reverb;
pub(super) mod line;
mod one_pole;
mod reverb;
pub(super) mod tape;

use super::{EffectSpec, PLAIN, Parameter, ParameterKind, Scale, Unit};

/// The effects of the family, in listing order.
pub(super) static ALL: &[&EffectSpec] = &[&delay::SPEC, &reverb::SPEC, &fdn_reverb::SPEC];

/// A parameter for a share, written in per cent.
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
    Parameter { name, title, help, kind, ..PLAIN }
}

/// A parameter for the wet/dry mix.
pub(super) const fn mix(default: f64) -> Parameter {
    share("mix", "Mix", "Share of the effect in the output; the rest is the input.", 0.0, 1.0, default)
}
