//! De-esser.

use super::Sense;
use super::coefficient;
use super::knee::Knee;
use super::parameters::{LINK, attack, knee, range, ratio, release, threshold};
use super::processor::{Dynamics, Law, Setup};
use crate::audio::AudioFormat;
use crate::design::{Section, butterworth_highpass, butterworth_lowpass};
use crate::effects::bounds::below_nyquist;
use crate::effects::{
    ALWAYS, Arguments, Effect, EffectSpec, Measured, Parameter, ParameterKind, Purpose, Scale, Stage, Unit,
};
use crate::error::Result;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "de_esser",
    title: "De-esser",
    purpose: Purpose::Dynamics,
    summary: "Softens sharp s and sh sounds: a compressor that listens to the highs alone.",
    documentation: "\
Listens to what is above `frequency`, by a Linkwitz-Riley high-pass of order 4 (24 dB per octave, -6 dB at `frequency`), \
and reduces it as the compressor does: the peak level `L` of that band gives \
`r = (1 - 1/R) (L - T)` above the threshold `T`, bent over the knee, never more than `range`, smoothed by the smooth \
decoupled detector with `attack` and `release` (times in which 63 % is done).\n\
\n\
With `mode=wideband` the whole signal is turned down for so long, which leaves its colour as it is and changes no phase. \
With `mode=split` only the band above `frequency` is; the band below, by the Linkwitz-Riley low-pass that belongs to it, \
is added unchanged. Both bands together are as loud as the input at every frequency, with the phase of an all-pass of \
second order whether anything is reduced or not.\n\
\n\
`link` takes each channel's wanted reduction to the greatest of all, at 100 % wholly. Samples that are no numbers are \
not heard by the detector; they pass as they are with `mode=wideband` and are silent with `mode=split`.\n\
\n\
No latency. `frequency` must be below half the sample rate.",
    source: "D. Giannoulis, M. Massberg, J. D. Reiss, Digital dynamic range compressor design - a tutorial and analysis, \
             J. Audio Eng. Soc. 60 (2012); S. P. Lipshitz, J. Vanderkooy, In-phase crossover network design, J. Audio \
             Eng. Soc. 34 (1986).",
    parameters: &[
        number_hz(),
        threshold("The level of the highs above which it reduces.", -30.0),
        ratio("By how many dB the highs must rise for one more at the output.", 4.0),
        MODE,
        range("The most it reduces.", 12.0),
        attack("How fast a reduction sets in: 63 % of it within this time.", 0.001),
        release("How fast it goes back.", 0.04),
        knee(6.0),
        LINK,
    ],
    positional: 2,
    search: "sibilance ess harsh sharp deesser",
    example: "de_esser(3 kHz, threshold=-40 dB)",
    largest_output: 3.0,
    build,
};

const fn number_hz() -> Parameter {
    let help = "Where the highs begin that are listened to.";
    super::parameters::number(("frequency", "Frequency", help), Unit::Hz, (100.0, 384_000.0, 6000.0), Scale::Log)
}

const MODE: Parameter = Parameter {
    name: "mode",
    title: "Mode",
    help: "wideband: all is turned down; split: the highs alone.",
    used_when: ALWAYS,
    kind: ParameterKind::Choice { options: &["wideband", "split"], default: "wideband" },
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
    Ok(Box::new(DeEsser {
        frequency_hz: number("frequency")?,
        knee,
        split: arguments.checked_text("mode")? == "split",
        attack_s: number("attack")?,
        release_s: number("release")?,
        link: number("link")?,
    }))
}

#[derive(Debug)]
struct DeEsser {
    frequency_hz: f64,
    knee: Knee,
    split: bool,
    attack_s: f64,
    release_s: f64,
    link: f64,
}

/// Two second-order Butterworth filters, which make one fourth-order Linkwitz-Riley filter.
fn twice(sections: Vec<Section>) -> Vec<Section> {
    [sections.clone(), sections].concat()
}

impl Effect for DeEsser {
    fn memory_frames(&self, input: AudioFormat) -> u64 {
        // The filter rings for a few periods.
        let exponentials = 16.0 * (self.attack_s + self.release_s) + 20.0 / self.frequency_hz;
        input.rate.frames_from_seconds(exponentials.min(10.0))
    }

    fn transfer_db(&self, level_db: f64) -> Option<f64> {
        Some(level_db - self.knee.reduction_db(level_db))
    }

    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let rate = input.rate;
        let edge = below_nyquist("de_esser", "frequency", self.frequency_hz, rate)?;
        let setup = Setup {
            law: Law::Compress {
                knee: self.knee,
                attack: coefficient(self.attack_s, rate),
                release: coefficient(self.release_s, rate),
            },
            sense: Sense::Peak,
            hold_frames: 0,
            lookahead_frames: 0,
            filter: twice(butterworth_highpass(2, edge)),
            rest: self.split.then(|| twice(butterworth_lowpass(2, edge))),
            link: self.link as f32,
            makeup: 1.0,
        };
        Ok(Stage::Process(Box::new(Dynamics::new(setup, input.channels))))
    }
}
