//! Compressor.

use super::knee::Knee;
use super::parameters::{
    DETECTOR, HIGHPASS, LINK, LOOKAHEAD, LOWPASS, RMS_TIME, attack, hold, knee, number, range, ratio, release,
    threshold,
};
use super::processor::{Dynamics, Law, Setup};
use super::{DetectorSettings, coefficient, detector};
use crate::audio::AudioFormat;
use crate::effects::{
    ALWAYS, Arguments, Effect, EffectSpec, Measured, Parameter, ParameterKind, Purpose, Scale, Stage, Unit,
};
use crate::error::Result;
use crate::units::gain_from_db;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "compressor",
    title: "Compressor",
    purpose: Purpose::Dynamics,
    summary: "Turns down what is above a threshold, so that loud and soft come nearer to each other.",
    documentation: "\
Feed-forward, in decibels. The level `L` of each sample - its magnitude, or with `detector=rms` the root of the mean \
square over `rms_time` (an exponential average; a sine reads 3.01 dB less than its peak) - gives the wanted reduction\n\
\n\
`r = 0` for `L <= T - W/2`, `(1 - 1/R) (L - T + W/2)^2 / 2W` within the knee, `(1 - 1/R) (L - T)` for `L >= T + W/2`\n\
\n\
with threshold `T`, ratio `R` and knee `W`, and never more than `range`. It is smoothed in decibels by the smooth \
decoupled detector, `y1 = max(r, aR y1 + (1 - aR) r)`, `y = aA y + (1 - aA) y1` with `a = exp(-1 / (t rate))`: of a \
reduction that sets in 63 % are there after `attack`; when the level falls, `y1` goes back to 37 % within `release`, \
and `y` follows it by the attack. A steady tone is reduced as its peak says, however low it is, as long as its period is \
short against `release` and `hold`: the level counts on for `hold` after it has fallen. The gain is \
`10^((makeup - y) / 20 dB)`; `auto_makeup=on` adds the reduction of a steady 0 dB, so that full scale stays full scale.\n\
\n\
`link` takes each channel's wanted reduction to the greatest of all, at 100 % wholly, so that the image stays where it \
is. `highpass` and `lowpass` (second-order Butterworth) filter what the detector hears, not what is heard. Samples that \
are no numbers are not heard by the detector and pass as they are.\n\
\n\
Latency: `lookahead`, by which the signal waits while the detector does not; compensated.",
    source: "D. Giannoulis, M. Massberg, J. D. Reiss, Digital dynamic range compressor design - a tutorial and analysis, \
             J. Audio Eng. Soc. 60 (2012).",
    parameters: &[
        threshold("The level above which it reduces.", -20.0),
        ratio("By how many dB the level must rise for one more at the output.", 4.0),
        attack("How fast a reduction sets in: 63 % of it within this time.", 0.005),
        release("How fast it goes back.", 0.05),
        knee(6.0),
        number(("makeup", "Make-up", "Gain after the reduction."), Unit::Db, (-24.0, 48.0, 0.0), Scale::Linear),
        AUTO_MAKEUP,
        range("The most it reduces.", 120.0),
        DETECTOR,
        RMS_TIME,
        hold(0.0),
        LOOKAHEAD,
        LINK,
        LOWPASS,
        HIGHPASS,
    ],
    positional: 2,
    search: "dynamics level squeeze even loudness punch",
    example: "compressor(-30 dB, 4, makeup=6 dB, knee=6 dB)",
    largest_output: 1e9,
    build,
};

const AUTO_MAKEUP: Parameter = Parameter {
    name: "auto_makeup",
    title: "Auto",
    help: "on: full scale stays full scale; the make-up gain is added to that.",
    used_when: ALWAYS,
    kind: ParameterKind::Choice { options: &["off", "on"], default: "off" },
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let number = |name| arguments.checked_number(name);
    let knee = Knee {
        threshold_db: number("threshold")?,
        width_db: number("knee")?,
        slope: 1.0 - 1.0 / number("ratio")?,
        range_db: number("range")?,
        below: false,
    };
    let auto_db = if arguments.checked_text("auto_makeup")? == "on" { knee.reduction_db(0.0) } else { 0.0 };
    let makeup_db = number("makeup")? + auto_db;
    Ok(Box::new(Compressor { knee, makeup_db, listening: DetectorSettings::new(arguments)? }))
}

#[derive(Debug)]
struct Compressor {
    knee: Knee,
    makeup_db: f64,
    listening: DetectorSettings,
}

impl Effect for Compressor {
    fn latency_frames(&self, input: AudioFormat) -> u64 {
        self.listening.lookahead_frames(input.rate)
    }

    fn memory_frames(&self, input: AudioFormat) -> u64 {
        self.listening.memory_frames(input.rate)
    }

    fn transfer_db(&self, level_db: f64) -> Option<f64> {
        Some(level_db - self.knee.reduction_db(level_db) + self.makeup_db)
    }

    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let Self { knee, listening, .. } = self;
        let rate = input.rate;
        let setup = Setup {
            law: Law::Compress {
                knee: *knee,
                attack: coefficient(listening.attack_s, rate),
                release: coefficient(listening.release_s, rate),
            },
            sense: listening.sense(rate),
            hold_frames: rate.frames_from_seconds(listening.hold_s) as usize,
            lookahead_frames: listening.lookahead_frames(rate) as usize,
            filter: detector::filter("compressor", listening.highpass_hz, listening.lowpass_hz, input)?,
            rest: None,
            link: listening.link as f32,
            makeup: gain_from_db(self.makeup_db) as f32,
        };
        Ok(Stage::Process(Box::new(Dynamics::new(setup, input.channels))))
    }
}
