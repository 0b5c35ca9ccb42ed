//! Second-order shelves, from the Audio EQ Cookbook.

use crate::audio::AudioFormat;
use crate::design::{Section, Warped, cookbook_high_shelf, cookbook_low_shelf};
use crate::effects::bounds::{FLAT_Q, band_gain, below_nyquist, frequency, quality};
use crate::effects::{Arguments, Effect, EffectSpec, Measured, Purpose, Stage};
use crate::error::Result;

pub(super) static LOW_SHELF: EffectSpec = EffectSpec {
    name: "low_shelf",
    title: "Low shelf",
    purpose: Purpose::Equaliser,
    summary: "Raises or lowers what is below a frequency.",
    documentation: "\
Raises or lowers everything well below `cutoff` by `gain`, and leaves what is well above it; at the cutoff the gain in \
dB is half way. With `q` of 0.7071 the step is as steep as it can be without overshoot; more overshoots, less is \
gentler.\n\
\n\
`H(s) = A (s^2 + s sqrt(A)/q + A) / (A s^2 + s sqrt(A)/q + 1)` with `A = 10^(gain / 40 dB)`\n\
\n\
`s` is in units of the cutoff, mapped by the bilinear transform so that the cutoff stays where it is. No latency. `cutoff` must be \
below half the sample rate.",
    source: "R. Bristow-Johnson, Audio EQ Cookbook.",
    parameters: &[
        frequency("cutoff", "Cutoff", "Where the gain is half way.", 120.0),
        band_gain("The gain well below the cutoff."),
        quality("How steep the step is; above 0.7071 it overshoots.", Some(FLAT_Q), FLAT_Q),
    ],
    positional: 1,
    search: "bass eq tone warmth",
    example: "low_shelf(200 Hz, gain=-9 dB)",
    largest_output: 1e6,
    build: |arguments| Shelf::build("low_shelf", cookbook_low_shelf, arguments),
};

pub(super) static HIGH_SHELF: EffectSpec = EffectSpec {
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
    search: "treble eq tone air brightness",
    example: "high_shelf(3 kHz, gain=9 dB)",
    largest_output: 1e6,
    build: |arguments| Shelf::build("high_shelf", cookbook_high_shelf, arguments),
};

#[derive(Debug)]
struct Shelf {
    name: &'static str,
    section: fn(Warped, f64, f64) -> Section,
    cutoff_hz: f64,
    gain_db: f64,
    q: f64,
}

impl Shelf {
    fn build(
        name: &'static str,
        section: fn(Warped, f64, f64) -> Section,
        arguments: &Arguments,
    ) -> Result<Box<dyn Effect>> {
        let cutoff_hz = arguments.checked_number("cutoff")?;
        let gain_db = arguments.checked_number("gain")?;
        let q = arguments.checked_number("q")?;
        Ok(Box::new(Self { name, section, cutoff_hz, gain_db, q }))
    }
}

impl Effect for Shelf {
    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let cutoff = below_nyquist(self.name, "cutoff", self.cutoff_hz, input.rate)?;
        Ok(Stage::Sections(vec![(self.section)(cutoff, self.gain_db, self.q)]))
    }
}
