//! Look-ahead limiter.

use super::interpolated::Phases;
use super::limiting::{Limiting, Setup};
use super::parameters::{LINK, lookahead, number, release};
use super::smoothing::coefficient;
use crate::{Arguments, Effect, EffectSpec, Measured, PLAIN, Parameter, ParameterKind, Purpose, Scale, Stage, Unit};
use audio::AudioFormat;
use base::error::Result;
use base::units::{SampleRate, gain_from_db};

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "limiter",
    title: "Limiter",
    purpose: Purpose::Dynamics,
    summary: "Limits peaks to a ceiling, including peaks between samples.",
    documentation: "\
Limits every peak to `ceiling` by a gain that falls before the peak arrives. The reduction that a peak needs, \
`max(0, 20 log10(peak / ceiling))` dB, is taken as the maximum over the look-ahead, decays exponentially (63 % \
within `release`), and is averaged twice, by running means that together span the look-ahead: in decibels the gain \
falls along two parabolas, and is never higher than any sample allows. Samples below the ceiling that are not near a \
peak are unchanged, bit for bit.\n\
\n\
With `peak=true`, peaks include those of the waveform between samples, interpolated fourfold (twofold from 176.4 kHz \
on) and between these points by parabolas. The height of a waveform with content at half the rate depends on the \
interpolation filter; three are used, with 128, 64 and 32 taps per phase. With a look-ahead of at least 1 ms the \
true peak of the output exceeds the ceiling by at most 0.05 dB, even for white noise and samples of random sign, \
measured according to ITU-R BS.1770 and by 32 times oversampling with 200 taps per phase; by a filter of unlimited \
length, 0.5 dB. The tolerance of EBU Tech 3341 is 0.2 dB. With `peak=sample` only samples count. In either case no \
sample exceeds the ceiling, not even by the last bit.\n\
\n\
`link` moves each channel's reduction towards the greatest of all channels, completely at 100 %, so that the stereo \
image is kept. `lookahead=0` clips each sample separately. `NaN` samples are ignored; infinite samples are output at \
the ceiling.\n\
\n\
Latency: the look-ahead, plus 64 frames of interpolation with `peak=true`; compensated.",
    source: "ITU-R BS.1770-4, annex 2 (true peak); EBU Tech 3341 (tolerances); P. Haemaelaeinen, Smoothing of the control \
             signal without clipped output in digital peak limiters, DAFX (2002).",
    parameters: &[
        number(("ceiling", "Ceiling", "Level that no peak exceeds."), Unit::Db, (-60.0, 0.0, -1.0), Scale::Linear)
            .travels(-24.0, 0.0),
        release("Time in which 63 % of a reduction is released.", 0.05),
        lookahead("How long before a peak the gain begins to fall; the latency is compensated.", 0.005),
        PEAK,
        LINK,
    ],
    positional: 1,
    search: "peak ceiling true peak loud clipping",
    aliases: &["limit", "brickwall", "maximizer", "maximiser", "hard_limiter", "true_peak_limiter"],
    selection: None,
    example: "limiter(-12 dB)",
    largest_output: 1.0,
    build,
};

const PEAK: Parameter = Parameter {
    name: "peak",
    title: "Peak",
    help: "true includes peaks between samples; sample counts samples only.",
    kind: ParameterKind::Choice { options: &["true", "sample"], default: "true" },
    ..PLAIN
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
