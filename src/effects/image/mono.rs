//! Mixes all channels into one.

use super::matrix::Matrix;
use crate::audio::AudioFormat;
use crate::effects::{ALWAYS, Arguments, Effect, EffectSpec, Measured, Parameter, ParameterKind, Purpose, Stage};
use crate::error::{Error, Result};

pub(in crate::effects) static SPEC: EffectSpec = EffectSpec {
    name: "mono",
    title: "Mono",
    purpose: Purpose::Image,
    summary: "Mixes all channels into one.",
    documentation: "\
Adds up all `N` channels, each with the same weight, by the `law`:\n\
\n\
- `mean`: `1 / N` (-6.02 dB each of two). What all channels share keeps its level and nothing can go beyond full scale.\n\
- `power`: `1 / sqrt(N)` (-3.01 dB each of two). What differs between channels keeps its power; what they share becomes \
3 dB louder.\n\
- `sum`: 1. As they are, added up.\n\
\n\
`out=one` gives a single channel; `out=all` as many as there were, all the same, which shows how a recording sounds in \
mono. What the channels have with opposite signs cancels. A low-frequency effects channel counts as any other. No latency.",
    source: "The definition of the sum.",
    parameters: &[
        Parameter {
            name: "law",
            title: "Law",
            help: "Weight of each of N channels: mean 1/N, power 1/sqrt(N), sum 1.",
            used_when: ALWAYS,
            kind: ParameterKind::Choice { options: &["mean", "power", "sum"], default: "mean" },
        },
        Parameter {
            name: "out",
            title: "Channels out",
            help: "one channel, or all that there were, alike.",
            used_when: ALWAYS,
            kind: ParameterKind::Choice { options: &["one", "all"], default: "one" },
        },
    ],
    positional: 1,
    search: "sum channels stereo",
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
