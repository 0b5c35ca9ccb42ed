//! One band of a bank of filters of equal width in octaves.

use super::super::bounds::{band_below_nyquist, ordered};
use super::super::{Arguments, Effect, EffectSpec, Measured, Purpose, Scale, Stage};
use super::{hertz, number, whole};
use crate::spec::refuse;
use audio::AudioFormat;
use base::error::Result;
use dsp::design::{MAX_ORDER, butterworth_bandpass};

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "filter_bank",
    title: "Filter bank",
    purpose: Purpose::Filter,
    summary: "Outputs one of many bands of equal width in octaves.",
    documentation: "\
Divides the range from `low` to `high` into `bands` bands of equal frequency ratio and outputs the `band` with this \
number, counted from the lowest: from `low (high/low)^((band - 1)/bands)` to `low (high/low)^(band/bands)`. By \
default each band is approximately one octave wide.\n\
\n\
Each band is a Butterworth band-pass of `order` (that of the prototype: it has twice as many poles), -3 dB at both \
edges, where it meets its neighbours. From order 3 on, the powers of all bands sum to the input within 0.7 dB. Their \
signals do not, because their phases differ at the edges: to split a signal and recombine it, use `crossover`. Bands \
in branches of a sum, each followed by a gain or an effect, form the analysis of a vocoder or a multiband gate:\n\
\n\
`filter_bank(3) + (filter_bank(4) | gain(-6 dB))`\n\
\n\
No latency. A narrow band rings for a time of about `order` over its width. `low` must be below `high`, and `high` \
below half the sample rate, whichever band is used.",
    source: "IEC 61260-1, Octave-band and fractional-octave-band filters (bands of equal ratio); A. V. Oppenheim, \
             R. W. Schafer, Discrete-Time Signal Processing, appendix B (Butterworth).",
    parameters: &[
        whole("band", "Band", "Band that is output; 1 is the lowest.", (1.0, 64.0), None, 1.0).on(Scale::Index),
        whole("bands", "Bands", "Number of bands.", (2.0, 64.0), Some(10.0), 10.0).travels(2.0, 32.0),
        whole(
            "order",
            "Order",
            "Slope on either side: 6 dB per octave for each order.",
            (1.0, MAX_ORDER as f64),
            Some(4.0),
            4.0,
        )
        .travels(1.0, 12.0),
        hertz("low", "Low", "Lower edge of the lowest band.", 20.0).to_nyquist(10.0),
        hertz("high", "High", "Upper edge of the highest band.", 20_000.0),
    ],
    positional: 1,
    search: "split bands vocoder",
    aliases: &["filterbank"],
    selection: None,
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
