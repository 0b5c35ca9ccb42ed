//! Second-order notch, from the Audio EQ Cookbook.

use crate::audio::AudioFormat;
use crate::design::cookbook_notch;
use crate::effects::bounds::{below_nyquist, frequency, quality};
use crate::effects::{Arguments, Effect, EffectSpec, Measured, Purpose, Stage};
use crate::error::Result;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "notch",
    title: "Notch",
    purpose: Purpose::Filter,
    summary: "Takes one frequency away and leaves the rest.",
    documentation: "\
Takes the frequency `center` away altogether and leaves the others, the closer to it the narrower: between the points \
at -3 dB there are `center / q`. For hum, whistles and feedback.\n\
\n\
`H(s) = (s^2 + 1) / (s^2 + s/q + 1)`\n\
\n\
`s` is in units of the centre, mapped by the bilinear transform so that the centre stays where it is. No latency. `center` must be \
below half the sample rate.",
    source: "R. Bristow-Johnson, Audio EQ Cookbook.",
    parameters: &[
        frequency("center", "Centre", "The frequency that is taken away.", 50.0),
        quality("Centre over width at -3 dB: the higher, the narrower.", None, 10.0),
    ],
    positional: 1,
    search: "hum whistle mains",
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
