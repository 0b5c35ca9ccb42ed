//! Second-order all-pass, from the Audio EQ Cookbook.

use crate::audio::AudioFormat;
use crate::design::cookbook_allpass;
use crate::effects::bounds::{FLAT_Q, below_nyquist, frequency, quality};
use crate::effects::{Arguments, Effect, EffectSpec, Measured, Purpose, Stage};
use crate::error::Result;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "allpass",
    title: "All-pass",
    purpose: Purpose::Filter,
    summary: "Turns the phase around a frequency and leaves every level as it is.",
    documentation: "\
Leaves the level of every frequency as it is and turns the phase: not at all at 0 Hz, by -180 degrees at `center`, by \
-360 degrees at half the sample rate, the more suddenly the higher `q`. Heard in a sum with another branch, or as a \
smear of sharp attacks.\n\
\n\
`H(s) = (s^2 - s/q + 1) / (s^2 + s/q + 1)`\n\
\n\
`s` is in units of the centre, mapped by the bilinear transform so that the centre stays where it is. No latency. `center` must be \
below half the sample rate.",
    source: "R. Bristow-Johnson, Audio EQ Cookbook.",
    parameters: &[
        frequency("center", "Centre", "Where the phase is turned by 180 degrees.", 1_000.0),
        quality("How suddenly the phase turns.", None, FLAT_Q),
    ],
    positional: 1,
    search: "phase",
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
