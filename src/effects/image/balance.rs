//! Balance: attenuates one side against the other.

use std::f64::consts::FRAC_PI_2;

use super::position;
use crate::audio::AudioFormat;
use crate::effects::{ALWAYS, Arguments, Effect, EffectSpec, Measured, Parameter, ParameterKind, Purpose, Stage};
use crate::error::Result;

pub(in crate::effects) static SPEC: EffectSpec = EffectSpec {
    name: "balance",
    title: "Balance",
    purpose: Purpose::Image,
    summary: "Makes the left or the right side softer.",
    documentation: "\
Turned to the right (`position` above 0) the left channel becomes softer, and the other way round; the side that is turned \
to keeps its level, and nothing moves across (`pan` does that). With `p = |position|` the softer side is multiplied by \
`1 - p` (`curve=linear`) or by `cos(p pi / 2)` (`curve=sine`, gentle about the centre); at -100 % and 100 % it is silent. \
At the centre nothing changes.\n\
\n\
Of more than two channels the first two, front left and front right, are balanced. A single channel has no sides and \
stays as it is. It is a gain of each channel: no latency.",
    source: "The balance control of stereophonic amplifiers (IEC 60268-3).",
    parameters: &[
        position("Towards the side that keeps its level, from -100 %, left, to 100 %, right."),
        Parameter {
            name: "curve",
            title: "Curve",
            help: "How the other side becomes softer: linear, or sine.",
            used_when: ALWAYS,
            kind: ParameterKind::Choice { options: &["linear", "sine"], default: "linear" },
        },
    ],
    positional: 1,
    search: "left right pan stereo",
    example: "balance(25 %)",
    largest_output: 1.0,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let position = arguments.checked_number("position")?;
    let sine = arguments.checked_text("curve")? == "sine";
    Ok(Box::new(Balance { position, sine }))
}

#[derive(Debug)]
struct Balance {
    position: f64,
    sine: bool,
}

impl Effect for Balance {
    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let turned = self.position.abs();
        let softer = match turned {
            1.0 => 0.0,
            _ if self.sine => (turned * FRAC_PI_2).cos(),
            _ => 1.0 - turned,
        };
        let mut gains = vec![1.0; input.channels];
        if input.channels > 1 {
            gains[usize::from(self.position < 0.0)] = softer;
        }
        Ok(Stage::Gain(gains))
    }
}
