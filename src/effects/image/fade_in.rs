//! Fade-in.

use super::fade::{CURVES, Curve, Fade, time};
use crate::audio::AudioFormat;
use crate::effects::{Arguments, Effect, EffectSpec, Measured, Purpose, Stage};
use crate::error::Result;

pub(in crate::effects) static SPEC: EffectSpec = EffectSpec {
    name: "fade_in",
    title: "Fade in",
    purpose: Purpose::Level,
    summary: "Lets the beginning rise from silence.",
    documentation: "\
Multiplies the beginning by a gain that goes from 0 to 1 over `duration`; with `start` all before that time is silent and \
the fade begins there. With `x` from 0 to 1 along the fade the `curve` is\n\
\n\
- `linear`: `x`; two of them crossing keep the sum of equal signals.\n\
- `equal_power`: `sin(x pi / 2)`; two of them crossing keep the power of different signals.\n\
- `exponential`: evenly in decibels from -60 dB, moved so that it begins at 0: slow at first.\n\
- `s_curve`: `(1 - cos(x pi)) / 2`: gentle at both ends.\n\
- `logarithmic`: the exponential one turned round: fast at first.\n\
\n\
Frame `n` of the fade has `x = n / (duration rate)`: the first is silent, and the first after the fade has the full \
level; what follows stays as it is, to the last bit. No latency.",
    source: "U. Zölzer, DAFX: Digital Audio Effects, chapter on time-varying amplitude.",
    parameters: &[
        time("duration", "Duration", "How long the rise takes.", None, 1.0),
        CURVES,
        time("start", "Start", "Where it begins; all before is silent.", Some(0.0), 0.0),
    ],
    positional: 1,
    search: "ramp begin",
    example: "fade_in(30 ms, s_curve)",
    largest_output: 1.0,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    Ok(Box::new(FadeIn {
        duration_s: arguments.checked_number("duration")?,
        start_s: arguments.checked_number("start")?,
        curve: Curve::of(arguments.checked_text("curve")?),
    }))
}

#[derive(Debug)]
struct FadeIn {
    duration_s: f64,
    start_s: f64,
    curve: Curve,
}

impl Effect for FadeIn {
    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let start = input.rate.frames_from_seconds(self.start_s) as i64;
        let frames = input.rate.frames_from_seconds(self.duration_s);
        Ok(Stage::Process(Box::new(Fade::rising(self.curve, start, frames))))
    }
}
