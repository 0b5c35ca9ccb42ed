//! Removes noise, clicks and hum from a recording.
//!
//! [`denoise`] is a [`gate`] for each frequency that opens above a [`profile`] of the noise. [`declick`] uses
//! [`prediction`] to find samples that cannot be predicted and to replace them. [`dehum`] is a series of notches.

mod declick;
mod dehum;
mod denoise;
mod gate;
mod prediction;
mod profile;

pub use profile::NoiseProfile;

use super::{EffectSpec, PLAIN, Parameter, ParameterKind, Scale, Unit};

/// The effects of the family, in listing order.
pub(super) static ALL: &[&EffectSpec] = &[&denoise::SPEC, &declick::SPEC, &dehum::SPEC];

/// A number parameter with a default.
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
    Parameter { name, title, help, kind, ..PLAIN }
}
