//! Graphic equalisers with 10 and 31 bands.

use crate::spec::refuse;
use std::f64::consts::LN_2;

use super::super::{Arguments, Effect, EffectSpec, Measured, Parameter, Purpose, Stage};
use super::interaction::solved;
use super::{decibels, number};
use audio::AudioFormat;
use base::error::Result;
use dsp::design::{Section, Warped, cookbook_peaking};

/// The maximum gain of a band in dB, in either direction.
const MOST: f64 = 18.0;

macro_rules! documentation {
    ($bands:literal, $width:literal, $q:literal, $names:literal, $example:literal) => {
        concat!(
            "Boosts or cuts ", $bands, " of ", $width, " each, at the centres of ISO 266 (`1000 Hz 10^(n/10)`, ", $names,
            "), by up to 18 dB each:\n\n`", $example, "`\n\n",
            "Each centre has a peaking filter of Q ", $q, ": \
`(s^2 + s A/Q + 1) / (s^2 + s/(A Q) + 1)` with `A = 10^(g / 40 dB)`, its bandwidth corrected for the bilinear transform. \
Neighbours overlap at a third of their gain in dB, so that equal settings give an even response (within 0.8 dB at 12 dB); \
their gains would add up. The filters' own gains `g` are therefore not the settings: Newton's method finds them for all \
bands together, such that the response at every centre is the setting within 1e-6 dB. For neighbours at +12 and -12 dB \
they reach 30 dB.\n\n\
No latency. A centre at or above half the sample rate has no band: its gain must be 0 dB.",
        )
    };
}

pub(super) static SPEC_10: EffectSpec = EffectSpec {
    name: "graphic_eq_10",
    title: "Graphic equaliser, 10 bands",
    purpose: Purpose::Equaliser,
    summary: "Ten-band graphic equaliser in octaves, exact at the band centres.",
    documentation: documentation!(
        "ten bands",
        "an octave",
        "1",
        "31.5 Hz to 16 kHz",
        "graphic_eq_10(b63=-3 dB, b4k=2 dB)"
    ),
    source: SOURCE,
    parameters: &OCTAVES,
    positional: 0,
    search: "bands octave equaliser equalizer sliders",
    aliases: &["graphic_eq", "graphic_equalizer"],
    selection: None,
    example: "graphic_eq_10(b63=6 dB, b1k=-6 dB, b2k=3 dB)",
    largest_output: 1e3,
    build: |arguments| build(&SPEC_10, arguments),
};

pub(super) static SPEC_31: EffectSpec = EffectSpec {
    name: "graphic_eq_31",
    title: "Graphic equaliser, 31 bands",
    purpose: Purpose::Equaliser,
    summary: "Thirty-one-band graphic equaliser in third octaves, exact at the band centres.",
    documentation: documentation!(
        "thirty-one bands",
        "a third of an octave",
        "3",
        "20 Hz to 20 kHz",
        "graphic_eq_31(b50=-6 dB, b3_15k=2 dB)"
    ),
    source: SOURCE,
    parameters: &THIRDS,
    positional: 0,
    search: "bands third octave room equaliser equalizer sliders",
    aliases: &["third_octave_eq"],
    selection: None,
    example: "graphic_eq_31(b100=6 dB, b1k=-6 dB, b3_15k=4 dB)",
    largest_output: 1e3,
    build: |arguments| build(&SPEC_31, arguments),
};

const SOURCE: &str = "ISO 266, Acoustics - Preferred frequencies; R. Bristow-Johnson, Audio EQ Cookbook; the interaction of \
                      bands after V. Valimaki, J. Liski, Accurate Cascade Graphic Equalizer (IEEE SPL 24, 2017).";

const fn band(name: &'static str, title: &'static str) -> Parameter {
    decibels(name, title, "Gain at this frequency.", MOST)
}

