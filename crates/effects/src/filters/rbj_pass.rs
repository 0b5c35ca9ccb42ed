//! Second-order low-pass and high-pass with Q, from the Audio EQ Cookbook.

use crate::bounds::{FLAT_Q, below_nyquist, frequency, quality};
use crate::{Arguments, Effect, EffectSpec, Measured, Purpose, Stage};
use audio::AudioFormat;
use base::error::Result;
use dsp::design::{Section, Warped, cookbook_highpass, cookbook_lowpass};

pub(super) static RBJ_LOWPASS: EffectSpec = EffectSpec {
    name: "rbj_lowpass",
    title: "Low-pass (Q)",
    purpose: Purpose::Filter,
    summary: "A second-order low-pass with adjustable resonance.",
    documentation: "\
Passes frequencies below `cutoff` and attenuates those above it by 12 dB per octave. The gain at the cutoff is `q`: \
0.7071 is flat (Butterworth), higher values make a resonant peak, lower values round the corner.\n\
\n\
`H(s) = 1 / (s^2 + s/q + 1)`\n\
\n\
`s` is in units of the cutoff, mapped by the bilinear transform with the cutoff prewarped. No latency. `cutoff` must \
be below half the sample rate.",
    source: "R. Bristow-Johnson, Audio EQ Cookbook.",
    parameters: &[
        frequency("cutoff", "Cutoff", "Corner frequency.", 10_000.0),
        quality("Gain at the cutoff; 0.7071 is flat, more is resonant.", Some(FLAT_Q), FLAT_Q),
    ],
    positional: 1,
    search: "high cut treble synth filter sweep biquad",
    aliases: &["resonant_lowpass", "lowpass_q"],
    selection: None,
    example: "rbj_lowpass(2 kHz, q=4)",
    largest_output: 5e3,
    build: |arguments| Resonant::build("rbj_lowpass", cookbook_lowpass, arguments),
};

pub(super) static RBJ_HIGHPASS: EffectSpec = EffectSpec {
    name: "rbj_highpass",
    title: "High-pass (Q)",
    purpose: Purpose::Filter,
    summary: "A second-order high-pass with adjustable resonance.",
    documentation: "\
Passes frequencies above `cutoff` and attenuates those below it by 12 dB per octave. The gain at the cutoff is `q`: \
0.7071 is flat (Butterworth), higher values make a resonant peak, lower values round the corner.\n\
\n\
`H(s) = s^2 / (s^2 + s/q + 1)`\n\
\n\
`s` is in units of the cutoff, mapped by the bilinear transform with the cutoff prewarped. No latency. `cutoff` must \
be below half the sample rate.",
    source: "R. Bristow-Johnson, Audio EQ Cookbook.",
    parameters: &[
        frequency("cutoff", "Cutoff", "Corner frequency.", 80.0),
        quality("Gain at the cutoff; 0.7071 is flat, more is resonant.", Some(FLAT_Q), FLAT_Q),
    ],
    positional: 1,
    search: "low cut rumble bass synth filter sweep biquad",
    aliases: &["resonant_highpass", "highpass_q"],
    selection: None,
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
