//! Spectral isolate: keeps only a part of a recording.

use super::band::{Band, Change};
use super::segments::{Outside, Segments};
use super::{FADE, FROM, HIGH, LOW, Region, TO};
use crate::{Arguments, Effect, EffectSpec, Measured, Purpose, SelectionUse, Stage};
use audio::AudioFormat;
use base::error::Result;

const NAME: &str = "spectral_isolate";

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: NAME,
    title: "Spectral isolate",
    purpose: Purpose::Repair,
    summary: "Keeps only a region of time and frequency.",
    documentation: "\
Keeps the content between `low` and `high` from `from` to `to`; everything else is silent. It is what \
`spectral_gain` removes from the same region with `gain=-120 dB`: the two add up to the recording. `low=0 Hz` and a \
`high` of half the sample rate or more leave that edge open.\n\
\n\
The filter, its transitions within the band, the `fade` and the latency are those of `spectral_gain`.",
    source: "J. Kaiser, Nonrecursive digital filter design using the I0-sinh window function (1974).",
    parameters: &[FROM, TO, LOW, HIGH, FADE],
    positional: 4,
    search: "repair solo region selection extract",
    aliases: &["isolate_region", "solo_region"],
    selection: Some(SelectionUse::Region),
    example: "spectral_isolate(20 ms, 80 ms, 500 Hz, 3 kHz)",
    largest_output: 4.0,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    Ok(Box::new(SpectralIsolate { region: Region::new(NAME, arguments)?, fade_s: arguments.checked_number("fade")? }))
}

#[derive(Debug)]
struct SpectralIsolate {
    region: Region,
    fade_s: f64,
}

impl Effect for SpectralIsolate {
    fn latency_frames(&self, input: AudioFormat) -> u64 {
        Segments::latency(Band::reach_of(&self.region, input.rate))
    }

    fn memory_frames(&self, input: AudioFormat) -> u64 {
        Segments::memory(Band::reach_of(&self.region, input.rate))
    }

    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let band = Band::new(NAME, &self.region, self.fade_s, Change::KeepAlone, input.rate)?;
        let region = self.region.frames(input.rate);
        Ok(Stage::Process(Box::new(Segments::new(region, Outside::Silent, Box::new(band), input.channels))))
    }
}
