//! Second-order all-pass, from the Audio EQ Cookbook.

use crate::bounds::{FLAT_Q, below_nyquist, frequency, quality};
use crate::{Arguments, Effect, EffectSpec, Measured, Purpose, Stage};
use audio::AudioFormat;
use base::error::Result;
use dsp::design::cookbook_allpass;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "allpass",
    title: "All-pass",
    purpose: Purpose::Filter,
    summary: "Shifts the phase around a frequency without changing levels.",
    documentation: "\
Passes every frequency at its level and shifts its phase: 0 degrees at 0 Hz, -180 degrees at `center`, -360 degrees \
at half the sample rate. A higher `q` makes the transition more sudden. Audible in a sum with another branch, or as \
smearing of sharp attacks.\n\
\n\
`H(s) = (s^2 - s/q + 1) / (s^2 + s/q + 1)`\n\
\n\
`s` is in units of the centre, mapped by the bilinear transform with the centre prewarped. No latency. `center` must \
be below half the sample rate.",
    source: "R. Bristow-Johnson, Audio EQ Cookbook.",
    parameters: &[
        frequency("center", "Centre", "Frequency at which the phase shift is 180 degrees.", 1_000.0),
        quality("How sudden the phase transition is.", None, FLAT_Q),
    ],
    positional: 1,
    search: "phase rotate disperse",
    aliases: &["all_pass"],
    selection: None,
    example: "allpass(700 Hz, q=0.7)",
    largest_output: 1e2,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let center_hz = arguments.checked_number("center")?;
    let q = arguments.checked_number("q")?;
    Ok(Box::new(Allpass { center_hz, q }))
}

#[derive(Debug)]
struct Allpass {
    center_hz: f64,
    q: f64,
}

impl Effect for Allpass {
    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let center = below_nyquist("allpass", "center", self.center_hz, input.rate)?;
        Ok(Stage::Sections(vec![cookbook_allpass(center, self.q)]))
    }
}
