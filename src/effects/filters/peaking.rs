//! Second-order peaking filter, from the Audio EQ Cookbook.

use crate::audio::AudioFormat;
use crate::design::cookbook_peaking;
use crate::effects::bounds::{band_gain, below_nyquist, frequency, quality};
use crate::effects::{Arguments, Effect, EffectSpec, Measured, Purpose, Stage};
use crate::error::Result;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "peaking",
    title: "Peaking",
    purpose: Purpose::Equaliser,
    summary: "Raises or lowers the range around a frequency.",
    documentation: "\
Raises or lowers the range around `center` by `gain`, and leaves what is far from it. The width between the points of \
half the gain in dB is `center / q`, roughly; a cut undoes the boost of the same `q` and the opposite `gain` exactly.\n\
\n\
`H(s) = (s^2 + s A/q + 1) / (s^2 + s/(A q) + 1)` with `A = 10^(gain / 40 dB)`\n\
\n\
`s` is in units of the centre, mapped by the bilinear transform so that the centre stays where it is. No latency. `center` must be \
below half the sample rate.",
    source: "R. Bristow-Johnson, Audio EQ Cookbook.",
    parameters: &[
        frequency("center", "Centre", "The frequency in the middle of the range.", 1_000.0),
        quality("Centre over width: the higher, the narrower.", None, 1.0),
        band_gain("The gain at the centre."),
    ],
    positional: 1,
    search: "eq bell parametric presence",
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
