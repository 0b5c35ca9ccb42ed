//! The command line as a user runs it: the built program, its output and its exit status.

mod batch;
mod careful;
mod codec;
mod codecs;
mod compare;
mod devices;
mod editing;
mod help;
mod layouts;
mod models;
mod picture;
mod process;
mod stems;
mod untouched;

use std::path::{Path, PathBuf};

use undertone::audio::encode::{EncodeSettings, SampleFormat};
use undertone::audio::{AudioBuffer, AudioFile, AudioReader, Tags};

use crate::support::terminal::{Terminal, tone};

impl Terminal {
    pub fn tone(&self, name: &str) -> PathBuf {
        self.tone_of(name, 48_000)
    }

    pub fn tone_of(&self, name: &str, frames: usize) -> PathBuf {
        let settings = EncodeSettings { sample: SampleFormat::Int16, ..EncodeSettings::default() };
        self.write(name, 48_000, vec![tone(0.5, 48_000, frames)], &settings, &Tags::default());
        self.path(name)
    }
}

pub fn samples(path: &Path) -> Vec<f32> {
    let (mut reader, mut block) =
        (AudioFile::open(path).expect("opens").reader().expect("a reader"), AudioBuffer::default());
    reader.read(&mut block, 1 << 20).expect("samples");
    block.channel(0).to_vec()
}

pub fn frames(path: &Path) -> u64 {
    AudioFile::open(path).expect("opens").info().frames
}
