//! Levels of channels relative to each other and over time.
//!
//! Effects that mix channels use a [`matrix::Matrix`]. Effects that change each channel separately are gains, which
//! fuse with their neighbours and run on every device. Fades track their position in the stream by counting frames. All
//! of them take a few operations per sample, so memory bandwidth is the lower bound.

mod balance;
mod channel;
mod downmix;
mod fade;
mod fade_in;
mod fade_out;
mod invert;
mod matrix;
mod mid_side;
mod mono;
mod pan;
mod swap;
mod width;

use super::{EffectSpec, PLAIN, Parameter, ParameterKind, Scale, Unit};
use crate::spec::refuse;
use base::error::Result;

/// The effects of the family, in listing order.
pub(super) static ALL: &[&EffectSpec] = &[
    &pan::SPEC,
    &balance::SPEC,
    &width::SPEC,
    &mid_side::SPEC,
    &mono::SPEC,
    &downmix::SPEC,
    &channel::SPEC,
    &swap::SPEC,
    &invert::SPEC,
    &fade_in::SPEC,
    &fade_out::SPEC,
];

/// The highest channel number.
const MAX_CHANNELS: f64 = 64.0;

/// Returns the index of a channel number that counts from 1.
fn index_of(effect: &str, parameter: &str, number: usize, channels: usize) -> Result<usize> {
    if number > channels {
        let allowed = if channels == 1 { "1, the only channel".to_owned() } else { format!("1 to {channels}") };
        return Err(refuse(effect, parameter, &format!("{allowed}, not {number}")));
    }
    Ok(number - 1)
}

/// A channel parameter, counted from 1.
const fn channel_number(name: &'static str, title: &'static str, help: &'static str, default: f64) -> Parameter {
    let kind = ParameterKind::Number {
        unit: Unit::None,
        min: 1.0,
        max: MAX_CHANNELS,
        default: Some(default),
        initial: default,
        scale: Scale::Index,
    };
    Parameter { name, title, help, kind, ..PLAIN }
}

/// A position parameter from left (-100 %) to right (100 %).
const fn position(help: &'static str) -> Parameter {
    let kind = ParameterKind::Number {
        unit: Unit::Percent,
        min: -1.0,
        max: 1.0,
        default: None,
        initial: 0.0,
        scale: Scale::Linear,
    };
    Parameter { name: "position", title: "Position", help, kind, ..PLAIN }
}
