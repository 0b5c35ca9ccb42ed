//! Second-order high-pass with Q, from the Audio EQ Cookbook.

use super::bounds::{FLAT_Q, below_nyquist, frequency, quality};
use super::{Arguments, Effect, EffectSpec, Measured, Purpose, Stage};
use crate::audio::AudioFormat;
use crate::design::cookbook_highpass;
use crate::error::Result;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "rbj_highpass",
    title: "High-pass (Q)",
    purpose: Purpose::Filter,
    summary: "A second-order high-pass with a resonance of Q.",
    documentation: "\
Keeps frequencies above `cutoff` and takes those below it away by 12 dB per octave. At the cutoff itself the gain is \
`q`: 0.7071 is flat (Butterworth), more makes a resonant peak, less rounds the corner.\n\
\n\
`H(s) = s^2 / (s^2 + s/q + 1)`\n\
\n\
`s` is in units of the cutoff, mapped by the bilinear transform so that the cutoff stays where it is. No latency. `cutoff` must be \
below half the sample rate.",
    source: "R. Bristow-Johnson, Audio EQ Cookbook.",
    parameters: &[
        frequency("cutoff", "Cutoff", "The corner frequency.", 80.0),
        quality("The gain at the cutoff; 0.7071 is flat.", Some(FLAT_Q), FLAT_Q),
    ],
    positional: 1,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let cutoff_hz = arguments.checked_number("cutoff")?;
    let q = arguments.checked_number("q")?;
    Ok(Box::new(RbjHighpass { cutoff_hz, q }))
}

#[derive(Debug)]
struct RbjHighpass {
    cutoff_hz: f64,
    q: f64,
}

impl Effect for RbjHighpass {
    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let cutoff = below_nyquist("rbj_highpass cutoff", self.cutoff_hz, input.rate)?;
        Ok(Stage::Sections(vec![cookbook_highpass(cutoff, self.q)]))
    }
}
