//! Band-pass and band-stop from prototypes of order 1 to 24, of any design family.

use super::design::{ATTENUATION, DESIGN, RIPPLE, order, prototype};
use crate::bounds::{band_below_nyquist, frequency, ordered};
use crate::{Arguments, Effect, EffectSpec, Measured, Purpose, Stage};
use audio::AudioFormat;
use base::error::Result;
use dsp::design::{Band, Prototype, Section};

pub(super) static BANDPASS: EffectSpec = EffectSpec {
    name: "bandpass",
    title: "Band-pass",
    purpose: Purpose::Filter,
    summary: "Passes frequencies between two edges. The order sets the slopes.",
    documentation: "\
Passes frequencies between `low` and `high` and attenuates the others by 6 dB per octave for each `order` on either \
side. `design` sets the shape of the transition (n is the order, `x = (W^2 - L H) / (W (H - L))`, where `W`, `L`, \
`H` are `tan(pi f / rate)` of the frequency and of the two edges):\n\
\n\
- `butterworth`: maximally flat between the edges, -3 dB at the edges for every order; `|H|^2 = 1 / (1 + x^2n)`\n\
- `chebyshev1`: steeper, with `ripple` up to the edges; `1 / (1 + e^2 T(x)^2)` with `e^2 = 10^(ripple / 10 dB) - 1` \
and the Chebyshev polynomial `T` of the order\n\
- `chebyshev2`: flat between the edges; the stop band begins at the edges and stays at or below `attenuation`; `1 / \
(1 + 1 / (e^2 T(1/x)^2))` with `1/e^2 = 10^(attenuation / 10 dB) - 1`\n\
- `elliptic`: steepest, with `ripple` up to the edges and `attenuation` in the stop band\n\
- `bessel`: gentlest, with nearly constant group delay; -3 dB at the edges\n\
- `linkwitz_riley`: two cascaded Butterworth filters of half the order, which must be even; -6 dB at the edges\n\
\n\
The order is that of the low-pass prototype, as in SciPy: the filter has twice as many poles. A `ripple` or \
`attenuation` that the design does not use is refused.\n\
\n\
No latency. A narrow band of high order rings for a long time. `low` must be below `high`, and `high` below half the \
sample rate.",
    source: "A. V. Oppenheim, R. W. Schafer, Discrete-Time Signal Processing, appendix B (Butterworth, Chebyshev, frequency \
             transformations); S. J. Orfanidis, Lecture Notes on Elliptic Filter Design; W. E. Thomson, Delay Networks \
             Having Maximally Flat Frequency Characteristics (Bessel); S. Linkwitz, Active Crossover Networks for \
             Noncoincident Drivers; V. Zavalishin, The Art of VA Filter Design (state-variable sections).",
    parameters: &[
        frequency("low", "Low", "Lower edge, -3 dB with the default design.", 300.0),
        frequency("high", "High", "Upper edge, -3 dB with the default design.", 3_400.0),
        order("Slope on either side: 6 dB per octave for each order."),
        DESIGN,
        RIPPLE,
        ATTENUATION,
    ],
    positional: 2,
    search: "telephone radio megaphone",
    aliases: &["band_pass", "bpf", "bp"],
    selection: None,
    example: "bandpass(300 Hz, 3 kHz, order=4)",
    largest_output: 1e4,
    build: |arguments| Edges::build("bandpass", Prototype::bandpass, arguments),
};

pub(super) static BANDSTOP: EffectSpec = EffectSpec {
    name: "bandstop",
    title: "Band-stop",
    purpose: Purpose::Filter,
    summary: "Removes frequencies between two edges.",
    documentation: "\
Attenuates frequencies between `low` and `high` and passes the others. The slope towards the centre is 6 dB per \
octave for each `order` on either side. `design` sets the shape of the transition (n is the order, `x = W (H - L) / \
(L H - W^2)`, where `W`, `L`, `H` are `tan(pi f / rate)` of the frequency and of the two edges):\n\
\n\
- `butterworth`: maximally flat outside, -3 dB at the edges for every order; `|H|^2 = 1 / (1 + x^2n)`\n\
- `chebyshev1`: steeper, with `ripple` outside up to the edges; `1 / (1 + e^2 T(x)^2)` with `e^2 = 10^(ripple / 10 \
dB) - 1` and the Chebyshev polynomial `T` of the order\n\
- `chebyshev2`: flat outside; the stop band begins at the edges and stays at or below `attenuation`; `1 / (1 + 1 / \
(e^2 T(1/x)^2))` with `1/e^2 = 10^(attenuation / 10 dB) - 1`\n\
- `elliptic`: steepest, with `ripple` outside and `attenuation` between the edges\n\
- `bessel`: gentlest; -3 dB at the edges\n\
- `linkwitz_riley`: two cascaded Butterworth filters of half the order, which must be even; -6 dB at the edges\n\
\n\
The order is that of the low-pass prototype, as in SciPy: the filter has twice as many poles. A `ripple` or \
`attenuation` that the design does not use is refused.\n\
\n\
No latency. A narrow band of high order rings for a long time. `low` must be below `high`, and `high` below half the \
sample rate.",
    source: "A. V. Oppenheim, R. W. Schafer, Discrete-Time Signal Processing, appendix B (Butterworth, Chebyshev, frequency \
             transformations); S. J. Orfanidis, Lecture Notes on Elliptic Filter Design; W. E. Thomson, Delay Networks \
             Having Maximally Flat Frequency Characteristics (Bessel); S. Linkwitz, Active Crossover Networks for \
             Noncoincident Drivers; V. Zavalishin, The Art of VA Filter Design (state-variable sections).",
    parameters: &[
        frequency("low", "Low", "Lower edge, -3 dB with the default design.", 45.0),
        frequency("high", "High", "Upper edge, -3 dB with the default design.", 55.0),
        order("Slope towards the centre: 6 dB per octave for each order."),
        DESIGN,
        RIPPLE,
        ATTENUATION,
    ],
    positional: 2,
    search: "notch wide remove range",
    aliases: &["band_stop", "band_reject", "bandreject", "bsf"],
    selection: None,
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
