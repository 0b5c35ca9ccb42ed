//! Second-order high shelf, from the Audio EQ Cookbook.

use super::bounds::{FLAT_Q, band_gain, below_nyquist, frequency, quality};
use super::{Arguments, Effect, EffectSpec, Measured, Purpose, Stage};
use crate::audio::AudioFormat;
use crate::design::cookbook_high_shelf;
use crate::error::Result;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "high_shelf",
    title: "High shelf",
    purpose: Purpose::Equaliser,
    summary: "Raises or lowers what is above a frequency.",
    documentation: "\
Raises or lowers everything well above `cutoff` by `gain`, and leaves what is well below it; at the cutoff the gain in \
dB is half way. With `q` of 0.7071 the step is as steep as it can be without overshoot; more overshoots, less is \
gentler.\n\
\n\
`H(s) = A (A s^2 + s sqrt(A)/q + 1) / (s^2 + s sqrt(A)/q + A)` with `A = 10^(gain / 40 dB)`\n\
\n\
`s` is in units of the cutoff, mapped by the bilinear transform so that the cutoff stays where it is. No latency. `cutoff` must be \
below half the sample rate.",
    source: "R. Bristow-Johnson, Audio EQ Cookbook.",
    parameters: &[
        frequency("cutoff", "Cutoff", "Where the gain is half way.", 8_000.0),
        band_gain("The gain well above the cutoff."),
        quality("How steep the step is; above 0.7071 it overshoots.", Some(FLAT_Q), FLAT_Q),
    ],
    positional: 1,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let cutoff_hz = arguments.checked_number("cutoff")?;
    let gain_db = arguments.checked_number("gain")?;
    let q = arguments.checked_number("q")?;
    Ok(Box::new(HighShelf { cutoff_hz, gain_db, q }))
}

#[derive(Debug)]
struct HighShelf {
    cutoff_hz: f64,
    gain_db: f64,
    q: f64,
}

impl Effect for HighShelf {
    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let cutoff = below_nyquist("high_shelf cutoff", self.cutoff_hz, input.rate)?;
        Ok(Stage::Sections(vec![cookbook_high_shelf(cutoff, self.gain_db, self.q)]))
    }
}
