//! Fade-in.

use super::fade::{CURVES, Curve, Fade, time};
use crate::{Arguments, Effect, EffectSpec, Measured, Purpose, Scale, SelectionUse, Stage};
use audio::AudioFormat;
use base::error::Result;

pub(crate) static SPEC: EffectSpec = EffectSpec {
    name: "fade_in",
    title: "Fade in",
    purpose: Purpose::Level,
    summary: "Fades in from silence.",
    documentation: "\
Multiplies the beginning by a gain that rises from 0 to 1 over `duration`. The fade begins at `start`; everything \
before it is silent. With `x` from 0 to 1 along the fade, `curve` is\n\
\n\
- `linear`: `x`; crossfades equal signals at constant amplitude.\n\
- `equal_power`: `sin(x pi / 2)`; crossfades different signals at constant power.\n\
- `exponential`: linear in decibels from -60 dB, shifted to begin at 0: slow at first.\n\
- `s_curve`: `(1 - cos(x pi)) / 2`: gentle at both ends.\n\
- `logarithmic`: the exponential curve mirrored: fast at first.\n\
\n\
Frame `n` of the fade has `x = n / (duration rate)`: the first frame is silent, and the first after the fade has \
full level; what follows is unchanged, bit for bit. No latency.",
    source: "U. Zölzer, DAFX: Digital Audio Effects, chapter on time-varying amplitude.",
    parameters: &[
        time("duration", "Duration", "Length of the fade.", None, 1.0).on(Scale::Log).to_selection(0.01),
        CURVES,
        time("start", "Start", "Start of the fade; everything before is silent.", Some(0.0), 0.0)
            .to_length(0.0)
            .rests(0.0, "Beginning"),
    ],
    positional: 1,
    search: "fade ramp begin start smooth",
    aliases: &["fadein"],
    selection: Some(SelectionUse::FadeIn),
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
