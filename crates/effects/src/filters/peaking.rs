//! Second-order peaking filter, from the Audio EQ Cookbook.

use crate::bounds::{band_gain, below_nyquist, frequency, quality};
use crate::{Arguments, Effect, EffectSpec, Measured, Purpose, Stage};
use audio::AudioFormat;
use base::error::Result;
use dsp::design::cookbook_peaking;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "peaking",
    title: "Peaking",
    purpose: Purpose::Equaliser,
    summary: "Boosts or cuts the range around a frequency.",
    documentation: "\
Boosts or cuts the range around `center` by `gain`; frequencies far from it are unchanged. The bandwidth between the \
points of half the gain in dB is approximately `center / q`. A cut exactly cancels a boost of the same `q` and \
opposite `gain`.\n\
\n\
`H(s) = (s^2 + s A/q + 1) / (s^2 + s/(A q) + 1)` with `A = 10^(gain / 40 dB)`\n\
\n\
`s` is in units of the centre, mapped by the bilinear transform with the centre prewarped. No latency. `center` must \
be below half the sample rate.",
    source: "R. Bristow-Johnson, Audio EQ Cookbook.",
    parameters: &[
        frequency("center", "Centre", "Centre frequency.", 1_000.0),
        quality("Centre over bandwidth: higher is narrower.", None, 1.0),
        band_gain("Gain at the centre."),
    ],
    positional: 1,
    search: "eq bell parametric presence equaliser equalizer boost",
    aliases: &["bell", "peak_eq", "peaking_eq"],
    selection: None,
    example: "peaking(1 kHz, q=2, gain=6 dB)",
    largest_output: 1e6,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let center_hz = arguments.checked_number("center")?;
    let q = arguments.checked_number("q")?;
    let gain_db = arguments.checked_number("gain")?;
    Ok(Box::new(Peaking { center_hz, q, gain_db }))
}

#[derive(Debug)]
struct Peaking {
    center_hz: f64,
    q: f64,
    gain_db: f64,
}

impl Effect for Peaking {
    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let center = below_nyquist("peaking", "center", self.center_hz, input.rate)?;
        Ok(Stage::Sections(vec![cookbook_peaking(center, self.q, self.gain_db)]))
    }
}
