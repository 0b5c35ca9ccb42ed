//! Band-pass, Butterworth from prototypes of order 1 to 24.

use super::bounds::{DESIGN, band_below_nyquist, frequency, order, ordered};
use super::{Arguments, Effect, EffectSpec, Measured, Purpose, Stage};
use crate::audio::AudioFormat;
use crate::design::butterworth_bandpass;
use crate::error::Result;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "bandpass",
    title: "Band-pass",
    purpose: Purpose::Filter,
    summary: "Keeps what is between two frequencies, with slopes as steep as the order.",
    documentation: "\
Keeps frequencies between `low` and `high` and takes the others away, by 6 dB per octave for each `order` on either \
side.\n\
\n\
`|H(f)|^2 = 1 / (1 + x^(2 order))` with `x = (W^2 - L H) / (W (H - L))`, where `W`, `L`, `H` are `tan(pi f / rate)` of \
the frequency and of the two edges: -3 dB at both edges, 0 dB at the centre between them (`W^2 = L H`). The order is \
that of the low-pass prototype, as SciPy counts it: there are twice as many poles.\n\
\n\
No latency; a narrow band of high order rings long. `low` must be below `high`, and `high` below half the sample \
rate.",
    source: "A. V. Oppenheim, R. W. Schafer, Discrete-Time Signal Processing, appendix B (Butterworth, frequency \
             transformations); V. Zavalishin, The Art of VA Filter Design (state-variable sections).",
    parameters: &[
        frequency("low", "Low", "The lower edge, where the response is down by 3 dB.", 300.0),
        frequency("high", "High", "The upper edge, where the response is down by 3 dB.", 3_400.0),
        order("The steepness on either side: 6 dB per octave for each; there are twice as many poles."),
        DESIGN,
    ],
    positional: 2,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let low_hz = arguments.checked_number("low")?;
    let high_hz = arguments.checked_number("high")?;
    ordered("bandpass", low_hz, high_hz)?;
    let order = arguments.checked_number("order")? as usize;
    Ok(Box::new(Bandpass { low_hz, high_hz, order }))
}

#[derive(Debug)]
struct Bandpass {
    low_hz: f64,
    high_hz: f64,
    order: usize,
}

impl Effect for Bandpass {
    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let band = band_below_nyquist("bandpass", self.low_hz, self.high_hz, input.rate)?;
        Ok(Stage::Sections(butterworth_bandpass(self.order, band)))
    }
}
