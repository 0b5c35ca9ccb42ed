//! Downward expander.

use super::knee::Knee;
use super::parameters::{
    DETECTOR, HIGHPASS, LINK, LOOKAHEAD, LOWPASS, RMS_TIME, attack, hold, knee, range, ratio, release, threshold,
};
use super::processor::{Dynamics, Law, Setup};
use super::{DetectorSettings, coefficient, detector};
use crate::audio::AudioFormat;
use crate::effects::{Arguments, Effect, EffectSpec, Measured, Purpose, Stage};
use crate::error::Result;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "expander",
    title: "Expander",
    purpose: Purpose::Dynamics,
    summary: "Turns down what is below a threshold, the more the softer it is: noise, bleed, room.",
    documentation: "\
A downward expander, the compressor's counterpart, in decibels. The level `L` of each sample - its magnitude, or with \
`detector=rms` the root of the mean square over `rms_time` (an exponential average) - counts on for `hold` after it has \
fallen, which bridges the zero crossings of tones down to `1 / (2 hold)`: 50 Hz by default. It gives the wanted \
reduction\n\
\n\
`r = 0` for `L >= T + W/2`, `(R - 1) (T + W/2 - L)^2 / 2W` within the knee, `(R - 1) (T - L)` for `L <= T - W/2`\n\
\n\
with threshold `T`, ratio `R` and knee `W`, and never more than `range`. It is smoothed in decibels by \
`y = a y + (1 - a) r`, `a = exp(-1 / (t rate))`, with `t = attack` while the reduction goes back, as something loud \
begins, and `t = release` while it sets in: 63 % of a step are done within these times. The gain is `10^(-y / 20 dB)`.\n\
\n\
`link` takes each channel's wanted reduction to the least of all, at 100 % wholly, so that what is loud in one channel \
opens all. `highpass` and `lowpass` (second-order Butterworth) filter what the detector hears, not what is heard. \
Samples that are no numbers are not heard by the detector and pass as they are.\n\
\n\
Latency: `lookahead`, by which the signal waits while the detector does not; compensated.",
    source: "D. Giannoulis, M. Massberg, J. D. Reiss, Digital dynamic range compressor design - a tutorial and analysis, \
             J. Audio Eng. Soc. 60 (2012), its curve mirrored.",
    parameters: &[
        threshold("The level below which it reduces.", -40.0),
        ratio("By how many dB the output falls for one dB of the input.", 2.0),
        attack("How fast it opens: 63 % within this time.", 0.005),
        release("How fast a reduction sets in.", 0.1),
        knee(6.0),
        range("The most it reduces.", 60.0),
        DETECTOR,
        RMS_TIME,
        hold(0.01),
        LOOKAHEAD,
        LINK,
        LOWPASS,
        HIGHPASS,
    ],
    positional: 2,
    search: "dynamics noise downward",
    example: "expander(-20 dB, 3)",
    largest_output: 1.001,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let number = |name| arguments.checked_number(name);
    let knee = Knee {
        threshold_db: number("threshold")?,
        width_db: number("knee")?,
        slope: number("ratio")? - 1.0,
        range_db: number("range")?,
        below: true,
    };
    Ok(Box::new(Expander { knee, listening: DetectorSettings::new(arguments)? }))
}

#[derive(Debug)]
struct Expander {
    knee: Knee,
    listening: DetectorSettings,
}

impl Effect for Expander {
    fn latency_frames(&self, input: AudioFormat) -> u64 {
        self.listening.lookahead_frames(input.rate)
    }

    fn memory_frames(&self, input: AudioFormat) -> u64 {
        self.listening.memory_frames(input.rate)
    }

    fn transfer_db(&self, level_db: f64) -> Option<f64> {
        Some(level_db - self.knee.reduction_db(level_db))
    }

    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let Self { knee, listening } = self;
        let rate = input.rate;
        let setup = Setup {
            law: Law::Expand {
                knee: *knee,
                attack: coefficient(listening.attack_s, rate),
                release: coefficient(listening.release_s, rate),
            },
            sense: listening.sense(rate),
            hold_frames: rate.frames_from_seconds(listening.hold_s) as usize,
            lookahead_frames: listening.lookahead_frames(rate) as usize,
            filter: detector::filter("expander", listening.highpass_hz, listening.lowpass_hz, input)?,
            rest: None,
            link: listening.link as f32,
            makeup: 1.0,
        };
        Ok(Stage::Process(Box::new(Dynamics::new(setup, input.channels))))
    }
}
