//! Pan: positions a source between left and right.

use std::f64::consts::FRAC_PI_2;

use super::matrix::Matrix;
use super::position;
use crate::{Arguments, Effect, EffectSpec, Measured, PLAIN, Parameter, ParameterKind, Purpose, Stage};
use audio::AudioFormat;
use base::error::{Error, Result};

pub(crate) static SPEC: EffectSpec = EffectSpec {
    name: "pan",
    title: "Pan",
    purpose: Purpose::Image,
    summary: "Places the sound between left and right.",
    documentation: "\
Places the input between left (`position=-100 %`) and right (`100 %`). With `u` from 0 (left) to 1 (right), a mono \
signal becomes `left = g(1 - u)` and `right = g(u)` times the input. The `law` is named after the level of both \
sides at the centre:\n\
\n\
- `power` (-3.01 dB): `g(u) = sin(u pi / 2)`; the sum of powers stays 1. For loudspeakers in a room.\n\
- `compromise` (-4.5 dB): `g(u) = sqrt(u sin(u pi / 2))`, between power and linear.\n\
- `linear` (-6.02 dB): `g(u) = u`; the sum of amplitudes stays 1. For signals that may be mixed to mono.\n\
- `balance` (0 dB): `g(u) = min(1, 2 u)`; the centre keeps its level.\n\
\n\
Of a stereo signal, the far channel moves across: at -50 % the left channel stays and the right one is in the \
middle, at -100 % both are on the left; at the centre nothing changes. With more channels, the first two, front left \
and front right, are panned and the others are unchanged. One input channel gives two; otherwise the number of \
channels is kept. No latency.",
    source: "B. Bauer, Phasor analysis of some stereophonic phenomena (1961); W3C, Web Audio API, StereoPannerNode \
             (stereo input).",
    parameters: &[
        position("From -100 % (left) to 100 % (right)."),
        Parameter {
            name: "law",
            title: "Law",
            help: "Level of both sides at the centre: power -3 dB, compromise -4.5 dB, linear -6 dB, balance 0 dB.",
            kind: ParameterKind::Choice { options: &["power", "compromise", "linear", "balance"], default: "power" },
            ..PLAIN
        },
    ],
    positional: 1,
    search: "left right balance stereo position",
    aliases: &["panning", "panorama"],
    selection: None,
    example: "pan(-30 %)",
    largest_output: 2.0,
    build,
};

#[derive(Clone, Copy, Debug)]
enum Law {
    Power,
    Compromise,
    Linear,
    Balance,
}

impl Law {
    /// Returns the gain of the side at `u = 1` for a source at `u`.
    fn gain(self, u: f64) -> f64 {
        match self {
            // The ends are exact, so that nothing remains on the other side.
            _ if u <= 0.0 => 0.0,
            _ if u >= 1.0 => 1.0,
            Self::Power => (u * FRAC_PI_2).sin(),
            Self::Compromise => (u * (u * FRAC_PI_2).sin()).sqrt(),
            Self::Linear => u,
            Self::Balance => (2.0 * u).min(1.0),
        }
    }
}

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let law = match arguments.checked_text("law")? {
        "compromise" => Law::Compromise,
        "linear" => Law::Linear,
        "balance" => Law::Balance,
        _ => Law::Power,
    };
    Ok(Box::new(Pan { position: arguments.checked_number("position")?, law }))
}

#[derive(Debug)]
struct Pan {
    position: f64,
    law: Law,
}

impl Effect for Pan {
    fn channels_out(&self, channels_in: usize) -> Result<usize> {
        if channels_in == 0 {
            return Err(Error::setting(SPEC.title, "It needs at least one channel"));
        }
        Ok(channels_in.max(2))
    }

    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let gain = |u| self.law.gain(u);
        if input.channels == 1 {
            let u = 0.5 + 0.5 * self.position;
            return Ok(Stage::Process(Box::new(Matrix::new(vec![vec![(0, gain(1.0 - u))], vec![(0, gain(u))]]))));
        }
        // The remaining distance of the far channel from the near side.
        let rows = if self.position <= 0.0 {
            let u = 1.0 + self.position;
            [[1.0, gain(1.0 - u)], [0.0, gain(u)]]
        } else {
            let u = 1.0 - self.position;
            [[gain(u), 0.0], [gain(1.0 - u), 1.0]]
        };
        Ok(Stage::Process(Box::new(Matrix::of_front_pair(input.channels, rows))))
    }
}
