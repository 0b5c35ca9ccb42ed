//! Spectral heal: replaces a part of a recording by a reconstruction from its surroundings.

use super::healer::SpectralHealer;
use super::segments::{Outside, Segments};
use super::{FADE, FROM, HIGH, LOW, Region, TO, Unit};
use crate::audio::AudioFormat;
use crate::effects::{Arguments, Effect, EffectSpec, Measured, Purpose, Stage};
use crate::error::{Error, Result};

const NAME: &str = "spectral_heal";

/// The maximum length of the part that heal replaces, in seconds. All of it must arrive before its first frame can be
/// output.
pub const LONGEST_S: f64 = 4.0;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: NAME,
    title: "Spectral heal",
    purpose: Purpose::Repair,
    summary: "Mends a disturbed or missing part of the recording after what is around it.",
    documentation: "\
Takes away what lies within `low` and `high` from `from` to `to`, and puts there what its surroundings let expect. For \
clicks, coughs, whistles and gaps of up to 4 s; the shorter the better. Samples outside these times stay as they are, to \
the last bit. `low=0 Hz`, and a `high` of half the sample rate or more, leave that edge open.\n\
\n\
Short-time spectra of 43 ms (Hann, four over each frame) are taken before and after the part. The mean power of eight \
before and of eight after it, carried from one to the other in decibels, is what each frequency gets. Tones, which stand \
out by 6 to 11 dB and whose phase goes on evenly, are carried on from either side at the frequency they had; the rest is \
noise of that power, the same one every time. At the ends of a recording, and beside silence, the other side alone is the \
pattern; between silence and silence nothing is changed. The change sets in and ends over `fade`, within the part.\n\
\n\
Latency: the part and 0.13 s, since what follows must be known; compensated.",
    source: "M. Lagrange, S. Marchand and J.-B. Rault, Long interpolation of audio signals using linear prediction in \
sinusoidal modeling, JAES 53 (2005), for carrying tones on; M. Portnoff, Implementation of the digital phase vocoder using \
the fast Fourier transform, IEEE Trans. ASSP 24 (1976).",
    parameters: &[FROM, TO, LOW, HIGH, FADE],
    positional: 4,
    search: "repair inpaint interpolate click gap whistle cough region selection",
    example: "spectral_heal(40 ms, 60 ms, 500 Hz, 3 kHz)",
    largest_output: 8.0,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let region = Region::new(NAME, arguments)?;
    let length_s = region.to_s - region.from_s;
    if length_s > LONGEST_S {
        let limit = Unit::Seconds.written(LONGEST_S);
        return Err(Error::impossible(format!("Heal works on up to {limit}. Select a shorter part.")));
    }
    Ok(Box::new(SpectralHeal { region, fade_s: arguments.checked_number("fade")? }))
}

#[derive(Debug)]
struct SpectralHeal {
    region: Region,
    fade_s: f64,
}

impl Effect for SpectralHeal {
    fn latency_frames(&self, input: AudioFormat) -> u64 {
        Segments::latency(SpectralHealer::reach_of(&self.region, input.rate))
    }

    fn memory_frames(&self, input: AudioFormat) -> u64 {
        Segments::memory(SpectralHealer::reach_of(&self.region, input.rate))
    }

    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let healer = SpectralHealer::new(NAME, &self.region, self.fade_s, input.rate)?;
        let region = self.region.frames(input.rate);
        Ok(Stage::Process(Box::new(Segments::new(region, Outside::Unchanged, Box::new(healer), input.channels))))
    }
}
