//! Compressor.

use super::knee::Knee;
use super::parameters::{
    DETECTOR, HIGHPASS, LINK, LOOKAHEAD, LOWPASS, RMS_TIME, attack, hold, knee, number, range, ratio, release,
    threshold,
};
use super::processor::{Dynamics, Law, Setup};
use super::{DetectorSettings, coefficient, detector};
use crate::{Arguments, Effect, EffectSpec, Measured, PLAIN, Parameter, ParameterKind, Purpose, Scale, Stage, Unit};
use audio::AudioFormat;
use base::error::Result;
use base::units::gain_from_db;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "compressor",
    title: "Compressor",
    purpose: Purpose::Dynamics,
    summary: "Reduces levels above a threshold, for a smaller dynamic range.",
    documentation: "\
Feed-forward, in decibels. The level `L` of each sample - its magnitude, or with `detector=rms` the root mean square \
over `rms_time` (an exponential average; a sine reads 3.01 dB below its peak) - gives the target reduction\n\
\n\
`r = 0` for `L <= T - W/2`, `(1 - 1/R) (L - T + W/2)^2 / 2W` within the knee, `(1 - 1/R) (L - T)` for `L >= T + W/2`\n\
\n\
with threshold `T`, ratio `R` and knee `W`, limited to `range`. A smooth decoupled detector smooths it in decibels, \
`y1 = max(r, aR y1 + (1 - aR) r)`, `y = aA y + (1 - aA) y1` with `a = exp(-1 / (t rate))`: 63 % of a reduction is \
reached after `attack`; when the level falls, `y1` decays to 37 % within `release`, and `y` follows it with the \
attack. A steady tone is reduced according to its peak, however low it is, as long as its period is short compared \
with `release` and `hold`: the level is held for `hold` after it has fallen. The gain is `10^((makeup - y) / 20 \
dB)`; `auto_makeup=on` adds the reduction of a steady 0 dB, so that full scale stays full scale.\n\
\n\
`link` moves each channel's target reduction towards the greatest of all channels, completely at 100 %, so that the \
stereo image is kept. `highpass` and `lowpass` (second-order Butterworth) filter the detector's signal, not the \
output. Samples that are `NaN` or infinite do not reach the detector and pass unchanged.\n\
\n\
Latency: `lookahead`, by which the signal is delayed relative to the detector; compensated.",
    source: "D. Giannoulis, M. Massberg, J. D. Reiss, Digital dynamic range compressor design - a tutorial and analysis, \
             J. Audio Eng. Soc. 60 (2012).",
    parameters: &[
        threshold("Level above which the gain is reduced.", -20.0),
        ratio("Input change in dB for 1 dB of output change above the threshold.", 4.0),
        attack("Time in which 63 % of a reduction is reached.", 0.005),
        release("Time in which 63 % of a reduction is released.", 0.05),
        knee(6.0),
        number(("makeup", "Make-up", "Gain after the reduction."), Unit::Db, (-24.0, 48.0, 0.0), Scale::Linear)
            .travels(-12.0, 24.0),
        AUTO_MAKEUP,
        range("Maximum reduction; 120 dB is no limit.", 120.0),
        DETECTOR,
        RMS_TIME,
        hold(0.0),
        LOOKAHEAD,
        LINK,
        LOWPASS,
        HIGHPASS,
    ],
    positional: 2,
    search: "compand dynamics level squeeze even loudness punch",
    aliases: &["compress", "dynamic_range_compression"],
    selection: None,
    example: "compressor(-30 dB, 4, makeup=6 dB, knee=6 dB)",
    largest_output: 1e9,
    build,
};

const AUTO_MAKEUP: Parameter = Parameter {
    name: "auto_makeup",
    title: "Auto make-up",
    help: "Adds make-up gain so that full scale stays full scale.",
    kind: ParameterKind::Choice { options: &["off", "on"], default: "off" },
    ..PLAIN
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
