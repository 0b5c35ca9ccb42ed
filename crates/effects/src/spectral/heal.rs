//! Spectral heal: replaces a part of a recording by a reconstruction from its surroundings.

use super::healer::SpectralHealer;
use super::segments::{Outside, Segments};
use super::{FADE, FROM, HIGH, LOW, Region, TO, Unit};
use crate::{Arguments, Effect, EffectSpec, Measured, Purpose, SelectionUse, Stage};
use audio::AudioFormat;
use base::error::{Error, Result};

const NAME: &str = "spectral_heal";

/// The maximum length of the part that heal replaces, in seconds. All of it must arrive before its first frame can be
/// output.
pub const LONGEST_S: f64 = 4.0;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: NAME,
    title: "Spectral heal",
    purpose: Purpose::Repair,
    summary: "Replaces a damaged region with sound estimated from its surroundings.",
    documentation: "\
Removes the content between `low` and `high` from `from` to `to` and replaces it with what its surroundings suggest. \
For clicks, coughs, whistles and gaps of up to 4 s; the shorter the better. Samples outside these times are \
unchanged, bit for bit. `low=0 Hz` and a `high` of half the sample rate or more leave that edge open.\n\
\n\
Short-time spectra of 43 ms (Hann, four over each frame) are taken before and after the region. The mean power of \
eight before and eight after it, interpolated in decibels, is the target power of each frequency. Tones, which stand \
out by 6 to 11 dB and whose phase advances evenly, are continued from either side at their frequency; the rest is \
noise of that power, the same every time. At the ends of a recording and next to silence, only the other side is \
used; between silence and silence nothing changes. The change fades in and out over `fade`, within the region.\n\
\n\
Latency: the region and 0.13 s, because what follows must be known; compensated.",
    source: "M. Lagrange, S. Marchand and J.-B. Rault, Long interpolation of audio signals using linear prediction in \
sinusoidal modeling, JAES 53 (2005), for carrying tones on; M. Portnoff, Implementation of the digital phase vocoder using \
the fast Fourier transform, IEEE Trans. ASSP 24 (1976).",
    parameters: &[FROM, TO, LOW, HIGH, FADE],
    positional: 4,
    search: "repair interpolate click gap whistle cough region selection dropout",
    aliases: &["heal", "inpaint", "spectral_repair"],
    selection: Some(SelectionUse::Region),
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
