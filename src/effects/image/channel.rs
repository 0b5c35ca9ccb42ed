//! Selects one of several channels.

use super::matrix::Matrix;
use super::{channel_number, index_of};
use crate::audio::AudioFormat;
use crate::effects::{ALWAYS, Arguments, Effect, EffectSpec, Measured, Parameter, ParameterKind, Purpose, Stage};
use crate::error::Result;

pub(in crate::effects) static SPEC: EffectSpec = EffectSpec {
    name: "channel",
    title: "One channel",
    purpose: Purpose::Image,
    summary: "Takes one channel and leaves the others out.",
    documentation: "\
Takes the channel `channel`, counted from 1 in the order of the file: 1 is left, 2 right; of 5.1 channels 3 is the centre, \
4 the low-frequency effects, 5 and 6 the surrounds. Its samples stay as they are, to the last bit.\n\
\n\
`out=one` gives that channel alone; `out=all` as many channels as there were, each with its samples, so that it sounds \
from everywhere. A channel that is not there is refused. No latency.",
    source: "The order of channels of WAVE files (Microsoft, Multiple channel audio data and WAVE files).",
    parameters: &[
        channel_number("channel", "Channel", "Which, counted from 1: 1 is left, 2 right.", 1.0),
        Parameter {
            name: "out",
            title: "Channels out",
            help: "one channel, or all that there were, alike.",
            used_when: ALWAYS,
            kind: ParameterKind::Choice { options: &["one", "all"], default: "one" },
        },
    ],
    positional: 1,
    search: "",
    example: "channel(2, out=all)",
    largest_output: 1.0,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let number = arguments.checked_number("channel")? as usize;
    Ok(Box::new(Channel { number, all: arguments.checked_text("out")? == "all" }))
}

#[derive(Debug)]
struct Channel {
    number: usize,
    all: bool,
}

impl Effect for Channel {
    fn channels_out(&self, channels_in: usize) -> Result<usize> {
        index_of("channel", "channel", self.number, channels_in)?;
        Ok(if self.all { channels_in } else { 1 })
    }

    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let index = index_of("channel", "channel", self.number, input.channels)?;
        let count = self.channels_out(input.channels)?;
        Ok(Stage::Process(Box::new(Matrix::of_channels(std::iter::repeat_n(index, count)))))
    }
}
