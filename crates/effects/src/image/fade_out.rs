//! Fade-out.

use super::fade::{CURVES, Curve, Fade, time};
use crate::{Arguments, Effect, EffectSpec, Measured, Purpose, Scale, SelectionUse, Stage, WholeSignal};
use audio::AudioFormat;
use base::error::Result;

pub(crate) static SPEC: EffectSpec = EffectSpec {
    name: "fade_out",
    title: "Fade out",
    purpose: Purpose::Level,
    summary: "Fades out to silence.",
    documentation: "\
Multiplies the end by a gain that falls from 1 to 0 over `duration`: `fade_in` reversed, with the same curves. The \
last frame is silent. `before` moves the silence to that time before the end. A fade longer than the signal starts \
within itself, below full level.\n\
\n\
The end follows from the length of the signal at this place in the chain, after effects that change rate, duration \
or length. It is known without a pass over the signal, but a preview follows a changed length only when the \
measurements of the whole signal are up to date. Tails appended by `--tail` come after the end and are silent: an \
echo after the fade continues, one before it does not.\n\
\n\
Everything before the fade is unchanged, bit for bit. No latency.",
    source: "U. Zölzer, DAFX: Digital Audio Effects, chapter on time-varying amplitude.",
    parameters: &[
        time("duration", "Duration", "Length of the fade.", None, 1.0).on(Scale::Log).to_selection(0.01),
        CURVES,
        time("before", "Before the end", "Length of the silence after the fade.", Some(0.0), 0.0)
            .to_length(0.0)
            .rests(0.0, "None"),
    ],
    positional: 1,
    search: "fade ramp end finish smooth",
    aliases: &["fadeout"],
    selection: Some(SelectionUse::FadeOut),
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
