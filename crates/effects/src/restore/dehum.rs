//! De-hum: removes a mains frequency and its harmonics.

use super::number;
use crate::bounds::{below_nyquist, frequency, quality};
use crate::{Arguments, Effect, EffectSpec, Measured, Parameter, ParameterKind, Purpose, Scale, Stage, Unit};
use audio::AudioFormat;
use base::error::Result;
use dsp::design::cookbook_notch;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "dehum",
    title: "De-hum",
    purpose: Purpose::Filter,
    summary: "Removes mains hum and its harmonics.",
    documentation: "\
A notch at `frequency` (50 Hz in most of the world, 60 Hz in the Americas) and one at each harmonic, `harmonics` in \
total as far as they are below half the sample rate. Each notch is `frequency / q` wide between its -3 dB points, \
the same width in hertz: with the default q of 30 the music in between is unaffected. The notches do not follow a \
drifting mains frequency: 0.1 Hz off, the first still attenuates by 18 dB, the tenth by 2 dB; a lower q tolerates \
more.\n\
\n\
`H(s) = product over k = 1..harmonics of (s_k^2 + 1) / (s_k^2 + s_k/(k q) + 1)`\n\
\n\
`s_k` is in units of the k-th harmonic, mapped by the bilinear transform with each harmonic prewarped. No latency. \
It rings for about `q / frequency`, 0.6 s by default, after sudden changes of the removed tones. `frequency` must be \
below half the sample rate.",
    source: "R. Bristow-Johnson, Audio EQ Cookbook.",
    parameters: &[
        frequency("frequency", "Frequency", "Mains frequency: 50 or 60 Hz.", 50.0).travels(20.0, 400.0),
        HARMONICS,
        quality("Q of the first notch: higher makes all notches narrower.", Some(30.0), 30.0).travels(3.0, 200.0),
    ],
    positional: 1,
    search: "hum mains buzz noise 50 60 ground loop",
    aliases: &["de_hum", "hum_removal", "remove_hum"],
    selection: None,
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
    ..number("harmonics", "Harmonics", "Number of notches, including the first.", Unit::None, [1.0, 64.0], 10.0)
}
.travels(1.0, 32.0);

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
