//! DC blocker: removes a constant offset.

use super::super::bounds::below_nyquist;
use super::super::{Arguments, Effect, EffectSpec, Measured, Purpose, Stage};
use super::hertz;
use audio::AudioFormat;
use base::error::Result;
use dsp::design::butterworth_highpass;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "dc_block",
    title: "DC blocker",
    purpose: Purpose::Filter,
    summary: "Removes a constant offset without an audible change.",
    documentation: "\
A first-order high-pass far below the audible range: complete removal at 0 Hz, -3 dB at `cutoff`, -0.04 dB at ten \
times the cutoff.\n\
\n\
`H(z) = (1 + p)/2 (1 - z^-1) / (1 - p z^-1)` with `p = (1 - g)/(1 + g)`, `g = tan(pi cutoff / rate)`: the usual `y = \
x - x1 + R y1` normalised to a gain of at most 1. An offset decays as `exp(-2 pi cutoff t)`: to a thousandth in 0.22 \
s at 5 Hz. A lower cutoff preserves deep notes and takes longer.\n\
\n\
No latency. `cutoff` must be below half the sample rate.",
    source: "J. O. Smith, Introduction to Digital Filters (DC blocker); V. Zavalishin, The Art of VA Filter Design.",
    parameters: &[hertz("cutoff", "Cutoff", "Frequency of the -3 dB point.", 5.0).travels(0.5, 100.0)],
    positional: 1,
    search: "offset direct current centre waveform",
    aliases: &["dc_offset", "remove_dc", "dc_remove", "dcshift"],
    selection: None,
    example: "dc_block(20 Hz)",
    largest_output: 10.0,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    Ok(Box::new(DcBlock { cutoff_hz: arguments.checked_number("cutoff")? }))
}

#[derive(Debug)]
struct DcBlock {
    cutoff_hz: f64,
}

impl Effect for DcBlock {
    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let cutoff = below_nyquist("dc_block", "cutoff", self.cutoff_hz, input.rate)?;
        Ok(Stage::Sections(butterworth_highpass(1, cutoff)))
    }
}
