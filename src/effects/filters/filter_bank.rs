//! One band of a bank of filters of equal width in octaves.

use super::super::bounds::{band_below_nyquist, ordered};
use super::super::{Arguments, Effect, EffectSpec, Measured, Purpose, Stage};
use super::{hertz, number, whole};
use crate::audio::AudioFormat;
use crate::design::{MAX_ORDER, butterworth_bandpass};
use crate::effects::spec::refuse;
use crate::error::Result;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "filter_bank",
    title: "Filter bank",
    purpose: Purpose::Filter,
    summary: "Takes one of many bands of equal width in octaves.",
    documentation: "\
Divides the range from `low` to `high` into `bands` of equal ratio and gives the `band` of that number, counted from the \
lowest: from `low (high/low)^((band - 1)/bands)` to `low (high/low)^(band/bands)`. With the defaults each is an octave \
wide, nearly.\n\
\n\
Each band is a Butterworth band-pass of `order` (the prototype's: there are twice as many poles), -3 dB at both edges, \
where it meets its neighbours. The powers of all bands sum to what was there within 0.7 dB, from order 3 on; their signals \
do not, as they are turned in phase at the edges: to take a signal apart and put it together again, use `crossover`. Bands \
in branches of a sum, each with a gain or an effect behind it, are a vocoder's or a multi-band gate's analysis:\n\
\n\
`filter_bank(3) + (filter_bank(4) | gain(-6 dB))`\n\
\n\
No latency; a narrow band rings for a time of about `order` over its width. `low` must be below `high`, and `high` below \
half the sample rate, whichever band is taken.",
    source: "IEC 61260-1, Octave-band and fractional-octave-band filters (bands of equal ratio); A. V. Oppenheim, \
             R. W. Schafer, Discrete-Time Signal Processing, appendix B (Butterworth).",
    parameters: &[
        whole("band", "Band", "Which band is heard; 1 is the lowest.", (1.0, 64.0), None, 1.0),
        whole("bands", "Bands", "How many bands there are.", (2.0, 64.0), Some(10.0), 10.0),
        whole(
            "order",
            "Order",
            "The steepness on either side: 6 dB per octave for each.",
            (1.0, MAX_ORDER as f64),
            Some(4.0),
            4.0,
        ),
        hertz("low", "Low", "The lower edge of the lowest band.", 20.0),
        hertz("high", "High", "The upper edge of the highest band.", 20_000.0),
    ],
    positional: 1,
    search: "split bands",
    example: "filter_bank(3, bands=8, high=3.5 kHz)",
    largest_output: 1e4,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let (band, bands) = (number(arguments, "band")?, number(arguments, "bands")?);
    let (low_hz, high_hz) = (number(arguments, "low")?, number(arguments, "high")?);
    if band > bands {
        return Err(refuse("filter_bank", "band", &format!("1 to {bands}, the number of bands")));
    }
    ordered("filter_bank", low_hz, high_hz)?;
    let order = number(arguments, "order")? as usize;
    Ok(Box::new(FilterBank { shares: [(band - 1.0) / bands, band / bands], low_hz, high_hz, order }))
}

#[derive(Debug)]
struct FilterBank {
    /// The lower and upper edge, as shares of the whole range in octaves.
    shares: [f64; 2],
    low_hz: f64,
    high_hz: f64,
    order: usize,
}

impl Effect for FilterBank {
    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        band_below_nyquist("filter_bank", self.low_hz, self.high_hz, input.rate)?;
        let [low_hz, high_hz] = self.shares.map(|share| self.low_hz * (self.high_hz / self.low_hz).powf(share));
        ordered("filter_bank", low_hz, high_hz)?;
        // The last edge is `high` up to rounding.
        let band = band_below_nyquist("filter_bank", low_hz, high_hz.min(self.high_hz), input.rate)?;
        Ok(Stage::Sections(butterworth_bandpass(self.order, band)))
    }
}
