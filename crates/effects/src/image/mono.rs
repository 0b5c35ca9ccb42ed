//! Mixes all channels into one.

use super::matrix::Matrix;
use crate::{Arguments, Effect, EffectSpec, Measured, PLAIN, Parameter, ParameterKind, Purpose, Stage};
use audio::AudioFormat;
use base::error::{Error, Result};

pub(crate) static SPEC: EffectSpec = EffectSpec {
    name: "mono",
    title: "Mono",
    purpose: Purpose::Image,
    summary: "Mixes all channels into one.",
    documentation: "\
Adds all `N` channels with equal weight. `law` sets the weight:\n\
\n\
- `mean`: `1 / N` (-6.02 dB each for two). What is common to all channels keeps its level, and nothing exceeds full \
scale.\n\
- `power`: `1 / sqrt(N)` (-3.01 dB each for two). What differs between channels keeps its power; what is common \
becomes 3 dB louder.\n\
- `sum`: 1, a plain sum.\n\
\n\
`out=one` gives a single channel; `out=all` keeps the number of channels, all equal, to check how a recording sounds \
in mono. What the channels have with opposite polarity cancels. A low-frequency effects channel counts like any \
other. No latency.",
    source: "The definition of the sum.",
    parameters: &[
        Parameter {
            name: "law",
            title: "Law",
            help: "Weight of each of N channels: mean 1/N, power 1/sqrt(N), sum 1.",
            kind: ParameterKind::Choice { options: &["mean", "power", "sum"], default: "mean" },
            ..PLAIN
        },
        Parameter {
            name: "out",
            title: "Channels out",
            help: "one outputs a single channel; all keeps the number of channels.",
            kind: ParameterKind::Choice { options: &["one", "all"], default: "one" },
            ..PLAIN
        },
    ],
    positional: 1,
    search: "sum channels stereo mixdown",
    aliases: &["to_mono", "mono_mix"],
    selection: None,
    example: "mono(power, out=all)",
    largest_output: 6.001,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let law = match arguments.checked_text("law")? {
        "power" => Law::Power,
        "sum" => Law::Sum,
        _ => Law::Mean,
    };
    Ok(Box::new(Mono { law, all: arguments.checked_text("out")? == "all" }))
}

#[derive(Clone, Copy, Debug)]
enum Law {
    Mean,
    Power,
    Sum,
}

#[derive(Debug)]
struct Mono {
    law: Law,
    all: bool,
}

impl Effect for Mono {
    fn channels_out(&self, channels_in: usize) -> Result<usize> {
        if channels_in == 0 {
            return Err(Error::setting(SPEC.title, "It needs at least one channel"));
        }
        Ok(if self.all { channels_in } else { 1 })
    }

    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let count = input.channels as f64;
        let weight = match self.law {
            Law::Mean => 1.0 / count,
            Law::Power => 1.0 / count.sqrt(),
            Law::Sum => 1.0,
        };
        let row: Vec<_> = (0..input.channels).map(|channel| (channel, weight)).collect();
        Ok(Stage::Process(Box::new(Matrix::new(vec![row; self.channels_out(input.channels)?]))))
    }
}
