//! Mid/side encoding and decoding.

use std::f64::consts::FRAC_1_SQRT_2;

use super::matrix::Matrix;
use crate::audio::AudioFormat;
use crate::effects::{ALWAYS, Arguments, Effect, EffectSpec, Measured, Parameter, ParameterKind, Purpose, Stage};
use crate::error::{Error, Result};

pub(in crate::effects) static SPEC: EffectSpec = EffectSpec {
    name: "mid_side",
    title: "Mid/side",
    purpose: Purpose::Image,
    summary: "Turns left and right into mid and side, or back.",
    documentation: "\
`direction=encode` puts the middle into the first channel and the difference into the second, so that the effects behind \
it treat them apart; `direction=decode` goes back:\n\
\n\
- `scale=half`: `mid = (left + right) / 2`, `side = (left - right) / 2`; `left = mid + side`, `right = mid - side`. What \
is in the middle keeps its level.\n\
- `scale=power`: all four with `1 / sqrt(2)`; encoding and decoding are the same, and the power of both stays.\n\
\n\
Both ways in turn, with the same `scale`, give the input back to the rounding of 32-bit floats. Of more than two channels \
the first two are treated; one channel alone is refused. No latency.",
    source: "A. D. Blumlein, British patent 394,325 (1931).",
    parameters: &[
        Parameter {
            name: "direction",
            title: "Direction",
            help: "encode: to mid and side; decode: back to left and right.",
            used_when: ALWAYS,
            kind: ParameterKind::Choice { options: &["encode", "decode"], default: "encode" },
        },
        Parameter {
            name: "scale",
            title: "Scale",
            help: "half: the middle keeps its level; power: both directions are the same.",
            used_when: ALWAYS,
            kind: ParameterKind::Choice { options: &["half", "power"], default: "half" },
        },
    ],
    positional: 1,
    search: "stereo ms encode decode",
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
