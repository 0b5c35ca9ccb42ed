//! Band-stop, Butterworth from prototypes of order 1 to 24.

use super::bounds::{DESIGN, band_below_nyquist, frequency, order, ordered};
use super::{Arguments, Effect, EffectSpec, Measured, Purpose, Stage};
use crate::audio::AudioFormat;
use crate::design::butterworth_bandstop;
use crate::error::Result;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "bandstop",
    title: "Band-stop",
    purpose: Purpose::Filter,
    summary: "Takes away what is between two frequencies.",
    documentation: "\
Takes frequencies between `low` and `high` away and keeps the others.\n\
\n\
`|H(f)|^2 = 1 / (1 + x^(2 order))` with `x = W (H - L) / (W^2 - L H)`, where `W`, `L`, `H` are `tan(pi f / rate)` of \
the frequency and of the two edges: -3 dB at both edges, silent at the centre between them (`W^2 = L H`), 0 dB at 0 Hz \
and at half the sample rate. The order is that of the low-pass prototype, as SciPy counts it: there are twice as many \
poles.\n\
\n\
No latency; a narrow band of high order rings long. `low` must be below `high`, and `high` below half the sample \
rate.",
    source: "A. V. Oppenheim, R. W. Schafer, Discrete-Time Signal Processing, appendix B (Butterworth, frequency \
             transformations); V. Zavalishin, The Art of VA Filter Design (state-variable sections).",
    parameters: &[
        frequency("low", "Low", "The lower edge, where the response is down by 3 dB.", 45.0),
        frequency("high", "High", "The upper edge, where the response is down by 3 dB.", 55.0),
        order("How steeply it falls to the centre; there are twice as many poles."),
        DESIGN,
    ],
    positional: 2,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let low_hz = arguments.checked_number("low")?;
    let high_hz = arguments.checked_number("high")?;
    ordered("bandstop", low_hz, high_hz)?;
    let order = arguments.checked_number("order")? as usize;
    Ok(Box::new(Bandstop { low_hz, high_hz, order }))
}

#[derive(Debug)]
struct Bandstop {
    low_hz: f64,
    high_hz: f64,
    order: usize,
}

impl Effect for Bandstop {
    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let band = band_below_nyquist("bandstop", self.low_hz, self.high_hz, input.rate)?;
        Ok(Stage::Sections(butterworth_bandstop(self.order, band)))
    }
}
