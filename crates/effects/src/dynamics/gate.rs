//! Noise gate.

use super::detector::Sense;
use super::parameters::{
    DETECTOR, HIGHPASS, LINK, LOOKAHEAD, LOWPASS, RMS_TIME, attack, hold, number, release, threshold,
};
use super::processor::{Dynamics, Law, Setup};
use super::{DetectorSettings, coefficient, detector};
use crate::{Arguments, Effect, EffectSpec, Measured, Purpose, Scale, Stage, Unit};
use audio::AudioFormat;
use base::error::Result;
use base::units::gain_from_db;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "gate",
    title: "Gate",
    purpose: Purpose::Dynamics,
    summary: "Passes levels above a threshold and attenuates the rest.",
    documentation: "\
Opens as soon as the level reaches `threshold`, and closes when it has been below `threshold - hysteresis` for \
`hold`. The level is the magnitude of each sample, or with `detector=rms` the root mean square over `rms_time` (an \
exponential average). `hold` bridges the zero crossings of a tone, those of 50 Hz with 10 ms; `hysteresis` prevents \
a level near the threshold from opening and closing it repeatedly.\n\
\n\
The gain is 1 when open and `10^(floor / 20 dB)` when closed. The gain itself, not its decibels, changes \
exponentially, `g = a g + (1 - a) target` with `a = exp(-1 / (t rate))`: 63 % of the way within `attack` when it \
opens, so that an onset reaches -4 dB after 1 ms, and within `release` when it closes, a fall of 8.7 dB per release \
time until it nears the floor. It is closed at the beginning of a stream.\n\
\n\
`link` moves each channel's level towards that of the loudest, completely at 100 %, so that one channel opens all. \
`highpass` and `lowpass` (second-order Butterworth) filter the detector's signal, not the output. Samples that are \
`NaN` or infinite do not reach the detector and pass unchanged.\n\
\n\
Latency: `lookahead`, by which the signal is delayed relative to the detector, so that the gate is open when an \
onset arrives; compensated.",
    source: "U. Zoelzer (ed.), DAFX: Digital Audio Effects, chapter 4 (noise gate with hysteresis and hold).",
    parameters: &[
        threshold("Level at which the gate opens.", -50.0),
        number(("floor", "Floor", "Gain when the gate is closed."), Unit::Db, (-120.0, 0.0, -80.0), Scale::Linear)
            .travels(-100.0, 0.0),
        attack("Time in which 63 % of the opening is complete.", 0.001),
        release("Time in which 63 % of the closing is complete.", 0.05),
        hold(0.01),
        number(
            ("hysteresis", "Hysteresis", "How far below the threshold the gate closes."),
            Unit::Db,
            (0.0, 24.0, 3.0),
            Scale::Linear,
        )
        .travels(0.0, 12.0),
        DETECTOR,
        RMS_TIME,
        LOOKAHEAD,
        LINK,
        LOWPASS,
        HIGHPASS,
    ],
    positional: 2,
    search: "silence noise dynamics",
    aliases: &["noise_gate"],
    selection: None,
    example: "gate(-20 dB)",
    largest_output: 1.001,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let number = |name| arguments.checked_number(name);
    Ok(Box::new(Gate {
        threshold_db: number("threshold")?,
        hysteresis_db: number("hysteresis")?,
        floor_db: number("floor")?,
        listening: DetectorSettings::new(arguments)?,
    }))
}

#[derive(Debug)]
struct Gate {
    threshold_db: f64,
    hysteresis_db: f64,
    floor_db: f64,
    listening: DetectorSettings,
}

impl Effect for Gate {
    fn latency_frames(&self, input: AudioFormat) -> u64 {
        self.listening.lookahead_frames(input.rate)
    }

    fn memory_frames(&self, input: AudioFormat) -> u64 {
        self.listening.memory_frames(input.rate)
    }

    fn transfer_db(&self, level_db: f64) -> Option<f64> {
        Some(level_db + if level_db >= self.threshold_db { 0.0 } else { self.floor_db })
    }

    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let listening = &self.listening;
        let rate = input.rate;
        let sense = listening.sense(rate);
        // The detector's value at a level in dB: an amplitude or its square.
        let measure = |db: f64| gain_from_db(if sense == Sense::Peak { db } else { 2.0 * db }) as f32;
        let setup = Setup {
            law: Law::Gate {
                opens: measure(self.threshold_db),
                closes: measure(self.threshold_db - self.hysteresis_db),
                floor: gain_from_db(self.floor_db),
                attack: coefficient(listening.attack_s, rate),
                release: coefficient(listening.release_s, rate),
            },
            sense,
            hold_frames: rate.frames_from_seconds(listening.hold_s) as usize,
            lookahead_frames: listening.lookahead_frames(rate) as usize,
            filter: detector::filter("gate", listening.highpass_hz, listening.lowpass_hz, input)?,
            rest: None,
            link: listening.link as f32,
            makeup: 1.0,
        };
        Ok(Stage::Process(Box::new(Dynamics::new(setup, input.channels))))
    }
}
