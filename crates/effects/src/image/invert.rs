//! Inverts the polarity of channels.

use super::{MAX_CHANNELS, index_of};
use crate::{Arguments, Effect, EffectSpec, Measured, PLAIN, Parameter, ParameterKind, Purpose, Scale, Stage, Unit};
use audio::AudioFormat;
use base::error::Result;

pub(crate) static SPEC: EffectSpec = EffectSpec {
    name: "invert",
    title: "Invert polarity",
    purpose: Purpose::Image,
    summary: "Inverts the polarity of all channels or of one.",
    documentation: "\
Multiplies by -1. With `channel=0` all channels, otherwise the one with this number, counted from 1 in the order of \
the file; `invert(2)` repairs a recording whose right channel was wired in reverse, which sounds hollow and cancels \
in mono. It inverts the polarity, which is not a phase shift in time.\n\
\n\
A channel that does not exist is refused. It is a gain per channel, fuses with neighbouring gains and has no \
latency.",
    source: "AES26 (polarity of audio signals).",
    parameters: &[Parameter {
        name: "channel",
        title: "Channel",
        help: "Channel to invert, counted from 1; 0 inverts all.",
        kind: ParameterKind::Number {
            unit: Unit::None,
            min: 0.0,
            max: MAX_CHANNELS,
            default: Some(0.0),
            initial: 0.0,
            scale: Scale::Index,
        },
        ..PLAIN
    }
    .rests(0.0, "All")],
    positional: 1,
    search: "phase flip reverse",
    aliases: &["polarity", "invert_polarity", "phase_invert"],
    selection: None,
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
