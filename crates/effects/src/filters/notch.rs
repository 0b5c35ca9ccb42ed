//! Second-order notch, from the Audio EQ Cookbook.

use crate::bounds::{below_nyquist, frequency, quality};
use crate::{Arguments, Effect, EffectSpec, Measured, Purpose, Stage};
use audio::AudioFormat;
use base::error::Result;
use dsp::design::cookbook_notch;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "notch",
    title: "Notch",
    purpose: Purpose::Filter,
    summary: "Removes one frequency and leaves the rest.",
    documentation: "\
Removes the frequency `center` completely. The bandwidth between the -3 dB points is `center / q`, so that a higher \
`q` affects fewer neighbouring frequencies. For hum, whistles and feedback.\n\
\n\
`H(s) = (s^2 + 1) / (s^2 + s/q + 1)`\n\
\n\
`s` is in units of the centre, mapped by the bilinear transform with the centre prewarped. No latency. `center` must \
be below half the sample rate.",
    source: "R. Bristow-Johnson, Audio EQ Cookbook.",
    parameters: &[
        frequency("center", "Centre", "Frequency to remove.", 50.0),
        quality("Centre over bandwidth at -3 dB: higher is narrower.", None, 10.0).travels(0.5, 100.0),
    ],
    positional: 1,
    search: "hum whistle mains feedback tone remove",
    aliases: &["notch_filter"],
    selection: None,
    example: "notch(50 Hz, q=30)",
    largest_output: 1e2,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let center_hz = arguments.checked_number("center")?;
    let q = arguments.checked_number("q")?;
    Ok(Box::new(Notch { center_hz, q }))
}

#[derive(Debug)]
struct Notch {
    center_hz: f64,
    q: f64,
}

impl Effect for Notch {
    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let center = below_nyquist("notch", "center", self.center_hz, input.rate)?;
        Ok(Stage::Sections(vec![cookbook_notch(center, self.q)]))
    }
}
