//! Presets: files of stored chains, and the factory presets, sorted by task. To add one of those, add a line; a test
//! parses them all.

use std::path::Path;

use crate::chain::{Chain, json};
use crate::error::{Error, Result};
use crate::files;

use Task::{Birds, Levels, Mastering, Music, Podcast, Restoration, Telephone, Vinyl};

/// The largest accepted preset file, in bytes; a chain is a few kilobytes of text.
const MAX_BYTES: u64 = 1 << 20;

/// Reads a chain from a preset file.
pub fn read_chain(path: &Path) -> Result<Chain> {
    let bytes = files::read(path, "preset file", MAX_BYTES)?;
    let text = String::from_utf8(bytes).map_err(|_| Error::malformed("This is not a preset", path))?;
    json::from_json(&text)
}

/// The task of a preset. The list of presets is grouped by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "their own names")]
pub enum Task {
    Podcast,
    Music,
    Mastering,
    Restoration,
    Vinyl,
    Telephone,
    Birds,
    Levels,
}

impl Task {
    /// Returns the heading in the list of presets.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Podcast => "Podcast and speech",
            Self::Music => "Music",
            Self::Mastering => "Mastering",
            Self::Restoration => "Restoration",
            Self::Vinyl => "Vinyl and tape",
            Self::Telephone => "Telephone and radio",
            Self::Birds => "Birds and nature",
            Self::Levels => "Levels",
        }
    }
}

/// A factory preset.
pub struct FactoryPreset {
    /// The task under which it is listed.
    pub task: Task,
    /// The unique name.
    pub name: &'static str,
    /// The chain in text notation.
    pub text: &'static str,
}

const fn preset(task: Task, name: &'static str, text: &'static str) -> FactoryPreset {
    FactoryPreset { task, name, text }
}

