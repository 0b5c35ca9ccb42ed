//! Low-pass, Butterworth of order 1 to 24.

use super::bounds::{DESIGN, below_nyquist, frequency, order};
use super::{Arguments, Effect, EffectSpec, Measured, Purpose, Stage};
use crate::audio::AudioFormat;
use crate::design::butterworth_lowpass;
use crate::error::Result;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "lowpass",
    title: "Low-pass",
    purpose: Purpose::Filter,
    summary: "Keeps what is below the cutoff, with a slope as steep as the order.",
    documentation: "\
Keeps frequencies below `cutoff` and takes those above it away, by 6 dB per octave for each `order`.\n\
\n\
`|H(f)|^2 = 1 / (1 + x^(2 order))` with `x = tan(pi f / rate) / tan(pi cutoff / rate)`: as flat below the cutoff as \
the order allows, -3 dB at the cutoff, whatever the order; silent at half the sample rate.\n\
\n\
Its phase is that of a causal filter: no latency, and frequencies near the cutoff come later than others, the more so \
the higher the order (see the group delay). `cutoff` must be below half the sample rate.",
    source: "A. V. Oppenheim, R. W. Schafer, Discrete-Time Signal Processing, appendix B (Butterworth); \
             V. Zavalishin, The Art of VA Filter Design (state-variable sections).",
    parameters: &[
        frequency("cutoff", "Cutoff", "Where the response is down by 3 dB.", 10_000.0),
        order("The steepness: 6 dB per octave for each."),
        DESIGN,
    ],
    positional: 1,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let cutoff_hz = arguments.checked_number("cutoff")?;
    let order = arguments.checked_number("order")? as usize;
    Ok(Box::new(Lowpass { cutoff_hz, order }))
}

#[derive(Debug)]
struct Lowpass {
    cutoff_hz: f64,
    order: usize,
}

impl Effect for Lowpass {
    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let cutoff = below_nyquist("lowpass cutoff", self.cutoff_hz, input.rate)?;
        Ok(Stage::Sections(butterworth_lowpass(self.order, cutoff)))
    }
}
