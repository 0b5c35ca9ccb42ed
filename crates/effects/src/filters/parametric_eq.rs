//! Parametric equaliser: a shelf at each end and six peaks between.

use super::super::bounds::FLAT_Q;
use super::super::{
    Arguments, Effect, EffectSpec, Measured, PLAIN, Parameter, ParameterKind, Purpose, Scale, Stage, Unit,
};
use super::{band_place, decibels, hertz, number};
use audio::AudioFormat;
use base::error::Result;
use dsp::design::{cookbook_high_shelf, cookbook_low_shelf, cookbook_peaking};

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "parametric_eq",
    title: "Parametric equaliser",
    purpose: Purpose::Equaliser,
    summary: "Eight-band equaliser: low shelf, six peaks and high shelf.",
    documentation: "\
Eight bands in series: a low shelf, six peaks and a high shelf. Each is the same filter as `low_shelf`, `peaking` or \
`high_shelf`, and gains in dB add up where bands overlap. A band at 0 dB changes nothing, so only the bands in use \
need to be written:\n\
\n\
`parametric_eq(low_gain=-3 dB, center2=300 Hz, gain2=-4 dB, q2=1.5, high_gain=2 dB)`\n\
\n\
Shelves: `A (s^2 + s sqrt(A)/q + A) / (A s^2 + s sqrt(A)/q + 1)` and its mirror image; the gain in dB is half at the \
cutoff. Peaks: `(s^2 + s A/q + 1) / (s^2 + s/(A q) + 1)`; the bandwidth between the points of half the gain in dB is \
approximately centre over Q. `A = 10^(gain / 40 dB)`, `s` in units of the band's frequency, mapped by the bilinear \
transform with that frequency prewarped.\n\
\n\
No latency. Frequencies must be below half the sample rate, except those of unused bands.",
    source: "R. Bristow-Johnson, Audio EQ Cookbook.",
    parameters: &[
        hertz("low_cutoff", "Low shelf", "Cutoff of the low shelf.", 80.0),
        decibels("low_gain", "Low gain", "Gain well below the cutoff of the low shelf.", MOST),
        q("low_q", "Low Q", "Steepness of the low shelf; above 0.7071 it overshoots.", FLAT_Q),
        hertz("center1", "Peak 1", "Centre of the first peak.", 150.0),
        decibels("gain1", "Gain 1", "Gain at the centre of the first peak.", MOST),
        q("q1", "Q 1", "Centre over bandwidth of the first peak.", 1.0),
        hertz("center2", "Peak 2", "Centre of the second peak.", 350.0),
        decibels("gain2", "Gain 2", "Gain at the centre of the second peak.", MOST),
        q("q2", "Q 2", "Centre over bandwidth of the second peak.", 1.0),
        hertz("center3", "Peak 3", "Centre of the third peak.", 800.0),
        decibels("gain3", "Gain 3", "Gain at the centre of the third peak.", MOST),
        q("q3", "Q 3", "Centre over bandwidth of the third peak.", 1.0),
        hertz("center4", "Peak 4", "Centre of the fourth peak.", 1_800.0),
        decibels("gain4", "Gain 4", "Gain at the centre of the fourth peak.", MOST),
        q("q4", "Q 4", "Centre over bandwidth of the fourth peak.", 1.0),
        hertz("center5", "Peak 5", "Centre of the fifth peak.", 3_500.0),
        decibels("gain5", "Gain 5", "Gain at the centre of the fifth peak.", MOST),
        q("q5", "Q 5", "Centre over bandwidth of the fifth peak.", 1.0),
        hertz("center6", "Peak 6", "Centre of the sixth peak.", 7_000.0),
        decibels("gain6", "Gain 6", "Gain at the centre of the sixth peak.", MOST),
        q("q6", "Q 6", "Centre over bandwidth of the sixth peak.", 1.0),
        hertz("high_cutoff", "High shelf", "Cutoff of the high shelf.", 10_000.0),
        decibels("high_gain", "High gain", "Gain well above the cutoff of the high shelf.", MOST),
        q("high_q", "High Q", "Steepness of the high shelf; above 0.7071 it overshoots.", FLAT_Q),
    ],
    positional: 0,
    search: "bell shelf bands tone",
    aliases: &["eq", "equalizer", "equaliser", "parametric", "peq"],
    selection: None,
    example: "parametric_eq(low_gain=4 dB, gain2=-6 dB, gain4=5 dB, high_cutoff=3 kHz, high_gain=-3 dB)",
    largest_output: 1e9,
    build,
};

/// The maximum gain of a band in dB, in either direction.
const MOST: f64 = 40.0;

const fn q(name: &'static str, title: &'static str, help: &'static str, default: f64) -> Parameter {
    let kind = ParameterKind::Number {
        unit: Unit::None,
        min: 0.05,
        max: 100.0,
        default: Some(default),
        initial: default,
        scale: Scale::Log,
    };
    Parameter { name, title, help, kind, ..PLAIN }.travels(0.1, 30.0)
}

#[derive(Clone, Copy, Debug)]
enum BandKind {
    LowShelf,
    Peak,
    HighShelf,
}

const BANDS: [(BandKind, [&str; 3]); 8] = [
    (BandKind::LowShelf, ["low_cutoff", "low_gain", "low_q"]),
    (BandKind::Peak, ["center1", "gain1", "q1"]),
    (BandKind::Peak, ["center2", "gain2", "q2"]),
    (BandKind::Peak, ["center3", "gain3", "q3"]),
    (BandKind::Peak, ["center4", "gain4", "q4"]),
    (BandKind::Peak, ["center5", "gain5", "q5"]),
    (BandKind::Peak, ["center6", "gain6", "q6"]),
    (BandKind::HighShelf, ["high_cutoff", "high_gain", "high_q"]),
];

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let band = |(shape, [frequency, gain, q]): (BandKind, [&'static str; 3])| {
        Ok(Band {
            shape,
            name: frequency,
            hz: number(arguments, frequency)?,
            gain_db: number(arguments, gain)?,
            q: number(arguments, q)?,
        })
    };
    Ok(Box::new(ParametricEq { bands: BANDS.into_iter().map(band).collect::<Result<_>>()? }))
}

#[derive(Debug)]
struct ParametricEq {
    bands: Vec<Band>,
}

#[derive(Debug)]
struct Band {
    shape: BandKind,
    /// The name of its frequency parameter.
    name: &'static str,
    hz: f64,
    gain_db: f64,
    q: f64,
}

impl Effect for ParametricEq {
    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let mut sections = Vec::with_capacity(self.bands.len());
        for &Band { shape, name, hz, gain_db, q } in &self.bands {
            // A band at 0 dB runs too, so that raising its gain continues from the filter's present state.
            let Some(place) = band_place(&SPEC, name, hz, gain_db, input.rate)? else { continue };
            sections.push(match shape {
                BandKind::LowShelf => cookbook_low_shelf(place, gain_db, q),
                BandKind::Peak => cookbook_peaking(place, q, gain_db),
                BandKind::HighShelf => cookbook_high_shelf(place, gain_db, q),
            });
        }
        Ok(Stage::Sections(sections))
    }
}
