//! Tilts the spectrum around a frequency.

use super::super::bounds::below_nyquist;
use super::super::{
    ALWAYS, Arguments, Effect, EffectSpec, Measured, Parameter, ParameterKind, Purpose, Scale, Stage, Unit,
};
use super::hertz;
use crate::audio::AudioFormat;
use crate::design::{Section, Warped};
use crate::error::Result;
use crate::units::{SampleRate, gain_from_db};

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "tilt",
    title: "Tilt",
    purpose: Purpose::Equaliser,
    summary: "Raises the highs as much as it lowers the lows, or the other way round.",
    documentation: "\
Turns the spectrum about `center`, which stays at 0 dB: brighter with a `gain` above 0 dB, darker below.\n\
\n\
- `shape=shelf`: a step from -`gain` in the lows to +`gain` in the highs, `H(s) = (A s + 1) / (s + A)` with \
`A = 10^(gain / 20 dB)` and `s` in units of the centre; one section.\n\
- `shape=line`: a line over the logarithm of frequency, `gain` per five octaves, from 10 Hz to 20 kHz; flat beyond. \
Pole and zero of some 28 first-order filters stand in turns, half an octave apart, twice the slope over 6 dB per octave \
of that from each other. Between 20 Hz and 0.45 of the rate it is within 4 % of `gain` of the line (0.23 dB at 6 dB); \
3 dB per octave is 15 dB.\n\
\n\
No latency. `center` must be below half the sample rate.",
    source: "J. O. Smith, H. F. Smith, Closed Form Fractional Integration and Differentiation via Real Exponentially Spaced \
             Pole-Zero Pairs (2016); V. Zavalishin, The Art of VA Filter Design (tilting filter).",
    parameters: &[GAIN, hertz("center", "Centre", "The frequency that stays as it is.", 1_000.0), SHAPE],
    positional: 2,
    search: "eq tone bright dark balance",
    example: "tilt(6 dB)",
    largest_output: 1e3,
    build,
};

const GAIN: Parameter = Parameter {
    name: "gain",
    title: "Gain",
    help: "How much the highs are raised and the lows lowered; negative the other way round.",
    used_when: ALWAYS,
    kind: ParameterKind::Number {
        unit: Unit::Db,
        min: -30.0,
        max: 30.0,
        default: None,
        initial: 0.0,
        scale: Scale::Linear,
    },
};

const SHAPE: Parameter = Parameter {
    name: "shape",
    title: "Shape",
    help: "shelf: a step from lows to highs; line: as much with every octave.",
    used_when: ALWAYS,
    kind: ParameterKind::Choice { options: &["shelf", "line"], default: "shelf" },
};

/// The frequency of the lowest pole-zero pair in Hz.
const LOWEST_HZ: f64 = 5.0;

/// The frequency of the highest pair as a share of the rate.
const HIGHEST: f64 = 0.48;

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    Ok(Box::new(Tilt {
        gain_db: arguments.checked_number("gain")?,
        center_hz: arguments.checked_number("center")?,
        line: arguments.checked_text("shape")? == "line",
    }))
}

#[derive(Debug)]
struct Tilt {
    gain_db: f64,
    center_hz: f64,
    line: bool,
}

impl Effect for Tilt {
    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let center = below_nyquist("tilt", "center", self.center_hz, input.rate)?;
        if self.line {
            return Ok(Stage::Sections(line(self.gain_db / 5.0, center, input.rate)));
        }
        // `(A s + 1)/(s + A)`, in units of its corner at `A`: `(A s + 1/A)/(s + 1)`.
        let a = gain_from_db(self.gain_db);
        Ok(Stage::Sections(vec![Section::first_order(a * center.get(), [a, 1.0 / a])]))
    }
}

/// Returns sections with a slope of `slope_db` per octave through 0 dB at the centre, with two pole-zero pairs per
/// section.
fn line(slope_db: f64, center: Warped, rate: SampleRate) -> Vec<Section> {
    // With pairs one octave apart, the distance between zero and pole in octaves is the slope relative to that of a
    // single pole.
    let part = slope_db / (20.0 * std::f64::consts::LOG10_2);
    let apart = (part / 4.0).exp2();
    let mut places = Vec::new();
    let mut hz = LOWEST_HZ.min(0.1 * rate.as_f64());
    while let Some(place) = Warped::new(hz, rate.as_f64()).filter(|_| hz <= HIGHEST * rate.as_f64()) {
        places.push(place.get());
        hz *= std::f64::consts::SQRT_2;
    }
    let mut sections: Vec<Section> = places
        .chunks(2)
        .map(|pair| {
            let (low, high) = (pair[0], pair[pair.len() - 1]);
            if pair.len() == 1 {
                // The pole is at `apart` above the middle, the zero as far below: gain `1/apart` at 0 Hz, `apart` far
                // above.
                return Section::first_order(low * apart, [apart, 1.0 / apart]);
            }
            let g = (low * high).sqrt() * apart;
            let middle = (low + high) / (low * high).sqrt();
            // `(S + low/apart)(S + high/apart) / ((S + low apart)(S + high apart))`, scaled so that the gain at high
            // frequencies is the inverse of that at 0 Hz.
            let a2 = apart * apart;
            Section::from_prototype(g, middle, [a2, middle, 1.0 / a2])
        })
        .collect();
    let w = 2.0 * center.get().atan();
    let at_center: f64 = sections.iter().map(|section| section.response(w).norm()).product();
    if let Some(first) = sections.first_mut() {
        *first = first.scaled(1.0 / at_center);
    }
    sections
}