/// All factory presets in list order, grouped by task.
pub const PRESETS: &[FactoryPreset] = &[
    preset(
        Podcast,
        "Speech: clear",
        "highpass(80 Hz, order=4) | peaking(250 Hz, q=1, gain=-2 dB) | peaking(3 kHz, q=0.8, gain=3 dB)",
    ),
    preset(
        Podcast,
        "Speech: less sibilance",
        "highpass(80 Hz, order=4) | peaking(6.5 kHz, q=2, gain=-5 dB) | high_shelf(10 kHz, gain=-2 dB)",
    ),
    preset(
        Podcast,
        "Speech: close microphone",
        "highpass(100 Hz, order=4) | low_shelf(200 Hz, gain=-4 dB) | peaking(2.5 kHz, q=1, gain=2 dB)",
    ),
    preset(
        Podcast,
        "Speech: boxy room",
        "highpass(80 Hz, order=4) | peaking(350 Hz, q=1.2, gain=-4 dB) | peaking(800 Hz, q=1.5, gain=-2.5 dB)",
    ),
    preset(Podcast, "Speech: thin voice", "highpass(60 Hz, order=4) | peaking(180 Hz, q=0.9, gain=3 dB)"),
    preset(Podcast, "Wind and handling noise", "highpass(150 Hz, order=6)"),
    preset(
        Podcast,
        "Podcast: ready to publish",
        "highpass(80 Hz, order=4) | de_esser(6.5 kHz) | compressor(ratio=3, attack=8 ms, release=120 ms) | normalize(-16 dB, to=lufs) | limiter",
    ),
    preset(
        Podcast,
        "Speech: noisy room",
        "highpass(80 Hz, order=4) | denoise(reduction=12 dB) | gate | compressor(-22 dB, 3)",
    ),
    preset(Music, "Warm", "low_shelf(200 Hz, gain=2 dB) | high_shelf(6 kHz, gain=-2 dB)"),
    preset(Music, "Bright", "low_shelf(150 Hz, gain=-1.5 dB) | high_shelf(7 kHz, gain=3 dB)"),
    preset(
        Music,
        "Voice in a mix",
        "highpass(100 Hz) | peaking(300 Hz, q=1, gain=-2 dB) | peaking(4 kHz, q=1, gain=2.5 dB) | high_shelf(12 kHz, gain=2 dB)",
    ),
    preset(
        Music,
        "Acoustic guitar",
        "highpass(80 Hz) | peaking(200 Hz, q=1.2, gain=-3 dB) | high_shelf(8 kHz, gain=2 dB)",
    ),
    preset(
        Music,
        "Kick and bass: less mud",
        "highpass(30 Hz, order=4) | peaking(60 Hz, q=1, gain=2 dB) | peaking(300 Hz, q=1, gain=-4 dB)",
    ),
    preset(
        Music,
        "Smile",
        "low_shelf(100 Hz, gain=4 dB) | peaking(1 kHz, q=0.6, gain=-2 dB) | high_shelf(8 kHz, gain=4 dB)",
    ),
    preset(Music, "Double the low end, in parallel", "gain(0 dB) + mix(50 %, lowpass(120 Hz, order=4))"),
    preset(Music, "Parallel compression", "gain(0 dB) + mix(40 %, compressor(-35 dB, 8, attack=2 ms, release=80 ms))"),
    preset(Music, "Voice in a hall", "highpass(100 Hz) | mix(20 %, fdn_reverb(predelay=30 ms))"),
    preset(
        Mastering,
        "Mastering: clean foundation",
        "highpass(25 Hz, order=4) | peaking(250 Hz, q=0.7, gain=-1 dB) | high_shelf(12 kHz, gain=1 dB)",
    ),
    preset(
        Mastering,
        "Mastering: air",
        "highpass(20 Hz) | peaking(3.5 kHz, q=0.7, gain=-0.5 dB) | high_shelf(14 kHz, gain=1.5 dB)",
    ),
    preset(
        Mastering,
        "Mastering: less harsh",
        "peaking(2.8 kHz, q=1.2, gain=-1.5 dB) | peaking(5 kHz, q=1.5, gain=-1 dB)",
    ),
    preset(
        Mastering,
        "Streaming, -14 LUFS",
        "highpass(25 Hz, order=4) | compressor(-18 dB, 1.5, attack=30 ms, release=250 ms) | normalize(-14 dB, to=lufs) | limiter",
    ),
    preset(Mastering, "Broadcast, -23 LUFS", "normalize(-23 dB, to=lufs) | limiter"),
    preset(Restoration, "Remove rumble", "highpass(30 Hz, order=6)"),
    preset(
        Restoration,
        "Remove mains hum, 50 Hz",
        "notch(50 Hz, q=30) | notch(100 Hz, q=30) | notch(150 Hz, q=30) | notch(200 Hz, q=30) | notch(250 Hz, q=30)",
    ),
    preset(
        Restoration,
        "Remove mains hum, 60 Hz",
        "notch(60 Hz, q=30) | notch(120 Hz, q=30) | notch(180 Hz, q=30) | notch(240 Hz, q=30) | notch(300 Hz, q=30)",
    ),
    preset(Restoration, "Less hiss", "high_shelf(8 kHz, gain=-6 dB)"),
    preset(Restoration, "Remove a line whistle, 15.6 kHz", "notch(15.625 kHz, q=60)"),
    preset(
        Restoration,
        "Cassette: dull sound",
        "highpass(30 Hz, order=4) | peaking(3 kHz, q=0.7, gain=2 dB) | high_shelf(7 kHz, gain=4 dB)",
    ),
    preset(Restoration, "Hum, hiss and clicks", "dehum(50 Hz) | declick | denoise(reduction=10 dB)"),
    preset(Vinyl, "Vinyl: rumble and warp", "highpass(22 Hz, order=6)"),
    preset(
        Vinyl,
        "Vinyl: clean transfer",
        "highpass(25 Hz, order=6) | notch(50 Hz, q=40) | high_shelf(12 kHz, gain=-2 dB)",
    ),
    preset(
        Vinyl,
        "Shellac, 78 rpm",
        "highpass(70 Hz, order=4) | peaking(3 kHz, q=1, gain=-2 dB) | lowpass(7 kHz, order=6)",
    ),
    preset(Vinyl, "Vinyl: clicks and rumble", "dc_block | highpass(22 Hz, order=6) | declick"),
    preset(Vinyl, "Shellac to mono", "mono | declick | highpass(70 Hz, order=4) | lowpass(7 kHz, order=6)"),
    preset(Telephone, "Telephone", "bandpass(300 Hz, 3.4 kHz, order=4)"),
    preset(
        Telephone,
        "Pocket radio",
        "bandpass(400 Hz, 5 kHz, order=4) | peaking(1.6 kHz, q=1.5, gain=6 dB) | gain(-4 dB)",
    ),
    preset(Telephone, "Megaphone", "bandpass(600 Hz, 3 kHz, order=6) | peaking(1.2 kHz, q=2, gain=8 dB) | gain(-6 dB)"),
    preset(Telephone, "Through the wall", "lowpass(350 Hz, order=4) | gain(-3 dB)"),
    preset(
        Telephone,
        "Telephone, overdriven",
        "bandpass(300 Hz, 3.4 kHz, order=4) | saturate | bit_crush(10) | gain(-6 dB)",
    ),
    preset(Birds, "Bird song", "highpass(1 kHz, order=8)"),
    preset(Birds, "Owls and doves", "bandpass(200 Hz, 1.5 kHz, order=4)"),
    preset(Birds, "Crickets", "highpass(3 kHz, order=6)"),
    preset(Birds, "Nature without wind", "highpass(250 Hz, order=6) | high_shelf(9 kHz, gain=2 dB)"),
    preset(Birds, "Bird song, without noise", "highpass(1 kHz, order=8) | denoise(reduction=15 dB)"),
    preset(Levels, "Normalise to -1 dB", "normalize"),
    preset(Levels, "6 dB softer", "gain(-6 dB)"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audio::AudioFormat;
    use crate::units::SampleRate;

    #[test]
    fn every_preset_is_a_chain_in_its_own_notation_and_runs() {
        for preset in PRESETS {
            let chain: Chain = preset.text.parse().unwrap_or_else(|error| panic!("{}: {error}", preset.name));
            assert_eq!(chain.to_string(), preset.text, "{}", preset.name);
            for (rate, channels) in [(44_100, 1), (48_000, 2), (96_000, 6)] {
                let format = AudioFormat::new(SampleRate::new(rate).expect("a rate"), channels);
                chain.check(format).unwrap_or_else(|error| panic!("{} at {rate} Hz: {error}", preset.name));
            }
        }
    }

    #[test]
    fn names_are_unique_and_tasks_stand_together() {
        for (index, preset) in PRESETS.iter().enumerate() {
            assert!(PRESETS[..index].iter().all(|other| other.name != preset.name), "{} twice", preset.name);
        }
        let mut tasks: Vec<Task> = PRESETS.iter().map(|preset| preset.task).collect();
        tasks.dedup();
        for (index, task) in tasks.iter().enumerate() {
            assert!(!tasks[..index].contains(task), "{} stands in two places", task.title());
        }
    }
}
