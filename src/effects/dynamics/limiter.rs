//! Look-ahead limiter.

use super::interpolated::Phases;
use super::limiting::{Limiting, Setup};
use super::parameters::{LINK, lookahead, number, release};
use super::smoothing::coefficient;
use crate::audio::AudioFormat;
use crate::effects::{
    ALWAYS, Arguments, Effect, EffectSpec, Measured, Parameter, ParameterKind, Purpose, Scale, Stage, Unit,
};
use crate::error::Result;
use crate::units::{SampleRate, gain_from_db};

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "limiter",
    title: "Limiter",
    purpose: Purpose::Dynamics,
    summary: "Lets no peak above a ceiling, between samples neither, without clipping.",
    documentation: "\
Brings every peak to `ceiling` at the most by a gain that is down before the peak comes. The reduction that a peak needs, \
`max(0, 20 log10(peak / ceiling))` dB, is taken as the greatest over the look-ahead, goes back exponentially (63 % within \
`release`), and is averaged twice, by running means that reach over the look-ahead together: in decibels the gain sets \
in along two parabolas, and is never less down than any sample needs. What stays below the ceiling, and is not near a \
peak, passes bit for bit.\n\
\n\
With `peak=true` peaks are those of the waveform between samples as well, interpolated fourfold (twofold from 176.4 kHz \
on) and between these points by parabolas. How high a waveform goes that has something at half the rate depends on the \
filter that looks, so that three do, of 128, 64 and 32 taps a phase. With a look-ahead of 1 ms and more the true peak of \
the output exceeds the ceiling by no more than 0.05 dB, white noise and samples of random signs among it, both as ITU-R \
BS.1770 measures and by 32 times oversampling with 200 taps a phase; by a filter that reaches on without end, 0.5 dB. The \
tolerance of EBU Tech \
3341 is 0.2 dB. With `peak=sample` only the samples count. In either case no sample \
exceeds the ceiling, not by the last bit.\n\
\n\
`link` takes each channel's reduction to the greatest of all, at 100 % wholly, so that the image stays where it is. \
`lookahead=0` clips each sample by itself. Samples that are no numbers are not heard; infinities come out at the \
ceiling.\n\
\n\
Latency: the look-ahead, with `peak=true` and 64 frames of the interpolation; compensated.",
    source: "ITU-R BS.1770-4, annex 2 (true peak); EBU Tech 3341 (tolerances); P. Haemaelaeinen, Smoothing of the control \
             signal without clipped output in digital peak limiters, DAFX (2002).",
    parameters: &[
        number(("ceiling", "Ceiling", "The level that no peak exceeds."), Unit::Db, (-60.0, 0.0, -1.0), Scale::Linear),
        release("How fast a reduction goes back: 63 % within this time.", 0.05),
        lookahead("How long before a peak the gain begins to fall; it is compensated.", 0.005),
        PEAK,
        LINK,
    ],
    positional: 1,
    search: "peak ceiling true peak loud brickwall maximiser",
    example: "limiter(-12 dB)",
    largest_output: 1.0,
    build,
};

const PEAK: Parameter = Parameter {
    name: "peak",
    title: "Peak",
    help: "true: between samples as well; sample: the samples alone.",
    used_when: ALWAYS,
    kind: ParameterKind::Choice { options: &["true", "sample"], default: "true" },
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let number = |name| arguments.checked_number(name);
    Ok(Box::new(Limiter {
        ceiling_db: number("ceiling")?,
        release_s: number("release")?,
        lookahead_s: number("lookahead")?,
        true_peak: arguments.checked_text("peak")? == "true",
        link: number("link")?,
    }))
}

#[derive(Debug)]
struct Limiter {
    ceiling_db: f64,
    release_s: f64,
    lookahead_s: f64,
    true_peak: bool,
    link: f64,
}

impl Limiter {
    fn lookahead_frames(&self, rate: SampleRate) -> usize {
        rate.frames_from_seconds(self.lookahead_s) as usize
    }
}

impl Effect for Limiter {
    fn latency_frames(&self, input: AudioFormat) -> u64 {
        Setup::latency(self.lookahead_frames(input.rate), self.true_peak) as u64
    }

    fn memory_frames(&self, input: AudioFormat) -> u64 {
        let rate = input.rate;
        rate.frames_from_seconds((16.0 * self.release_s).min(10.0) + 3.0 * self.lookahead_s) + 128
    }

    fn transfer_db(&self, level_db: f64) -> Option<f64> {
        Some(level_db.min(self.ceiling_db))
    }

    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let setup = Setup {
            ceiling: gain_from_db(self.ceiling_db),
            release: coefficient(self.release_s, input.rate),
            lookahead_frames: self.lookahead_frames(input.rate),
            phases: self.true_peak.then(|| Phases::new(input.rate)),
            link: self.link as f32,
        };
        Ok(Stage::Process(Box::new(Limiting::new(&setup, input.channels))))
    }
}
