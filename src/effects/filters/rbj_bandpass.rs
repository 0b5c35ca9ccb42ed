//! Second-order band-pass, from the Audio EQ Cookbook.

use crate::audio::AudioFormat;
use crate::design::{BandpassPeak, cookbook_bandpass};
use crate::effects::bounds::{below_nyquist, frequency, quality};
use crate::effects::{ALWAYS, Arguments, Effect, EffectSpec, Measured, Parameter, ParameterKind, Purpose, Stage};
use crate::error::Result;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "rbj_bandpass",
    title: "Band-pass (Q)",
    purpose: Purpose::Filter,
    summary: "A second-order band-pass around a frequency.",
    documentation: "\
Keeps the range around `center` and takes the rest away by 6 dB per octave on either side. Between the points at -3 dB \
re the peak there are `center / q`.\n\
\n\
`H(s) = s / (s^2 + s/q + 1)` with `peak=skirt`: the slopes stay where they are and the gain at the centre is `q`; \
`H(s) = (s/q) / (s^2 + s/q + 1)` with `peak=unity`: the gain at the centre is 0 dB.\n\
\n\
`s` is in units of the centre, mapped by the bilinear transform so that the centre stays where it is. No latency. \
`center` must be below half the sample rate.",
    source: "R. Bristow-Johnson, Audio EQ Cookbook.",
    parameters: &[
        frequency("center", "Centre", "The frequency in the middle of the range.", 1_000.0),
        quality("Centre over width at -3 dB: the higher, the narrower.", None, 1.0),
        Parameter {
            name: "peak",
            title: "Peak",
            help: "skirt: the gain at the centre is Q; unity: it is 0 dB.",
            used_when: ALWAYS,
            kind: ParameterKind::Choice { options: &["skirt", "unity"], default: "skirt" },
        },
    ],
    positional: 1,
    search: "",
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
