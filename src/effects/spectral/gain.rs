//! Spectral gain: scales a band of frequencies within a time range.

use super::band::{Band, Change};
use super::segments::{Outside, Segments};
use super::{FADE, FROM, HIGH, LOW, Region, TO};
use crate::audio::AudioFormat;
use crate::effects::{
    ALWAYS, Arguments, Effect, EffectSpec, Measured, Parameter, ParameterKind, Purpose, Scale, Stage, Unit,
};
use crate::error::Result;
use crate::units::gain_from_db;

const NAME: &str = "spectral_gain";

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: NAME,
    title: "Spectral gain",
    purpose: Purpose::Repair,
    summary: "Makes a part of the recording softer or louder, within a time and a band of frequencies.",
    documentation: "\
Multiplies what lies within `low` and `high` by `10^(gain / 20 dB)` from `from` to `to`. Samples outside these times stay \
as they are, to the last bit. `low=0 Hz`, and a `high` of half the sample rate or more, leave that edge open.\n\
\n\
The band is cut out by a linear-phase FIR under a Kaiser window with a stop band 100 dB down. Its transitions lie within \
the band, each an eighth of it wide, up to a half where the band is narrow; its length is `6.41 rate / transition` taps, \
65537 at the most, so that a band must be 9.4 Hz wide at 48 kHz. A filter so sharp \
rings before and after sudden sounds for half that length: a narrow band cannot be cut out of a short time. The change \
sets in and ends over `fade`, within the part, as a raised cosine.\n\
\n\
Latency: half the filter and one piece of the transform that it runs in, 80 ms for bands of 2.5 kHz and more at \
48 kHz, up to 4.8 s for the narrowest; compensated.",
    source: "J. Kaiser, Nonrecursive digital filter design using the I0-sinh window function (1974).",
    parameters: &[FROM, TO, LOW, HIGH, GAIN, FADE],
    positional: 4,
    search: "repair attenuate region selection noise whistle cough",
    example: "spectral_gain(20 ms, 80 ms, 500 Hz, 3 kHz, gain=-12 dB)",
    largest_output: 40.0,
    build,
};

const GAIN: Parameter = Parameter {
    name: "gain",
    title: "Gain",
    help: "By how much; -120 dB takes it away.",
    used_when: ALWAYS,
    kind: ParameterKind::Number {
        unit: Unit::Db,
        min: -120.0,
        max: 24.0,
        default: None,
        initial: -24.0,
        scale: Scale::Linear,
    },
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let gain_db = arguments.checked_number("gain")?;
    let gain = if gain_db <= -120.0 { 0.0 } else { gain_from_db(gain_db) };
    Ok(Box::new(SpectralGain {
        region: Region::new(NAME, arguments)?,
        fade_s: arguments.checked_number("fade")?,
        gain,
    }))
}

#[derive(Debug)]
struct SpectralGain {
    region: Region,
    fade_s: f64,
    gain: f64,
}

impl Effect for SpectralGain {
    fn latency_frames(&self, input: AudioFormat) -> u64 {
        Segments::latency(Band::reach_of(&self.region, input.rate))
    }

    fn memory_frames(&self, input: AudioFormat) -> u64 {
        Segments::memory(Band::reach_of(&self.region, input.rate))
    }

    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let band = Band::new(NAME, &self.region, self.fade_s, Change::Scale(self.gain), input.rate)?;
        let region = self.region.frames(input.rate);
        Ok(Stage::Process(Box::new(Segments::new(region, Outside::Unchanged, Box::new(band), input.channels))))
    }
}
