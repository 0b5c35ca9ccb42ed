//! Tilts the spectrum around a frequency.

use super::super::bounds::below_nyquist;
use super::super::{
    Arguments, Effect, EffectSpec, Measured, PLAIN, Parameter, ParameterKind, Purpose, Scale, Stage, Unit,
};
use super::hertz;
use audio::AudioFormat;
use base::error::Result;
use base::units::{SampleRate, gain_from_db};
use dsp::design::{Section, Warped};

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "tilt",
    title: "Tilt",
    purpose: Purpose::Equaliser,
    summary: "Tilts the spectrum: boosts highs while cutting lows, or the reverse.",
    documentation: "\
Tilts the spectrum around `center`, which stays at 0 dB. A positive `gain` makes it brighter, a negative one darker.\n\
\n\
- `shape=shelf`: a step from -`gain` in the lows to +`gain` in the highs, `H(s) = (A s + 1) / (s + A)` with `A = \
10^(gain / 20 dB)` and `s` in units of the centre; one section.\n\
- `shape=line`: a straight line over log frequency, `gain` per five octaves, from 10 Hz to 20 kHz; flat beyond. \
About 28 first-order filters have alternating poles and zeros half an octave apart; the distance between the pole \
and the zero of a pair sets the slope. Between 20 Hz and 0.45 of the rate the deviation from the line is below 4 % \
of `gain` (0.23 dB at 6 dB); 3 dB per octave is a `gain` of 15 dB.\n\
\n\
No latency. `center` must be below half the sample rate.",
    source: "J. O. Smith, H. F. Smith, Closed Form Fractional Integration and Differentiation via Real Exponentially Spaced \
             Pole-Zero Pairs (2016); V. Zavalishin, The Art of VA Filter Design (tilting filter).",
    parameters: &[GAIN, hertz("center", "Centre", "Frequency that stays at 0 dB.", 1_000.0), SHAPE],
    positional: 2,
    search: "eq tone bright dark balance",
    aliases: &["tilt_eq"],
    selection: None,
    example: "tilt(6 dB)",
    largest_output: 1e3,
    build,
};

const GAIN: Parameter = Parameter {
    name: "gain",
    title: "Gain",
    help: "Gain of the highs; the lows get the opposite gain.",
    kind: ParameterKind::Number {
        unit: Unit::Db,
        min: -30.0,
        max: 30.0,
        default: None,
        initial: 0.0,
        scale: Scale::Linear,
    },
    ..PLAIN
}
.travels(-12.0, 12.0);

const SHAPE: Parameter = Parameter {
    name: "shape",
    title: "Shape",
    help: "shelf is a step between lows and highs; line a constant slope per octave.",
    kind: ParameterKind::Choice { options: &["shelf", "line"], default: "shelf" },
    ..PLAIN
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
