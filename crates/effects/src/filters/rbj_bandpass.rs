//! Second-order band-pass, from the Audio EQ Cookbook.

use crate::bounds::{below_nyquist, frequency, quality};
use crate::{Arguments, Effect, EffectSpec, Measured, PLAIN, Parameter, ParameterKind, Purpose, Stage};
use audio::AudioFormat;
use base::error::Result;
use dsp::design::{BandpassPeak, cookbook_bandpass};

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "rbj_bandpass",
    title: "Band-pass (Q)",
    purpose: Purpose::Filter,
    summary: "A second-order band-pass around a centre frequency.",
    documentation: "\
Passes the range around `center` and attenuates the rest by 6 dB per octave on either side. The bandwidth between \
the -3 dB points relative to the peak is `center / q`.\n\
\n\
`peak=skirt`: `H(s) = s / (s^2 + s/q + 1)`; the slopes stay in place and the gain at the centre is `q`. \
`peak=unity`: `H(s) = (s/q) / (s^2 + s/q + 1)`; the gain at the centre is 0 dB.\n\
\n\
`s` is in units of the centre, mapped by the bilinear transform with the centre prewarped. No latency. `center` must \
be below half the sample rate.",
    source: "R. Bristow-Johnson, Audio EQ Cookbook.",
    parameters: &[
        frequency("center", "Centre", "Centre frequency.", 1_000.0),
        quality("Centre over bandwidth at -3 dB: higher is narrower.", None, 1.0),
        Parameter {
            name: "peak",
            title: "Peak",
            help: "Gain at the centre: skirt is Q, unity is 0 dB.",
            kind: ParameterKind::Choice { options: &["skirt", "unity"], default: "skirt" },
            ..PLAIN
        },
    ],
    positional: 1,
    search: "resonance wah biquad",
    aliases: &["resonant_bandpass", "bandpass_q"],
    selection: None,
    example: "rbj_bandpass(1 kHz, q=5, peak=unity)",
    largest_output: 5e3,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let center_hz = arguments.checked_number("center")?;
    let q = arguments.checked_number("q")?;
    let peak = match arguments.checked_text("peak")? {
        "unity" => BandpassPeak::Unity,
        _ => BandpassPeak::Skirt,
    };
    Ok(Box::new(RbjBandpass { center_hz, q, peak }))
}

#[derive(Debug)]
struct RbjBandpass {
    center_hz: f64,
    q: f64,
    peak: BandpassPeak,
}

impl Effect for RbjBandpass {
    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let center = below_nyquist("rbj_bandpass", "center", self.center_hz, input.rate)?;
        Ok(Stage::Sections(vec![cookbook_bandpass(center, self.q, self.peak)]))
    }
}
