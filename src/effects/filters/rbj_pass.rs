//! Second-order low-pass and high-pass with Q, from the Audio EQ Cookbook.

use crate::audio::AudioFormat;
use crate::design::{Section, Warped, cookbook_highpass, cookbook_lowpass};
use crate::effects::bounds::{FLAT_Q, below_nyquist, frequency, quality};
use crate::effects::{Arguments, Effect, EffectSpec, Measured, Purpose, Stage};
use crate::error::Result;

pub(super) static RBJ_LOWPASS: EffectSpec = EffectSpec {
    name: "rbj_lowpass",
    title: "Low-pass (Q)",
    purpose: Purpose::Filter,
    summary: "A second-order low-pass with a resonance of Q.",
    documentation: "\
Keeps frequencies below `cutoff` and takes those above it away by 12 dB per octave. At the cutoff itself the gain is \
`q`: 0.7071 is flat (Butterworth), more makes a resonant peak, less rounds the corner.\n\
\n\
`H(s) = 1 / (s^2 + s/q + 1)`\n\
\n\
`s` is in units of the cutoff, mapped by the bilinear transform so that the cutoff stays where it is. No latency. `cutoff` must be \
below half the sample rate.",
    source: "R. Bristow-Johnson, Audio EQ Cookbook.",
    parameters: &[
        frequency("cutoff", "Cutoff", "The corner frequency.", 10_000.0),
        quality("The gain at the cutoff; 0.7071 is flat.", Some(FLAT_Q), FLAT_Q),
    ],
    positional: 1,
    search: "high cut hiss treble resonant",
    example: "rbj_lowpass(2 kHz, q=4)",
    largest_output: 5e3,
    build: |arguments| Resonant::build("rbj_lowpass", cookbook_lowpass, arguments),
};

pub(super) static RBJ_HIGHPASS: EffectSpec = EffectSpec {
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
    search: "low cut rumble bass resonant",
    example: "rbj_highpass(50 Hz, q=1)",
    largest_output: 5e3,
    build: |arguments| Resonant::build("rbj_highpass", cookbook_highpass, arguments),
};

#[derive(Debug)]
struct Resonant {
    name: &'static str,
    section: fn(Warped, f64) -> Section,
    cutoff_hz: f64,
    q: f64,
}

impl Resonant {
    fn build(
        name: &'static str,
        section: fn(Warped, f64) -> Section,
        arguments: &Arguments,
    ) -> Result<Box<dyn Effect>> {
        let cutoff_hz = arguments.checked_number("cutoff")?;
        let q = arguments.checked_number("q")?;
        Ok(Box::new(Self { name, section, cutoff_hz, q }))
    }
}

impl Effect for Resonant {
    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let cutoff = below_nyquist(self.name, "cutoff", self.cutoff_hz, input.rate)?;
        Ok(Stage::Sections(vec![(self.section)(cutoff, self.q)]))
    }
}
