//! Downward expander.

use super::knee::Knee;
use super::parameters::{
    DETECTOR, HIGHPASS, LINK, LOOKAHEAD, LOWPASS, RMS_TIME, attack, hold, knee, range, ratio, release, threshold,
};
use super::processor::{Dynamics, Law, Setup};
use super::{DetectorSettings, coefficient, detector};
use crate::{Arguments, Effect, EffectSpec, Measured, Purpose, Stage};
use audio::AudioFormat;
use base::error::Result;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "expander",
    title: "Expander",
    purpose: Purpose::Dynamics,
    summary: "Reduces levels below a threshold: noise, bleed, room.",
    documentation: "\
A downward expander, the counterpart of the compressor, in decibels. The level `L` of each sample - its magnitude, \
or with `detector=rms` the root mean square over `rms_time` (an exponential average) - is held for `hold` after it \
has fallen, which bridges the zero crossings of tones down to `1 / (2 hold)`: 50 Hz by default. It gives the target \
reduction\n\
\n\
`r = 0` for `L >= T + W/2`, `(R - 1) (T + W/2 - L)^2 / 2W` within the knee, `(R - 1) (T - L)` for `L <= T - W/2`\n\
\n\
with threshold `T`, ratio `R` and knee `W`, limited to `range`. It is smoothed in decibels by `y = a y + (1 - a) r`, \
`a = exp(-1 / (t rate))`, with `t = attack` while the reduction decreases, as a loud sound begins, and `t = release` \
while it increases: 63 % of a step within these times. The gain is `10^(-y / 20 dB)`.\n\
\n\
`link` moves each channel's target reduction towards the least of all channels, completely at 100 %, so that a loud \
channel opens all. `highpass` and `lowpass` (second-order Butterworth) filter the detector's signal, not the output. \
Samples that are `NaN` or infinite do not reach the detector and pass unchanged.\n\
\n\
Latency: `lookahead`, by which the signal is delayed relative to the detector; compensated.",
    source: "D. Giannoulis, M. Massberg, J. D. Reiss, Digital dynamic range compressor design - a tutorial and analysis, \
             J. Audio Eng. Soc. 60 (2012), its curve mirrored.",
    parameters: &[
        threshold("Level below which the gain is reduced.", -40.0),
        ratio("Output change in dB for 1 dB of input change below the threshold.", 2.0),
        attack("Time in which 63 % of a reduction is released.", 0.005),
        release("Time in which 63 % of a reduction is reached.", 0.1),
        knee(6.0),
        range("Maximum reduction; 120 dB is no limit.", 60.0),
        DETECTOR,
        RMS_TIME,
        hold(0.01),
        LOOKAHEAD,
        LINK,
        LOWPASS,
        HIGHPASS,
    ],
    positional: 2,
    search: "dynamics noise downward bleed",
    aliases: &["expand", "downward_expander"],
    selection: None,
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
