//! Changes tempo and pitch independently, by a phase vocoder.
//!
//! [`stretcher`] turns a stream into one of another length. [`time_stretch`] puts that out; [`pitch_shift`] restores
//! the original length with the resampler of [`dsp::measure`].

mod envelope;
mod onsets;
mod pitch_shift;
mod stretcher;
mod time_stretch;
mod timeline;
mod vocoder;

use super::{EffectSpec, PLAIN, Parameter, ParameterKind, Scale, Unit};

/// The effects of the family, in listing order.
pub(super) static ALL: &[&EffectSpec] = &[&time_stretch::SPEC, &pitch_shift::SPEC];

const TRANSIENTS: Parameter = Parameter {
    name: "transients",
    title: "Transients",
    help: "crisp keeps attacks sharp and in place; smooth treats them like steady sound.",
    kind: ParameterKind::Choice { options: &["crisp", "smooth"], default: "crisp" },
    ..PLAIN
};

const WINDOW: Parameter = Parameter {
    name: "window",
    title: "Window",
    help: "Analysis window: long separates close tones, short follows speech.",
    kind: ParameterKind::Number {
        unit: Unit::Seconds,
        min: 0.01,
        max: 0.3,
        default: Some(0.085),
        initial: 0.085,
        scale: Scale::Log,
    },
    ..PLAIN
};