const OCTAVES: [Parameter; 10] = [
    band("b31_5", "31.5 Hz"),
    band("b63", "63 Hz"),
    band("b125", "125 Hz"),
    band("b250", "250 Hz"),
    band("b500", "500 Hz"),
    band("b1k", "1 kHz"),
    band("b2k", "2 kHz"),
    band("b4k", "4 kHz"),
    band("b8k", "8 kHz"),
    band("b16k", "16 kHz"),
];

const THIRDS: [Parameter; 31] = [
    band("b20", "20 Hz"),
    band("b25", "25 Hz"),
    band("b31_5", "31.5 Hz"),
    band("b40", "40 Hz"),
    band("b50", "50 Hz"),
    band("b63", "63 Hz"),
    band("b80", "80 Hz"),
    band("b100", "100 Hz"),
    band("b125", "125 Hz"),
    band("b160", "160 Hz"),
    band("b200", "200 Hz"),
    band("b250", "250 Hz"),
    band("b315", "315 Hz"),
    band("b400", "400 Hz"),
    band("b500", "500 Hz"),
    band("b630", "630 Hz"),
    band("b800", "800 Hz"),
    band("b1k", "1 kHz"),
    band("b1_25k", "1.25 kHz"),
    band("b1_6k", "1.6 kHz"),
    band("b2k", "2 kHz"),
    band("b2_5k", "2.5 kHz"),
    band("b3_15k", "3.15 kHz"),
    band("b4k", "4 kHz"),
    band("b5k", "5 kHz"),
    band("b6_3k", "6.3 kHz"),
    band("b8k", "8 kHz"),
    band("b10k", "10 kHz"),
    band("b12_5k", "12.5 kHz"),
    band("b16k", "16 kHz"),
    band("b20k", "20 kHz"),
];

fn build(spec: &'static EffectSpec, arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let gains_db = spec.parameters.iter().map(|band| number(arguments, band.name)).collect::<Result<_>>()?;
    let thirds = spec.parameters.len() == THIRDS.len();
    // The lowest centre relative to 1 kHz (1 kHz times 10^-1.7 or 10^-1.5) and the step between centres, in tenths of a
    // decade.
    let (first, step, q) = if thirds { (-17.0, 1.0, 3.0) } else { (-15.0, 3.0, 1.0) };
    Ok(Box::new(GraphicEq { spec, gains_db, first, step, q }))
}

#[derive(Debug)]
struct GraphicEq {
    spec: &'static EffectSpec,
    gains_db: Vec<f64>,
    first: f64,
    step: f64,
    q: f64,
}

impl Effect for GraphicEq {
    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let (mut places, mut wanted) = (Vec::new(), Vec::new());
        for (index, (&gain_db, band)) in self.gains_db.iter().zip(self.spec.parameters).enumerate() {
            let hz = 1000.0 * 10f64.powf((self.first + self.step * index as f64) / 10.0);
            if let Some(place) = Warped::new(hz, input.rate.as_f64()) {
                places.push(place);
                wanted.push(gain_db);
            } else if gain_db != 0.0 {
                let allowed = format!("0 dB: the band is above half the sample rate of {}", input.rate);
                return Err(refuse(self.spec.name, band.name, &allowed));
            }
        }
        let w: Vec<f64> = places.iter().map(|place| 2.0 * place.get().atan()).collect();
        let filter = |index: usize, gain_db: f64| -> Section {
            cookbook_peaking(places[index], prewarped(self.q, w[index]), gain_db)
        };
        let gains = solved(&wanted, &w, filter);
        Ok(Stage::Sections(gains.into_iter().enumerate().map(|(index, gain)| filter(index, gain)).collect()))
    }
}

/// Returns the Q with which a filter at `w` has the bandwidth in octaves that `q` gives far below (formula of the
/// cookbook).
fn prewarped(q: f64, w: f64) -> f64 {
    let octaves = 2.0 * (0.5 / q).asinh() / LN_2;
    0.5 / (0.5 * LN_2 * octaves * w / w.sin()).sinh()
}
