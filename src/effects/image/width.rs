//! Stereo width.

use super::matrix::Matrix;
use crate::audio::AudioFormat;
use crate::effects::{
    ALWAYS, Arguments, Effect, EffectSpec, Measured, Parameter, ParameterKind, Purpose, Scale, Stage, Unit,
};
use crate::error::Result;

pub(in crate::effects) static SPEC: EffectSpec = EffectSpec {
    name: "width",
    title: "Width",
    purpose: Purpose::Image,
    summary: "Makes the stereo image narrower or wider.",
    documentation: "\
Scales what differs between left and right and keeps what they share: with `mid = (left + right) / 2` and \
`side = (left - right) / 2`, `left = mid + width side` and `right = mid - width side`. 0 % is mono, 100 % changes nothing, \
200 % doubles the difference; more than that soon sounds out of phase. The sum of both channels is the same at every \
width, so that a mono mix does not change.\n\
\n\
Of more than two channels the first two, front left and front right, are treated. A single channel stays as it is. No \
latency.",
    source: "A. D. Blumlein, British patent 394,325 (1931): shuffling sums and differences.",
    parameters: &[Parameter {
        name: "width",
        title: "Width",
        help: "Of the difference between left and right: 0 % mono, 100 % as it is.",
        used_when: ALWAYS,
        kind: ParameterKind::Number {
            unit: Unit::Percent,
            min: 0.0,
            max: 4.0,
            default: None,
            initial: 1.0,
            scale: Scale::Linear,
        },
    }],
    positional: 1,
    search: "stereo wide narrow mono",
    example: "width(150 %)",
    largest_output: 4.001,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    Ok(Box::new(Width(arguments.checked_number("width")?)))
}

#[derive(Debug)]
struct Width(f64);

impl Effect for Width {
    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        if input.channels < 2 || self.0 == 1.0 {
            return Ok(Stage::Gain(vec![1.0; input.channels]));
        }
        let (near, far) = (0.5 + 0.5 * self.0, 0.5 - 0.5 * self.0);
        Ok(Stage::Process(Box::new(Matrix::of_front_pair(input.channels, [[near, far], [far, near]]))))
    }
}
