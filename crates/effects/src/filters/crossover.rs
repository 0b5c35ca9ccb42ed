//! One band of a crossover whose bands sum to an all-pass.

use super::super::bounds::{below_nyquist, frequency};
use super::super::{Arguments, Effect, EffectSpec, Measured, Parameter, Purpose, Scale, Stage, Unit, When};
use super::{hertz, number, whole};
use crate::spec::{refuse, title};
use audio::AudioFormat;
use base::error::Result;
use dsp::design::{MAX_ORDER, Prototype, Section, linkwitz_riley, linkwitz_riley_allpass};

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "crossover",
    title: "Crossover",
    purpose: Purpose::Filter,
    summary: "Outputs one band of a two- to four-way split whose bands sum to the input.",
    documentation: "\
Splits the signal at one to three frequencies (`ways` minus one) and outputs the `band` with this number, counted \
from the lowest. Each band can be processed in its own branch of a sum:\n\
\n\
`(crossover(1, 200 Hz) | compressor) + crossover(2, 200 Hz)`\n\
\n\
The filters are Linkwitz-Riley filters of even `order`: -6 dB at the frequency, 6 dB per octave for each order. Each \
band also passes through the all-pass filters of the splits that it does not take part in, so that all bands of the \
same frequencies and order stay in phase and sum to an all-pass: levels are unchanged, and the phase is rotated by \
`order` times 90 degrees at each frequency. If half the order is odd, the polarity of the high-pass is inverted for \
this purpose.\n\
\n\
`B(-s) / B(s) = 1 / B(s)^2 + (-1)^(order/2) s^order / B(s)^2` with the Butterworth polynomial `B` of half the order.\n\
\n\
No latency. Frequencies must ascend and be below half the sample rate; a frequency that `ways` does not use is \
refused.",
    source: "S. Linkwitz, Active Crossover Networks for Noncoincident Drivers (JAES 24, 1976); J. A. D'Appolito, Active \
             Realization of Multiway All-Pass Crossover Systems (JAES 35, 1987).",
    parameters: &[
        whole("band", "Band", "Band that is output; 1 is the lowest.", (1.0, 4.0), None, 1.0).on(Scale::Index),
        frequency("first", "First", "Crossover of the first and second band.", 200.0),
        hertz("second", "Second", "Crossover of the second and third band.", 2_000.0)
            .used_when(&[When { choice: "ways", words: &["3", "4"] }]),
        hertz("third", "Third", "Crossover of the third and fourth band.", 8_000.0)
            .used_when(&[When { choice: "ways", words: &["4"] }]),
        whole("ways", "Ways", "Number of bands.", (2.0, 4.0), Some(2.0), 4.0).on(Scale::Index),
        whole(
            "order",
            "Order",
            "Slope: 6 dB per octave for each order; an even number.",
            (2.0, MAX_ORDER as f64),
            Some(4.0),
            4.0,
        )
        .travels(2.0, 12.0),
    ],
    positional: 2,
    search: "split bands multiband",
    aliases: &["linkwitz_riley", "multiband_split"],
    selection: None,
    example: "crossover(2, first=200 Hz, second=2 kHz, ways=3)",
    largest_output: 1e3,
    build,
};

const NAMES: [&str; 3] = ["first", "second", "third"];

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let (band, ways) = (number(arguments, "band")? as usize, number(arguments, "ways")? as usize);
    let order = number(arguments, "order")? as usize;
    let refuse = |name: &str, allowed: &str| Err(refuse("crossover", name, allowed));
    if band > ways {
        return refuse("band", &format!("1 to {ways}, the number of ways"));
    }
    if !order.is_multiple_of(2) {
        return refuse("order", "an even number, for two filters of half the order");
    }
    let mut splits_hz = Vec::new();
    for (index, name) in NAMES.into_iter().enumerate() {
        let hz = number(arguments, name)?;
        if index + 1 < ways {
            if splits_hz.last().is_some_and(|&last| hz <= last) {
                let before = NAMES[index - 1];
                let limit = Unit::Hz.written(splits_hz[index - 1]);
                return refuse(name, &format!("above {} ({limit})", title("crossover", before)));
            }
            splits_hz.push(hz);
        } else if SPEC.parameter(name).and_then(Parameter::default_value) != Some(hz.into()) {
            return refuse(name, &format!("left out with {ways} ways"));
        }
    }
    Ok(Box::new(Crossover { band: band - 1, splits_hz, order, prototype: linkwitz_riley(order) }))
}

#[derive(Debug)]
struct Crossover {
    /// Counted from 0.
    band: usize,
    splits_hz: Vec<f64>,
    order: usize,
    prototype: Prototype,
}

impl Effect for Crossover {
    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let mut sections = Vec::new();
        for (index, (&hz, name)) in self.splits_hz.iter().zip(NAMES).enumerate() {
            let place = below_nyquist("crossover", name, hz, input.rate)?;
            sections.extend(match index {
                _ if index < self.band => self.upper(self.prototype.highpass(place)),
                _ if index == self.band => self.prototype.lowpass(place),
                _ => linkwitz_riley_allpass(self.order, place),
            });
        }
        Ok(Stage::Sections(sections))
    }
}

impl Crossover {
    /// Returns the high-pass with the sign needed for its sum with the low-pass.
    fn upper(&self, mut highpass: Vec<Section>) -> Vec<Section> {
        if !(self.order / 2).is_multiple_of(2)
            && let Some(first) = highpass.first_mut()
        {
            *first = first.scaled(-1.0);
        }
        highpass
    }
}
