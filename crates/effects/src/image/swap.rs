//! Swaps two channels.

use super::matrix::Matrix;
use super::{channel_number, index_of};
use crate::{Arguments, Effect, EffectSpec, Measured, Purpose, Stage};
use audio::AudioFormat;
use base::error::Result;

pub(crate) static SPEC: EffectSpec = EffectSpec {
    name: "swap",
    title: "Swap channels",
    purpose: Purpose::Image,
    summary: "Swaps two channels.",
    documentation: "\
Swaps the channels `first` and `second`, counted from 1 in the order of the file; by default left and right, for a \
recording with crossed cables. All other channels stay in place. Samples are unchanged, bit for bit. Channels that \
do not exist are refused, so that a mono recording has nothing to swap; the same channel twice changes nothing. No \
latency.",
    source: "The order of channels of WAVE files (Microsoft, Multiple channel audio data and WAVE files).",
    parameters: &[
        channel_number("first", "First", "First channel, counted from 1.", 1.0),
        channel_number("second", "Second", "Second channel, counted from 1.", 2.0),
    ],
    positional: 2,
    search: "left right exchange channels stereo reverse",
    aliases: &["swap_channels", "remap"],
    selection: None,
    example: "swap",
    largest_output: 1.0,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let number = |name| arguments.checked_number(name).map(|number| number as usize);
    Ok(Box::new(Swap { first: number("first")?, second: number("second")? }))
}

#[derive(Debug)]
struct Swap {
    first: usize,
    second: usize,
}

impl Effect for Swap {
    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let first = index_of("swap", "first", self.first, input.channels)?;
        let second = index_of("swap", "second", self.second, input.channels)?;
        let from = |channel| match channel {
            _ if channel == first => second,
            _ if channel == second => first,
            other => other,
        };
        Ok(Stage::Process(Box::new(Matrix::of_channels((0..input.channels).map(from)))))
    }
}
