//! Noise, clicks and hum taken out of a recording.
//!
//! [`denoise`] is a [`gate`] for each frequency that opens above a [`profile`] of the noise; [`declick`] finds with
//! [`prediction`] what cannot have been foreseen and puts there what can; [`dehum`] is a row of notches.

mod declick;
mod dehum;
mod denoise;
mod gate;
mod prediction;
mod profile;

pub use profile::NoiseProfile;

use super::{EffectSpec, Parameter, ParameterKind, Scale, Unit};

/// The family's effects, in the order in which they are listed.
pub(super) static ALL: &[&EffectSpec] = &[&denoise::SPEC, &declick::SPEC, &dehum::SPEC];

/// A number with a default.
const fn number(
    name: &'static str,
    title: &'static str,
    help: &'static str,
    unit: Unit,
    range: [f64; 2],
    default: f64,
) -> Parameter {
    let kind = ParameterKind::Number {
        unit,
        min: range[0],
        max: range[1],
        default: Some(default),
        initial: default,
        scale: Scale::Linear,
    };
    Parameter { name, title, help, kind }
}
