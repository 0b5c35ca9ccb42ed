//! Band-pass and band-stop from prototypes of order 1 to 24, of any design family.

use super::design::{ATTENUATION, DESIGN, RIPPLE, order, prototype};
use crate::audio::AudioFormat;
use crate::design::{Band, Prototype, Section};
use crate::effects::bounds::{band_below_nyquist, frequency, ordered};
use crate::effects::{Arguments, Effect, EffectSpec, Measured, Purpose, Stage};
use crate::error::Result;

pub(super) static BANDPASS: EffectSpec = EffectSpec {
    name: "bandpass",
    title: "Band-pass",
    purpose: Purpose::Filter,
    summary: "Keeps what is between two frequencies, with slopes as steep as the order.",
    documentation: "\
Keeps frequencies between `low` and `high` and takes the others away, by 6 dB per octave for each `order` on either side, \
sooner or later by `design` (n is the order, `x = (W^2 - L H) / (W (H - L))`, where `W`, `L`, `H` are `tan(pi f / rate)` of \
the frequency and of the two edges):\n\
\n\
- `butterworth`: as flat between the edges as the order allows, -3 dB at the edges, whatever the order; `|H|^2 = 1 / (1 + x^2n)`\n\
- `chebyshev1`: steeper, with ripples of `ripple` up to the edges; `1 / (1 + e^2 T(x)^2)` with \
`e^2 = 10^(ripple / 10 dB) - 1` and the Chebyshev polynomial `T` of the order\n\
- `chebyshev2`: flat between the edges, with ripples in the stop band, which begin at the edges and stay `attenuation` down; \
`1 / (1 + 1 / (e^2 T(1/x)^2))` with `1/e^2 = 10^(attenuation / 10 dB) - 1`\n\
- `elliptic`: the steepest, with ripples of `ripple` up to the edges, and of `attenuation` in the stop band\n\
- `bessel`: the gentlest, keeps the shape of what passes (all of it comes equally late); -3 dB at the edges\n\
- `linkwitz_riley`: two Butterworth filters of half the order, which must be even; -6 dB at the edges\n\
\n\
The order is that of the low-pass prototype, as SciPy counts it: there are twice as many poles. A `ripple` or an \
`attenuation` that the design has no use for is refused.\n\
\n\
No latency; a narrow band of high order rings long. `low` must be below `high`, and `high` below half the sample rate.",
    source: "A. V. Oppenheim, R. W. Schafer, Discrete-Time Signal Processing, appendix B (Butterworth, Chebyshev, frequency \
             transformations); S. J. Orfanidis, Lecture Notes on Elliptic Filter Design; W. E. Thomson, FractionalDelay Networks \
             Having Maximally Flat Frequency Characteristics (Bessel); S. Linkwitz, Active Crossover Networks for \
             Noncoincident Drivers; V. Zavalishin, The Art of VA Filter Design (state-variable sections).",
    parameters: &[
        frequency("low", "Low", "The lower edge, -3 dB with the default design.", 300.0),
        frequency("high", "High", "The upper edge, -3 dB with the default design.", 3_400.0),
        order("The steepness on either side: 6 dB per octave for each; there are twice as many poles."),
        DESIGN,
        RIPPLE,
        ATTENUATION,
    ],
    positional: 2,
    search: "telephone radio",
    example: "bandpass(300 Hz, 3 kHz, order=4)",
    largest_output: 1e4,
    build: |arguments| Edges::build("bandpass", Prototype::bandpass, arguments),
};

pub(super) static BANDSTOP: EffectSpec = EffectSpec {
    name: "bandstop",
    title: "Band-stop",
    purpose: Purpose::Filter,
    summary: "Takes away what is between two frequencies.",
    documentation: "\
Takes frequencies between `low` and `high` away and keeps the others, by 6 dB per octave for each `order` towards the \
centre on either side, sooner or later by `design` (n is the order, `x = W (H - L) / (L H - W^2)`, where `W`, `L`, `H` are \
`tan(pi f / rate)` of the frequency and of the two edges):\n\
\n\
- `butterworth`: as flat outside the edges as the order allows, -3 dB at the edges, whatever the order; `|H|^2 = 1 / (1 + x^2n)`\n\
- `chebyshev1`: steeper, with ripples of `ripple` in the pass bands, which end at the edges; `1 / (1 + e^2 T(x)^2)` with \
`e^2 = 10^(ripple / 10 dB) - 1` and the Chebyshev polynomial `T` of the order\n\
- `chebyshev2`: flat in the pass bands, with ripples in the stop band, which begin at the edges and stay `attenuation` down; \
`1 / (1 + 1 / (e^2 T(1/x)^2))` with `1/e^2 = 10^(attenuation / 10 dB) - 1`\n\
- `elliptic`: the steepest, with ripples of `ripple` in the pass bands, which end at the edges, and of `attenuation` in the stop band\n\
- `bessel`: the gentlest, keeps the shape of what passes (all of it comes equally late); -3 dB at the edges\n\
- `linkwitz_riley`: two Butterworth filters of half the order, which must be even; -6 dB at the edges\n\
\n\
The order is that of the low-pass prototype, as SciPy counts it: there are twice as many poles. A `ripple` or an \
`attenuation` that the design has no use for is refused.\n\
\n\
No latency; a narrow band of high order rings long. `low` must be below `high`, and `high` below half the sample rate.",
    source: "A. V. Oppenheim, R. W. Schafer, Discrete-Time Signal Processing, appendix B (Butterworth, Chebyshev, frequency \
             transformations); S. J. Orfanidis, Lecture Notes on Elliptic Filter Design; W. E. Thomson, FractionalDelay Networks \
             Having Maximally Flat Frequency Characteristics (Bessel); S. Linkwitz, Active Crossover Networks for \
             Noncoincident Drivers; V. Zavalishin, The Art of VA Filter Design (state-variable sections).",
    parameters: &[
        frequency("low", "Low", "The lower edge, -3 dB with the default design.", 45.0),
        frequency("high", "High", "The upper edge, -3 dB with the default design.", 55.0),
        order("How steeply it falls to the centre; there are twice as many poles."),
        DESIGN,
        RIPPLE,
        ATTENUATION,
    ],
    positional: 2,
    search: "band reject",
    example: "bandstop(900 Hz, 1100 Hz, order=3, design=bessel)",
    largest_output: 1e4,
    build: |arguments| Edges::build("bandstop", Prototype::bandstop, arguments),
};

/// A prototype, two edges, and how they become the filter.
#[derive(Debug)]
struct Edges {
    name: &'static str,
    sections: fn(&Prototype, Band) -> Vec<Section>,
    low_hz: f64,
    high_hz: f64,
    prototype: Prototype,
}

impl Edges {
    fn build(
        name: &'static str,
        sections: fn(&Prototype, Band) -> Vec<Section>,
        arguments: &Arguments,
    ) -> Result<Box<dyn Effect>> {
        let low_hz = arguments.checked_number("low")?;
        let high_hz = arguments.checked_number("high")?;
        ordered(name, low_hz, high_hz)?;
        Ok(Box::new(Self { name, sections, low_hz, high_hz, prototype: prototype(name, arguments)? }))
    }
}

impl Effect for Edges {
    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let band = band_below_nyquist(self.name, self.low_hz, self.high_hz, input.rate)?;
        Ok(Stage::Sections((self.sections)(&self.prototype, band)))
    }
}
