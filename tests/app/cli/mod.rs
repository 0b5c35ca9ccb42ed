//! The command line as a user runs it: the built program, its output and its exit status.

mod careful;
mod devices;
mod editing;
mod help;
mod process;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use undertone::audio::encode::{EncodeSettings, Encoder, SampleFormat};
use undertone::audio::{AudioBuffer, AudioFile, AudioFormat, AudioReader};
use undertone::units::SampleRate;

pub struct Desk(pub tempfile::TempDir);

impl Desk {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn tone(&self, name: &str) -> PathBuf {
        self.tone_of(name, 48_000)
    }

    pub fn tone_of(&self, name: &str, frames: usize) -> PathBuf {
        let format = AudioFormat { rate: SampleRate::new(48_000).expect("a rate"), channels: 1 };
        let wave = |n: usize| (0.5 * (n as f64 * 1000.0 * std::f64::consts::TAU / 48_000.0).sin()) as f32;
        let audio = AudioBuffer::from_channels(vec![(0..frames).map(wave).collect()]);
        let settings = EncodeSettings { sample: SampleFormat::Int16, ..EncodeSettings::default() };
        let mut encoder = Encoder::create(&self.path(name), &settings, format, true, &[]).expect("an encoder");
        encoder.write(&audio).expect("written");
        encoder.finish().expect("finished");
        self.path(name)
    }

    pub fn run(&self, words: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_undertone"))
            .args(words)
            .current_dir(self.0.path())
            .env("UNDERTONE_CONFIG_DIR", self.path("config"))
            .env("UNDERTONE_DATA_DIR", self.path("data"))
            .output()
            .expect("the program starts")
    }

    pub fn json(&self, words: &[&str]) -> Value {
        let output = self.run(words);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{words:?}: {error}: {output:?}"))
    }
}

pub fn status(output: &Output) -> i32 {
    output.status.code().expect("an exit status")
}

pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
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
