//! Low-pass of order 1 to 24, of any design family.

use super::bounds::{below_nyquist, frequency};
use super::design::{ATTENUATION, DESIGN, RIPPLE, order, prototype};
use super::{Arguments, Effect, EffectSpec, Measured, Purpose, Stage};
use crate::audio::AudioFormat;
use crate::design::Prototype;
use crate::error::Result;

pub(super) static SPEC: EffectSpec = EffectSpec {
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
             transformations); S. J. Orfanidis, Lecture Notes on Elliptic Filter Design; W. E. Thomson, Delay Networks \
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
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let cutoff_hz = arguments.checked_number("cutoff")?;
    let prototype = prototype("lowpass", arguments)?;
    Ok(Box::new(Lowpass { cutoff_hz, prototype }))
}

#[derive(Debug)]
struct Lowpass {
    cutoff_hz: f64,
    prototype: Prototype,
}

impl Effect for Lowpass {
    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let cutoff = below_nyquist("lowpass cutoff", self.cutoff_hz, input.rate)?;
        Ok(Stage::Sections(self.prototype.lowpass(cutoff)))
    }
}
