//! Spectral gain: scales a band of frequencies within a time range.

use super::band::{Band, Change};
use super::segments::{Outside, Segments};
use super::{FADE, FROM, HIGH, LOW, Region, TO};
use crate::{
    Arguments, Effect, EffectSpec, Measured, PLAIN, Parameter, ParameterKind, Purpose, Scale, SelectionUse, Stage, Unit,
};
use audio::AudioFormat;
use base::error::Result;
use base::units::gain_from_db;

const NAME: &str = "spectral_gain";

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: NAME,
    title: "Spectral gain",
    purpose: Purpose::Repair,
    summary: "Attenuates or boosts a region of time and frequency.",
    documentation: "\
Multiplies the content between `low` and `high` by `10^(gain / 20 dB)` from `from` to `to`. Samples outside these \
times are unchanged, bit for bit. `low=0 Hz` and a `high` of half the sample rate or more leave that edge open.\n\
\n\
A linear-phase FIR filter with a Kaiser window and a stop band of 100 dB isolates the band. Its transitions lie \
within the band, each an eighth of it wide, or up to a half for narrow bands; its length is `6.41 rate / transition` \
taps, at most 65537, so that a band must be at least 9.4 Hz wide at 48 kHz. Such a steep filter rings before and \
after sudden sounds for half its length: a narrow band cannot be isolated in a short time. The change fades in and \
out over `fade`, within the region, as a raised cosine.\n\
\n\
Latency: half the filter and one block of its transform, 80 ms for bands of 2.5 kHz and more at 48 kHz, up to 4.8 s \
for the narrowest; compensated.",
    source: "J. Kaiser, Nonrecursive digital filter design using the I0-sinh window function (1974).",
    parameters: &[FROM, TO, LOW, HIGH, GAIN, FADE],
    positional: 4,
    search: "repair region selection noise whistle cough reduce",
    aliases: &["attenuate_region", "spectral_edit"],
    selection: Some(SelectionUse::Region),
    example: "spectral_gain(20 ms, 80 ms, 500 Hz, 3 kHz, gain=-12 dB)",
    largest_output: 40.0,
    build,
};

const GAIN: Parameter = Parameter {
    name: "gain",
    title: "Gain",
    help: "Change of level; -120 dB removes the region.",
    kind: ParameterKind::Number {
        unit: Unit::Db,
        min: -120.0,
        max: 24.0,
        default: None,
        initial: -24.0,
        scale: Scale::Linear,
    },
    ..PLAIN
}
.travels(-60.0, 24.0);

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
