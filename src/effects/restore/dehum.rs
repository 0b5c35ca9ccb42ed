//! De-hum: removes a mains frequency and its harmonics.

use super::number;
use crate::audio::AudioFormat;
use crate::design::cookbook_notch;
use crate::effects::bounds::{below_nyquist, frequency, quality};
use crate::effects::{Arguments, Effect, EffectSpec, Measured, Parameter, ParameterKind, Purpose, Scale, Stage, Unit};
use crate::error::Result;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "dehum",
    title: "De-hum",
    purpose: Purpose::Filter,
    summary: "Takes mains hum out: a frequency and its harmonics.",
    documentation: "\
A notch at `frequency` (50 Hz in most of the world, 60 Hz in the Americas) and one at each of its harmonics, \
`harmonics` in all as far as they lie below half the sample rate. Each is `frequency / q` wide between its points at \
-3 dB, the same in hertz: the default q of 30 leaves the music between untouched. Nothing follows mains that stray: \
0.1 Hz off, the first is 18 dB down, the tenth 2 dB; a lower q reaches further.\n\
\n\
`H(s) = product over k = 1..harmonics of (s_k^2 + 1) / (s_k^2 + s_k/(k q) + 1)`\n\
\n\
`s_k` is in units of the k-th harmonic, mapped by the bilinear transform so that each stays where it is. No latency. \
It rings for some `q / frequency`, 0.6 s by default, after sudden changes of what it takes out. `frequency` must be \
below half the sample rate.",
    source: "R. Bristow-Johnson, Audio EQ Cookbook.",
    parameters: &[
        frequency("frequency", "Frequency", "That of the mains.", 50.0),
        HARMONICS,
        quality("Of the first notch: the higher, the narrower all are.", Some(30.0), 30.0),
    ],
    positional: 1,
    search: "hum mains buzz noise",
    example: "dehum(50 Hz)",
    largest_output: 1e3,
    build,
};

const HARMONICS: Parameter = Parameter {
    kind: ParameterKind::Number {
        unit: Unit::None,
        min: 1.0,
        max: 64.0,
        default: Some(10.0),
        initial: 10.0,
        scale: Scale::Integer,
    },
    ..number("harmonics", "Harmonics", "How many notches, the first among them.", Unit::None, [1.0, 64.0], 10.0)
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let number = |name| arguments.checked_number(name);
    Ok(Box::new(Dehum { frequency_hz: number("frequency")?, harmonics: number("harmonics")? as u32, q: number("q")? }))
}

#[derive(Debug)]
struct Dehum {
    frequency_hz: f64,
    harmonics: u32,
    q: f64,
}

impl Effect for Dehum {
    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let first = below_nyquist("dehum", "frequency", self.frequency_hz, input.rate)?;
        let others = (2..=self.harmonics).map(f64::from).filter_map(|k| {
            let place = below_nyquist("dehum", "harmonic", k * self.frequency_hz, input.rate).ok()?;
            Some(cookbook_notch(place, k * self.q))
        });
        Ok(Stage::Sections(std::iter::once(cookbook_notch(first, self.q)).chain(others).collect()))
    }
}
