//! Second-order shelves, from the Audio EQ Cookbook.

use crate::bounds::{FLAT_Q, band_gain, below_nyquist, frequency, quality};
use crate::{Arguments, Effect, EffectSpec, Measured, Purpose, Stage};
use audio::AudioFormat;
use base::error::Result;
use dsp::design::{Section, Warped, cookbook_high_shelf, cookbook_low_shelf};

pub(super) static LOW_SHELF: EffectSpec = EffectSpec {
    name: "low_shelf",
    title: "Low shelf",
    purpose: Purpose::Equaliser,
    summary: "Boosts or cuts all frequencies below a cutoff.",
    documentation: "\
Boosts or cuts frequencies well below `cutoff` by `gain` and leaves those well above it unchanged; at the cutoff the \
gain in dB is half. A `q` of 0.7071 gives the steepest step without overshoot; higher values overshoot, lower values \
are gentler.\n\
\n\
`H(s) = A (s^2 + s sqrt(A)/q + A) / (A s^2 + s sqrt(A)/q + 1)` with `A = 10^(gain / 40 dB)`\n\
\n\
`s` is in units of the cutoff, mapped by the bilinear transform with the cutoff prewarped. No latency. `cutoff` must \
be below half the sample rate.",
    source: "R. Bristow-Johnson, Audio EQ Cookbook.",
    parameters: &[
        frequency("cutoff", "Cutoff", "Frequency of half the gain in dB.", 120.0),
        band_gain("Gain well below the cutoff."),
        quality("Steepness of the step; above 0.7071 it overshoots.", Some(FLAT_Q), FLAT_Q),
    ],
    positional: 1,
    search: "bass eq tone warmth boost lows",
    aliases: &["lowshelf", "bass", "bass_boost"],
    selection: None,
    example: "low_shelf(200 Hz, gain=-9 dB)",
    largest_output: 1e6,
    build: |arguments| Shelf::build("low_shelf", cookbook_low_shelf, arguments),
};

pub(super) static HIGH_SHELF: EffectSpec = EffectSpec {
    name: "high_shelf",
    title: "High shelf",
    purpose: Purpose::Equaliser,
    summary: "Boosts or cuts all frequencies above a cutoff.",
    documentation: "\
Boosts or cuts frequencies well above `cutoff` by `gain` and leaves those well below it unchanged; at the cutoff the \
gain in dB is half. A `q` of 0.7071 gives the steepest step without overshoot; higher values overshoot, lower values \
are gentler.\n\
\n\
`H(s) = A (A s^2 + s sqrt(A)/q + 1) / (s^2 + s sqrt(A)/q + A)` with `A = 10^(gain / 40 dB)`\n\
\n\
`s` is in units of the cutoff, mapped by the bilinear transform with the cutoff prewarped. No latency. `cutoff` must \
be below half the sample rate.",
    source: "R. Bristow-Johnson, Audio EQ Cookbook.",
    parameters: &[
        frequency("cutoff", "Cutoff", "Frequency of half the gain in dB.", 8_000.0),
        band_gain("Gain well above the cutoff."),
        quality("Steepness of the step; above 0.7071 it overshoots.", Some(FLAT_Q), FLAT_Q),
    ],
    positional: 1,
    search: "treble eq tone air brightness boost highs",
    aliases: &["highshelf", "treble", "treble_boost"],
    selection: None,
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
