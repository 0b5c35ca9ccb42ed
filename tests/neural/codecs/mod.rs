//! Codecs behind one interface, and grids of them.

mod grid;
mod interface;

use std::path::Path;
use std::sync::Arc;

use audio::encode::{Dither, EncodeSettings, Encoder, SampleFormat};
use audio::{AudioBuffer, AudioFormat};
use base::units::SampleRate;
use neural::codecs::{Codec, Sound, from_words};

use crate::support::songs::Song;

fn rate(hz: u32) -> SampleRate {
    SampleRate::new(hz).unwrap()
}

/// A song in stereo whose samples are integers of 16 bits.
fn song(seed: u64, hz: u32, seconds: f64) -> Sound {
    Sound::new(rate(hz), AudioBuffer::from_channels(Song::stereo(seed, hz, seconds)))
}

fn codec(word: &str) -> Arc<dyn Codec> {
    from_words(&[word.to_owned()]).unwrap().remove(0)
}

/// Whether MP3 can be encoded here. The tests' machine has LAME, so that it is missed where it is asked for.
fn has_lame() -> bool {
    let is_there = neural::codecs::FAMILIES.iter().any(|own| own.name == "mp3" && own.check_available().is_ok());
    assert!(is_there || std::env::var_os("UNDERTONE_REQUIRE_SOUND").is_none(), "LAME is missing");
    is_there
}

fn written(path: &Path, sound: &Sound) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let format: AudioFormat = sound.format();
    let settings = EncodeSettings { sample: SampleFormat::Int16, dither: Dither::None, ..EncodeSettings::default() };
    let mut encoder = Encoder::create(path, &settings, format, true, &[]).unwrap();
    encoder.write(&sound.samples).unwrap();
    encoder.finish().unwrap();
}
