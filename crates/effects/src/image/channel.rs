//! Selects one of several channels.

use super::matrix::Matrix;
use super::{channel_number, index_of};
use crate::{Arguments, Effect, EffectSpec, Measured, PLAIN, Parameter, ParameterKind, Purpose, Stage};
use audio::AudioFormat;
use base::error::Result;

pub(crate) static SPEC: EffectSpec = EffectSpec {
    name: "channel",
    title: "One channel",
    purpose: Purpose::Image,
    summary: "Keeps one channel and removes the others.",
    documentation: "\
Keeps the channel `channel`, counted from 1 in the order of the file: 1 is left, 2 right; in 5.1, 3 is the centre, 4 \
the low-frequency effects, 5 and 6 the surrounds. Its samples are unchanged, bit for bit.\n\
\n\
`out=one` gives this channel alone; `out=all` keeps the number of channels, each with its samples, so that it sounds \
from everywhere. A channel that does not exist is refused. No latency.",
    source: "The order of channels of WAVE files (Microsoft, Multiple channel audio data and WAVE files).",
    parameters: &[
        channel_number("channel", "Channel", "Channel to keep: 1 is left, 2 right.", 1.0),
        Parameter {
            name: "out",
            title: "Channels out",
            help: "one outputs a single channel; all keeps the number of channels.",
            kind: ParameterKind::Choice { options: &["one", "all"], default: "one" },
            ..PLAIN
        },
    ],
    positional: 1,
    search: "left right only solo",
    aliases: &["extract_channel", "pick_channel"],
    selection: None,
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
