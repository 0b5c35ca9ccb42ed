//! Inverts the polarity of channels.

use super::{MAX_CHANNELS, index_of};
use crate::audio::AudioFormat;
use crate::effects::{
    ALWAYS, Arguments, Effect, EffectSpec, Measured, Parameter, ParameterKind, Purpose, Scale, Stage, Unit,
};
use crate::error::Result;

pub(in crate::effects) static SPEC: EffectSpec = EffectSpec {
    name: "invert",
    title: "Invert polarity",
    purpose: Purpose::Image,
    summary: "Turns the sign of all samples round, of all channels or of one.",
    documentation: "\
Multiplies by -1: what pushed now pulls. With `channel=0` all channels, otherwise the one of that number, counted from 1 \
in the order of the file; `invert(2)` mends a recording whose right channel was wired the wrong way round, which sounds \
hollow and cancels in mono. It turns the polarity, which is not a shift of the phase by a time.\n\
\n\
A channel that is not there is refused. It is a gain of each channel, fuses with its neighbours and has no latency.",
    source: "AES26 (polarity of audio signals).",
    parameters: &[Parameter {
        name: "channel",
        title: "Channel",
        help: "Which, counted from 1; 0 inverts all.",
        used_when: ALWAYS,
        kind: ParameterKind::Number {
            unit: Unit::None,
            min: 0.0,
            max: MAX_CHANNELS,
            default: Some(0.0),
            initial: 0.0,
            scale: Scale::Integer,
        },
    }],
    positional: 1,
    search: "polarity phase flip",
    example: "invert",
    largest_output: 1.0,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    Ok(Box::new(Invert { number: arguments.checked_number("channel")? as usize }))
}

#[derive(Debug)]
struct Invert {
    number: usize,
}

impl Effect for Invert {
    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        if self.number == 0 {
            return Ok(Stage::Gain(vec![-1.0; input.channels]));
        }
        let mut gains = vec![1.0; input.channels];
        gains[index_of("invert", "channel", self.number, input.channels)?] = -1.0;
        Ok(Stage::Gain(gains))
    }
}
