//! Low-pass and high-pass of order 1 to 24, of any design family.

use super::design::{ATTENUATION, DESIGN, RIPPLE, order, prototype};
use crate::bounds::{below_nyquist, frequency};
use crate::{Arguments, Effect, EffectSpec, Measured, Purpose, Stage};
use audio::AudioFormat;
use base::error::Result;
use dsp::design::{Prototype, Section, Warped};

pub(super) static LOWPASS: EffectSpec = EffectSpec {
    name: "lowpass",
    title: "Low-pass",
    purpose: Purpose::Filter,
    summary: "Attenuates frequencies above the cutoff. The order sets the slope.",
    documentation: "\
Passes frequencies below `cutoff` and attenuates those above it by 6 dB per octave for each `order`. `design` sets \
the shape of the transition (n is the order, `x = tan(pi f / rate) / tan(pi cutoff / rate)`):\n\
\n\
- `butterworth`: maximally flat pass band, -3 dB at the cutoff for every order; `|H|^2 = 1 / (1 + x^2n)`\n\
- `chebyshev1`: steeper, with `ripple` in the pass band, which ends at the cutoff; `1 / (1 + e^2 T(x)^2)` with `e^2 \
= 10^(ripple / 10 dB) - 1` and the Chebyshev polynomial `T` of the order\n\
- `chebyshev2`: flat pass band; the stop band begins at the cutoff and stays at or below `attenuation`; `1 / (1 + 1 \
/ (e^2 T(1/x)^2))` with `1/e^2 = 10^(attenuation / 10 dB) - 1`\n\
- `elliptic`: steepest, with `ripple` in the pass band, which ends at the cutoff, and `attenuation` in the stop band\n\
- `bessel`: gentlest, with nearly constant group delay, so that waveforms keep their shape; -3 dB at the cutoff\n\
- `linkwitz_riley`: two cascaded Butterworth filters of half the order, which must be even; -6 dB at the cutoff; \
sums to an all-pass with the high-pass of the same cutoff\n\
\n\
A `ripple` or `attenuation` that the design does not use is refused. Steep filters ring: an elliptic filter of order \
24 rings for a million periods of its cutoff.\n\
\n\
No latency. The phase is that of a causal filter: frequencies near the cutoff are delayed more, and steeper filters \
delay them longer (see the group delay). `cutoff` must be below half the sample rate.",
    source: "A. V. Oppenheim, R. W. Schafer, Discrete-Time Signal Processing, appendix B (Butterworth, Chebyshev, frequency \
             transformations); S. J. Orfanidis, Lecture Notes on Elliptic Filter Design; W. E. Thomson, Delay Networks \
             Having Maximally Flat Frequency Characteristics (Bessel); S. Linkwitz, Active Crossover Networks for \
             Noncoincident Drivers; V. Zavalishin, The Art of VA Filter Design (state-variable sections).",
    parameters: &[
        frequency("cutoff", "Cutoff", "Edge of the pass band, -3 dB with the default design.", 10_000.0),
        order("Slope: 6 dB per octave for each order."),
        DESIGN,
        RIPPLE,
        ATTENUATION,
    ],
    positional: 1,
    search: "remove treble dull muffle",
    aliases: &["low_pass", "lpf", "lp", "high_cut", "highcut", "hi_cut"],
    selection: None,
    example: "lowpass(1 kHz, order=7, design=elliptic, ripple=0.5 dB, attenuation=60 dB)",
    largest_output: 1e4,
    build: |arguments| Pass::build("lowpass", Prototype::lowpass, arguments),
};

pub(super) static HIGHPASS: EffectSpec = EffectSpec {
    name: "highpass",
    title: "High-pass",
    purpose: Purpose::Filter,
    summary: "Attenuates frequencies below the cutoff. The order sets the slope.",
    documentation: "\
Passes frequencies above `cutoff` and attenuates those below it by 6 dB per octave for each `order`: rumble, wind, \
hum, a constant offset. `design` sets the shape of the transition (n is the order, `x = tan(pi cutoff / rate) / \
tan(pi f / rate)`):\n\
\n\
- `butterworth`: maximally flat pass band, -3 dB at the cutoff for every order; `|H|^2 = 1 / (1 + x^2n)`\n\
- `chebyshev1`: steeper, with `ripple` in the pass band, which ends at the cutoff; `1 / (1 + e^2 T(x)^2)` with `e^2 \
= 10^(ripple / 10 dB) - 1` and the Chebyshev polynomial `T` of the order\n\
- `chebyshev2`: flat pass band; the stop band begins at the cutoff and stays at or below `attenuation`; `1 / (1 + 1 \
/ (e^2 T(1/x)^2))` with `1/e^2 = 10^(attenuation / 10 dB) - 1`\n\
- `elliptic`: steepest, with `ripple` in the pass band, which ends at the cutoff, and `attenuation` in the stop band\n\
- `bessel`: gentlest, with nearly constant group delay, so that waveforms keep their shape; -3 dB at the cutoff\n\
- `linkwitz_riley`: two cascaded Butterworth filters of half the order, which must be even; -6 dB at the cutoff; \
sums to an all-pass with the low-pass of the same cutoff\n\
\n\
A `ripple` or `attenuation` that the design does not use is refused. Steep filters ring: an elliptic filter of order \
24 rings for a million periods of its cutoff.\n\
\n\
No latency. The phase is that of a causal filter: frequencies near the cutoff are delayed more, and steeper filters \
delay them longer (see the group delay). `cutoff` must be below half the sample rate.",
    source: "A. V. Oppenheim, R. W. Schafer, Discrete-Time Signal Processing, appendix B (Butterworth, Chebyshev, frequency \
             transformations); S. J. Orfanidis, Lecture Notes on Elliptic Filter Design; W. E. Thomson, Delay Networks \
             Having Maximally Flat Frequency Characteristics (Bessel); S. Linkwitz, Active Crossover Networks for \
             Noncoincident Drivers; V. Zavalishin, The Art of VA Filter Design (state-variable sections).",
    parameters: &[
        frequency("cutoff", "Cutoff", "Edge of the pass band, -3 dB with the default design.", 80.0),
        order("Slope: 6 dB per octave for each order."),
        DESIGN,
        RIPPLE,
        ATTENUATION,
    ],
    positional: 1,
    search: "remove rumble bass hum wind handling plosive subsonic",
    aliases: &["high_pass", "hpf", "hp", "low_cut", "lowcut", "lo_cut", "bass_cut", "rumble_filter"],
    selection: None,
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
