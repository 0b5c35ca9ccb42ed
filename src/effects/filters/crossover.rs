//! One band of a crossover whose bands sum to an all-pass.

use super::super::bounds::{below_nyquist, frequency};
use super::super::{Arguments, Effect, EffectSpec, Measured, Parameter, Purpose, Stage, Unit};
use super::{hertz, number, whole};
use crate::audio::AudioFormat;
use crate::design::{MAX_ORDER, Prototype, Section, linkwitz_riley, linkwitz_riley_allpass};
use crate::effects::spec::{refuse, title};
use crate::error::Result;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "crossover",
    title: "Crossover",
    purpose: Purpose::Filter,
    summary: "Takes one band of a split into two to four, whose bands sum to all that was there.",
    documentation: "\
Splits the signal at one to three frequencies (`ways` is one more) and gives the `band` of that number, counted from the \
lowest. Each band can be treated by itself in a branch of a sum:\n\
\n\
`(crossover(1, 200 Hz) | compressor) + crossover(2, 200 Hz)`\n\
\n\
The filters are Linkwitz-Riley ones of `order` (even): -6 dB at the frequency, 6 dB per octave for each order. Each band \
passes the all-pass filters of the splits that it does not take part in, so that all bands of the same frequencies and \
the same order stay in step and sum to an all-pass: every level as it was, the phase turned by `order` times 90 degrees \
at each frequency. Where half the order is odd, the high-pass has its sign turned for that.\n\
\n\
`B(-s) / B(s) = 1 / B(s)^2 + (-1)^(order/2) s^order / B(s)^2` with the Butterworth polynomial `B` of half the order.\n\
\n\
No latency. Frequencies must ascend and be below half the sample rate; one beyond `ways` is refused.",
    source: "S. Linkwitz, Active Crossover Networks for Noncoincident Drivers (JAES 24, 1976); J. A. D'Appolito, Active \
             Realization of Multiway All-Pass Crossover Systems (JAES 35, 1987).",
    parameters: &[
        whole("band", "Band", "Which band is heard; 1 is the lowest.", (1.0, 4.0), None, 1.0),
        frequency("first", "First", "Where the first band meets the second.", 200.0),
        hertz("second", "Second", "Where the second band meets the third, with three or four ways.", 2_000.0),
        hertz("third", "Third", "Where the third band meets the fourth, with four ways.", 8_000.0),
        whole("ways", "Ways", "How many bands there are.", (2.0, 4.0), Some(2.0), 4.0),
        whole(
            "order",
            "Order",
            "The steepness, even: 6 dB per octave for each.",
            (2.0, MAX_ORDER as f64),
            Some(4.0),
            4.0,
        ),
    ],
    positional: 2,
    search: "split bands linkwitz riley multiband",
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
