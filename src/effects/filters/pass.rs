//! Low-pass and high-pass of order 1 to 24, of any design family.

use super::design::{ATTENUATION, DESIGN, RIPPLE, order, prototype};
use crate::audio::AudioFormat;
use crate::design::{Prototype, Section, Warped};
use crate::effects::bounds::{below_nyquist, frequency};
use crate::effects::{Arguments, Effect, EffectSpec, Measured, Purpose, Stage};
use crate::error::Result;

pub(super) static LOWPASS: EffectSpec = EffectSpec {
    name: "lowpass",
    title: "Low-pass",
    purpose: Purpose::Filter,
    summary: "Keeps what is below the cutoff, with a slope as steep as the order.",
    documentation: "\
Keeps frequencies below `cutoff` and takes those above it away, by 6 dB per octave for each `order`, sooner or later by \
`design` (n is the order, `x = tan(pi f / rate) / tan(pi cutoff / rate)`):\n\
\n\
- `butterworth`: as flat below the cutoff as the order allows, -3 dB at the cutoff, whatever the order; `|H|^2 = 1 / (1 + x^2n)`\n\
- `chebyshev1`: steeper, with ripples of `ripple` in the pass band, which end at the cutoff; `1 / (1 + e^2 T(x)^2)` with \
`e^2 = 10^(ripple / 10 dB) - 1` and the Chebyshev polynomial `T` of the order\n\
- `chebyshev2`: flat in the pass band, with ripples in the stop band, which begin at the cutoff and stay `attenuation` down; \
`1 / (1 + 1 / (e^2 T(1/x)^2))` with `1/e^2 = 10^(attenuation / 10 dB) - 1`\n\
- `elliptic`: the steepest, with ripples of `ripple` in the pass band, which end at the cutoff, and of `attenuation` in the stop band\n\
- `bessel`: the gentlest, keeps the shape of what passes (all of it comes equally late); -3 dB at the cutoff\n\
- `linkwitz_riley`: two Butterworth filters of half the order, which must be even; -6 dB at the cutoff, so that it sums to an all-pass with the high-pass of the same cutoff\n\
\n\
A `ripple` or an `attenuation` that the design has no use for is refused. A steep filter rings: an elliptic one of order 24 \
for a million periods of its cutoff.\n\
\n\
Its phase is that of a causal filter: no latency, and frequencies near the cutoff come later than others, the more so \
the steeper the filter (see the group delay). `cutoff` must be below half the sample rate.",
    source: "A. V. Oppenheim, R. W. Schafer, Discrete-Time Signal Processing, appendix B (Butterworth, Chebyshev, frequency \
             transformations); S. J. Orfanidis, Lecture Notes on Elliptic Filter Design; W. E. Thomson, FractionalDelay Networks \
             Having Maximally Flat Frequency Characteristics (Bessel); S. Linkwitz, Active Crossover Networks for \
             Noncoincident Drivers; V. Zavalishin, The Art of VA Filter Design (state-variable sections).",
    parameters: &[
        frequency("cutoff", "Cutoff", "The edge of the pass band: -3 dB with the default design.", 10_000.0),
        order("The steepness: 6 dB per octave for each."),
        DESIGN,
        RIPPLE,
        ATTENUATION,
    ],
    positional: 1,
    search: "high cut hiss treble",
    example: "lowpass(1 kHz, order=7, design=elliptic, ripple=0.5 dB, attenuation=60 dB)",
    largest_output: 1e4,
    build: |arguments| Pass::build("lowpass", Prototype::lowpass, arguments),
};

pub(super) static HIGHPASS: EffectSpec = EffectSpec {
    name: "highpass",
    title: "High-pass",
    purpose: Purpose::Filter,
    summary: "Keeps what is above the cutoff, with a slope as steep as the order.",
    documentation: "\
Keeps frequencies above `cutoff` and takes those below it away, by 6 dB per octave for each `order`: rumble, wind, hum, a \
constant offset. `design` says how (n is the order, `x = tan(pi cutoff / rate) / tan(pi f / rate)`):\n\
\n\
- `butterworth`: as flat above the cutoff as the order allows, -3 dB at the cutoff, whatever the order; `|H|^2 = 1 / (1 + x^2n)`\n\
- `chebyshev1`: steeper, with ripples of `ripple` in the pass band, which end at the cutoff; `1 / (1 + e^2 T(x)^2)` with \
`e^2 = 10^(ripple / 10 dB) - 1` and the Chebyshev polynomial `T` of the order\n\
- `chebyshev2`: flat in the pass band, with ripples in the stop band, which begin at the cutoff and stay `attenuation` down; \
`1 / (1 + 1 / (e^2 T(1/x)^2))` with `1/e^2 = 10^(attenuation / 10 dB) - 1`\n\
- `elliptic`: the steepest, with ripples of `ripple` in the pass band, which end at the cutoff, and of `attenuation` in the stop band\n\
- `bessel`: the gentlest, keeps the shape of what passes (all of it comes equally late); -3 dB at the cutoff\n\
- `linkwitz_riley`: two Butterworth filters of half the order, which must be even; -6 dB at the cutoff, so that it sums to an all-pass with the low-pass of the same cutoff\n\
\n\
A `ripple` or an `attenuation` that the design has no use for is refused. A steep filter rings: an elliptic one of order 24 \
for a million periods of its cutoff.\n\
\n\
Its phase is that of a causal filter: no latency, and frequencies near the cutoff come later than others, the more so \
the steeper the filter (see the group delay). `cutoff` must be below half the sample rate.",
    source: "A. V. Oppenheim, R. W. Schafer, Discrete-Time Signal Processing, appendix B (Butterworth, Chebyshev, frequency \
             transformations); S. J. Orfanidis, Lecture Notes on Elliptic Filter Design; W. E. Thomson, FractionalDelay Networks \
             Having Maximally Flat Frequency Characteristics (Bessel); S. Linkwitz, Active Crossover Networks for \
             Noncoincident Drivers; V. Zavalishin, The Art of VA Filter Design (state-variable sections).",
    parameters: &[
        frequency("cutoff", "Cutoff", "The edge of the pass band: -3 dB with the default design.", 80.0),
        order("The steepness: 6 dB per octave for each."),
        DESIGN,
        RIPPLE,
        ATTENUATION,
    ],
    positional: 1,
    search: "low cut rumble bass hum wind",
    example: "highpass(80 Hz, order=5, design=chebyshev1, ripple=1 dB)",
    largest_output: 1e4,
    build: |arguments| Pass::build("highpass", Prototype::highpass, arguments),
};

/// A prototype and how it becomes the filter.
#[derive(Debug)]
struct Pass {
    name: &'static str,
    sections: fn(&Prototype, Warped) -> Vec<Section>,
    cutoff_hz: f64,
    prototype: Prototype,
}

impl Pass {
    fn build(
        name: &'static str,
        sections: fn(&Prototype, Warped) -> Vec<Section>,
        arguments: &Arguments,
    ) -> Result<Box<dyn Effect>> {
        let cutoff_hz = arguments.checked_number("cutoff")?;
        Ok(Box::new(Self { name, sections, cutoff_hz, prototype: prototype(name, arguments)? }))
    }
}

impl Effect for Pass {
    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let cutoff = below_nyquist(self.name, "cutoff", self.cutoff_hz, input.rate)?;
        Ok(Stage::Sections((self.sections)(&self.prototype, cutoff)))
    }
}
