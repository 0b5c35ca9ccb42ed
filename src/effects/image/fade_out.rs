//! Fade-out.

use super::fade::{CURVES, Curve, Fade, time};
use crate::audio::AudioFormat;
use crate::effects::{Arguments, Effect, EffectSpec, Measured, Purpose, Stage, WholeSignal};
use crate::error::Result;

pub(in crate::effects) static SPEC: EffectSpec = EffectSpec {
    name: "fade_out",
    title: "Fade out",
    purpose: Purpose::Level,
    summary: "Lets the end sink into silence.",
    documentation: "\
Multiplies the end by a gain that goes from 1 to 0 over `duration`, as `fade_in` backwards and with its curves: the last \
frame is silent. With `before` the silence begins that much before the end. A fade longer than the signal begins within \
itself, at less than the full level.\n\
\n\
Where the end is follows from the length of what comes to this place of the chain, after effects that change rate, \
duration or length; it is known without listening to the signal, but a preview hears the change of a length only when \
what is measured of the whole signal is up to date. Tails that `--tail` appends come after the end and are silent, so \
that an echo behind the fade sounds on and one before it does not.\n\
\n\
All before the fade stays as it is, to the last bit. No latency.",
    source: "U. Zölzer, DAFX: Digital Audio Effects, chapter on time-varying amplitude.",
    parameters: &[
        time("duration", "Duration", "How long the fall takes.", None, 1.0),
        CURVES,
        time("before", "Before the end", "How long the silence behind it lasts.", Some(0.0), 0.0),
    ],
    positional: 1,
    search: "ramp end",
    example: "fade_out(30 ms, exponential)",
    largest_output: 1.0,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    Ok(Box::new(FadeOut {
        duration_s: arguments.checked_number("duration")?,
        before_s: arguments.checked_number("before")?,
        curve: Curve::of(arguments.checked_text("curve")?),
    }))
}

#[derive(Debug)]
struct FadeOut {
    duration_s: f64,
    before_s: f64,
    curve: Curve,
}

impl Effect for FadeOut {
    fn whole_signal(&self) -> Option<WholeSignal> {
        Some(WholeSignal::Frames)
    }

    fn stage(&self, input: AudioFormat, measured: Option<&Measured>) -> Result<Stage> {
        let before = input.rate.frames_from_seconds(self.before_s) as i64;
        let frames = input.rate.frames_from_seconds(self.duration_s);
        // The last frame is silent, like the first of a fade-in. With a duration of 0 it is kept.
        let silent = measured.map_or(i64::MAX, |measured| measured.frames as i64 - 1 - before);
        Ok(Stage::Process(Box::new(Fade::falling(self.curve, silent, frames))))
    }
}
