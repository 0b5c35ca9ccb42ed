//! Balance: attenuates one side against the other.

use std::f64::consts::FRAC_PI_2;

use super::position;
use crate::{Arguments, Effect, EffectSpec, Measured, PLAIN, Parameter, ParameterKind, Purpose, Stage};
use audio::AudioFormat;
use base::error::Result;

pub(crate) static SPEC: EffectSpec = EffectSpec {
    name: "balance",
    title: "Balance",
    purpose: Purpose::Image,
    summary: "Attenuates the left or the right side.",
    documentation: "\
A `position` above 0 attenuates the left channel, one below 0 the right; the other side keeps its level, and no \
sound moves across (for that, use `pan`). With `p = |position|` the attenuated side is multiplied by `1 - p` \
(`curve=linear`) or by `cos(p pi / 2)` (`curve=sine`, gentle near the centre); at -100 % and 100 % it is silent. At \
the centre nothing changes.\n\
\n\
With more than two channels the first two, front left and front right, are balanced. A mono signal is unchanged. It \
is a gain per channel: no latency.",
    source: "The balance control of stereophonic amplifiers (IEC 60268-3).",
    parameters: &[
        position("From -100 % (left only) to 100 % (right only)."),
        Parameter {
            name: "curve",
            title: "Curve",
            help: "Curve of the attenuation.",
            kind: ParameterKind::Choice { options: &["linear", "sine"], default: "linear" },
            ..PLAIN
        },
    ],
    positional: 1,
    search: "left right pan stereo",
    aliases: &["stereo_balance"],
    selection: None,
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
