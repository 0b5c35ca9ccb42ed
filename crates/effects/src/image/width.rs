//! Stereo width.

use super::matrix::Matrix;
use crate::{Arguments, Effect, EffectSpec, Measured, PLAIN, Parameter, ParameterKind, Purpose, Scale, Stage, Unit};
use audio::AudioFormat;
use base::error::Result;

pub(crate) static SPEC: EffectSpec = EffectSpec {
    name: "width",
    title: "Width",
    purpose: Purpose::Image,
    summary: "Narrows or widens the stereo image.",
    documentation: "\
Scales the difference between left and right and keeps their sum: with `mid = (left + right) / 2` and `side = (left \
- right) / 2`, `left = mid + width side` and `right = mid - width side`. 0 % is mono, 100 % changes nothing, 200 % \
doubles the difference; higher values soon sound out of phase. The sum of both channels is the same at every width, \
so that a mono mix does not change.\n\
\n\
With more than two channels the first two, front left and front right, are processed. A mono signal is unchanged. No \
latency.",
    source: "A. D. Blumlein, British patent 394,325 (1931): shuffling sums and differences.",
    parameters: &[Parameter {
        name: "width",
        title: "Width",
        help: "Width of the image: 0 % is mono, 100 % is unchanged.",
        kind: ParameterKind::Number {
            unit: Unit::Percent,
            min: 0.0,
            max: 4.0,
            default: None,
            initial: 1.0,
            scale: Scale::Linear,
        },
        ..PLAIN
    }
    .travels(0.0, 2.0)],
    positional: 1,
    search: "wide narrow mono stereo enhance",
    aliases: &["stereo_width", "stereo_widener", "widen"],
    selection: None,
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
