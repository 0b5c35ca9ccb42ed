//! Levels of channels against each other, and over time.
//!
//! What mixes channels of the same frame is a [`matrix::Matrix`]; what changes each channel by itself is a gain, which
//! fuses with its neighbours and runs on every device. Fades know their place in the stream by counting frames. All of
//! them cost a few operations per sample: memory bandwidth is the floor.

mod balance;
mod channel;
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

use super::{EffectSpec, Parameter, ParameterKind, Scale, Unit};
use crate::error::{Error, Result};

/// The family's effects, in the order in which they are listed.
pub(super) static ALL: &[&EffectSpec] = &[
    &pan::SPEC,
    &balance::SPEC,
    &width::SPEC,
    &mid_side::SPEC,
    &mono::SPEC,
    &channel::SPEC,
    &swap::SPEC,
    &invert::SPEC,
    &fade_in::SPEC,
    &fade_out::SPEC,
];

/// The most channels that can be named.
const MOST_CHANNELS: f64 = 64.0;

/// A channel counted from 1 as an index.
///
/// # Errors
/// [`Error::Invalid`] when the stream has no such channel; `what` names effect and parameter.
fn index_of(what: &str, number: usize, channels: usize) -> Result<usize> {
    if number > channels {
        let allowed = if channels == 1 { "1, the only channel".to_owned() } else { format!("1 to {channels}") };
        return Err(Error::invalid(what, format!("channel {number}"), allowed));
    }
    Ok(number - 1)
}

/// A channel, counted from 1.
const fn channel_number(name: &'static str, title: &'static str, help: &'static str, default: f64) -> Parameter {
    let kind = ParameterKind::Number {
        unit: Unit::None,
        min: 1.0,
        max: MOST_CHANNELS,
        default: Some(default),
        initial: default,
        scale: Scale::Integer,
    };
    Parameter { name, title, help, kind }
}

/// A place between left (-100 %) and right (100 %).
const fn position(help: &'static str) -> Parameter {
    let kind = ParameterKind::Number {
        unit: Unit::Percent,
        min: -1.0,
        max: 1.0,
        default: None,
        initial: 0.0,
        scale: Scale::Linear,
    };
    Parameter { name: "position", title: "Position", help, kind }
}
