//! Changes tempo and pitch independently, by a phase vocoder.
//!
//! [`stretcher`] turns a stream into one of another length. [`time_stretch`] puts that out; [`pitch_shift`] restores
//! the original length with the resampler of [`crate::measure`].

mod envelope;
mod onsets;
mod pitch_shift;
mod stretcher;
mod time_stretch;
mod timeline;
mod vocoder;

use super::{ALWAYS, EffectSpec, Parameter, ParameterKind, Scale, Unit};

/// The effects of the family, in listing order.
pub(super) static ALL: &[&EffectSpec] = &[&time_stretch::SPEC, &pitch_shift::SPEC];

const TRANSIENTS: Parameter = Parameter {
    name: "transients",
    title: "Transients",
    help: "crisp: what begins suddenly stays sharp and in its place; smooth: it is treated like all else.",
    used_when: ALWAYS,
    kind: ParameterKind::Choice { options: &["crisp", "smooth"], default: "crisp" },
};

const WINDOW: Parameter = Parameter {
    name: "window",
    title: "Window",
    help: "Long ones part tones that are close, short ones follow speech.",
    used_when: ALWAYS,
    kind: ParameterKind::Number {
        unit: Unit::Seconds,
        min: 0.01,
        max: 0.3,
        default: Some(0.085),
        initial: 0.085,
        scale: Scale::Log,
    },
};
