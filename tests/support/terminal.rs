//! The command line as a user runs it, in a folder with separate settings and data.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use audio::encode::{EncodeSettings, Encoder};
use audio::{AudioBuffer, AudioFormat, Tags};
use base::units::SampleRate;
use serde_json::Value;

pub struct Terminal(pub tempfile::TempDir);

impl Terminal {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Returns the program, which runs in the folder.
    pub fn program(&self) -> Command {
        let mut program = Command::new(env!("CARGO_BIN_EXE_undertone"));
        program.current_dir(self.0.path());
        program.env("UNDERTONE_CONFIG_DIR", self.path("config")).env("UNDERTONE_DATA_DIR", self.path("data"));
        program
    }

    pub fn run(&self, words: &[&str]) -> Output {
        self.program().args(words).output().expect("the program starts")
    }

    pub fn json(&self, words: &[&str]) -> Value {
        let output = self.run(words);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{words:?}: {error}: {output:?}"))
    }

    /// Runs a command with `--json`. Returns the exit status and the report of each file.
    pub fn reports(&self, words: &[&str]) -> (i32, Vec<Value>) {
        let output = self.run(&[words, &["--json"]].concat());
        let told: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
        (status(&output), told["files"].as_array().cloned().unwrap_or_default())
    }

    pub fn write(&self, name: &str, rate: u32, channels: Vec<Vec<f32>>, settings: &EncodeSettings, tags: &Tags) {
        write(&self.path(name), rate, channels, settings, tags);
    }

    /// Returns the names of the files in a folder, sorted.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.path(folder)).expect("a folder");
        let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("an entry").file_name();
        let mut names: Vec<String> = entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

/// Writes a sound file, in folders that are made for it.
pub fn write(path: &Path, rate: u32, channels: Vec<Vec<f32>>, settings: &EncodeSettings, tags: &Tags) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    let format = AudioFormat::new(SampleRate::new(rate).expect("a rate"), channels.len());
    let mut encoder = Encoder::create(path, settings, format, true, &[]).expect("an encoder");
    encoder.write(&AudioBuffer::from_channels(channels)).expect("written");
    encoder.finish_with(tags).expect("finished");
}

/// A sine wave of 1 kHz.
pub fn tone(level: f64, rate: u32, frames: usize) -> Vec<f32> {
    let step = 1000.0 * std::f64::consts::TAU / f64::from(rate);
    (0..frames).map(|n| (level * (n as f64 * step).sin()) as f32).collect()
}

pub fn status(output: &Output) -> i32 {
    output.status.code().expect("an exit status")
}

pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}
