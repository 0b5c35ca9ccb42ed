//! Mid/side encoding and decoding.

use std::f64::consts::FRAC_1_SQRT_2;

use super::matrix::Matrix;
use crate::{Arguments, Effect, EffectSpec, Measured, PLAIN, Parameter, ParameterKind, Purpose, Stage};
use audio::AudioFormat;
use base::error::{Error, Result};

pub(crate) static SPEC: EffectSpec = EffectSpec {
    name: "mid_side",
    title: "Mid/side",
    purpose: Purpose::Image,
    summary: "Converts left/right to mid/side, or back.",
    documentation: "\
`direction=encode` puts the sum into the first channel and the difference into the second, so that the following \
effects process them separately; `direction=decode` converts back:\n\
\n\
- `scale=half`: `mid = (left + right) / 2`, `side = (left - right) / 2`; `left = mid + side`, `right = mid - side`. \
What is in the middle keeps its level.\n\
- `scale=power`: all four with `1 / sqrt(2)`; encoding and decoding are the same operation, and the power of both is \
kept.\n\
\n\
Encoding and decoding with the same `scale` restores the input to the rounding of 32-bit floats. With more than two \
channels the first two are processed; a mono signal is refused. No latency.",
    source: "A. D. Blumlein, British patent 394,325 (1931).",
    parameters: &[
        Parameter {
            name: "direction",
            title: "Direction",
            help: "encode converts to mid and side; decode back to left and right.",
            kind: ParameterKind::Choice { options: &["encode", "decode"], default: "encode" },
            ..PLAIN
        },
        Parameter {
            name: "scale",
            title: "Scale",
            help: "half keeps the level of the middle; power makes both directions equal.",
            kind: ParameterKind::Choice { options: &["half", "power"], default: "half" },
            ..PLAIN
        },
    ],
    positional: 1,
    search: "stereo encode decode",
    aliases: &["ms", "mid_side_encode"],
    selection: None,
    example: "mid_side",
    largest_output: 2.001,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let encodes = arguments.checked_text("direction")? == "encode";
    let weight = match arguments.checked_text("scale")? {
        "power" => FRAC_1_SQRT_2,
        _ if encodes => 0.5,
        _ => 1.0,
    };
    Ok(Box::new(MidSide { weight }))
}

#[derive(Debug)]
struct MidSide {
    weight: f64,
}

impl Effect for MidSide {
    fn channels_out(&self, channels_in: usize) -> Result<usize> {
        if channels_in < 2 {
            return Err(Error::setting(SPEC.title, "It needs a recording with two channels or more"));
        }
        Ok(channels_in)
    }

    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        self.channels_out(input.channels)?;
        let w = self.weight;
        Ok(Stage::Process(Box::new(Matrix::of_front_pair(input.channels, [[w, w], [w, -w]]))))
    }
}
