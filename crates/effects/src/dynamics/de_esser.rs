//! De-esser.

use super::Sense;
use super::coefficient;
use super::knee::Knee;
use super::parameters::{LINK, attack, knee, range, ratio, release, threshold};
use super::processor::{Dynamics, Law, Setup};
use crate::bounds::below_nyquist;
use crate::{Arguments, Effect, EffectSpec, Measured, PLAIN, Parameter, ParameterKind, Purpose, Scale, Stage, Unit};
use audio::AudioFormat;
use base::error::Result;
use dsp::design::{Section, butterworth_highpass, butterworth_lowpass};

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "de_esser",
    title: "De-esser",
    purpose: Purpose::Dynamics,
    summary: "Reduces harsh s and sh sounds.",
    documentation: "\
Detects what is above `frequency` with a Linkwitz-Riley high-pass of order 4 (24 dB per octave, -6 dB at \
`frequency`) and reduces it like the compressor: the peak level `L` of that band gives `r = (1 - 1/R) (L - T)` above \
the threshold `T`, bent over the knee and limited to `range`, smoothed by the smooth decoupled detector with \
`attack` and `release` (the times to complete 63 %).\n\
\n\
`mode=wideband` reduces the whole signal meanwhile, which keeps its timbre and phase. `mode=split` reduces only the \
band above `frequency`; the band below, from the matching Linkwitz-Riley low-pass, is added unchanged. Together both \
bands have the level of the input at every frequency and the phase of a second-order all-pass, whether or not \
anything is reduced.\n\
\n\
`link` moves each channel's target reduction towards the greatest of all channels, completely at 100 %. Samples that \
are `NaN` or infinite do not reach the detector; they pass unchanged with `mode=wideband` and are silent with \
`mode=split`.\n\
\n\
No latency. `frequency` must be below half the sample rate.",
    source: "D. Giannoulis, M. Massberg, J. D. Reiss, Digital dynamic range compressor design - a tutorial and analysis, \
             J. Audio Eng. Soc. 60 (2012); S. P. Lipshitz, J. Vanderkooy, In-phase crossover network design, J. Audio \
             Eng. Soc. 34 (1986).",
    parameters: &[
        number_hz(),
        threshold("Level of this band above which the gain is reduced.", -30.0),
        ratio("Input change in dB for 1 dB of output change above the threshold.", 4.0),
        MODE,
        range("Maximum reduction.", 12.0),
        attack("Time in which 63 % of a reduction is reached.", 0.001),
        release("Time in which 63 % of a reduction is released.", 0.04),
        knee(6.0),
        LINK,
    ],
    positional: 2,
    search: "sibilance ess harsh sharp voice",
    aliases: &["deesser", "de_ess", "deess"],
    selection: None,
    example: "de_esser(3 kHz, threshold=-40 dB)",
    largest_output: 3.0,
    build,
};

const fn number_hz() -> Parameter {
    let help = "Lower edge of the band in which sibilance is detected.";
    super::parameters::number(("frequency", "Frequency", help), Unit::Hz, (100.0, 384_000.0, 6000.0), Scale::Log)
        .to_nyquist(1000.0)
}

const MODE: Parameter = Parameter {
    name: "mode",
    title: "Mode",
    help: "wideband reduces the whole signal; split only the band above the frequency.",
    kind: ParameterKind::Choice { options: &["wideband", "split"], default: "wideband" },
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
