//! Times the comparison of a minute of stereo at 44.1 kHz with a noisy version of it: alignment, and each measure.
//!
//! `cargo bench --bench compare`. With `UNDERTONE_PYTHON` naming a Python that has the packages of
//! `tests/reference/compare.py`, that script measures the same recordings in the same run.

use std::f64::consts::TAU;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use undertone::audio::encode::{EncodeSettings, Encoder, SampleFormat};
use undertone::audio::{AudioBuffer, AudioFormat, MemoryReader};
use undertone::compare::{MEASURES, Material, Pair, align};
use undertone::progress::Progress;
use undertone::units::SampleRate;

const RATE: u32 = 44_100;
const SECONDS: usize = 60;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rate = SampleRate::new(RATE)?;
    let (reference, other) = versions();
    let progress = Progress::new();
    let start = Instant::now();
    let reader = |channels: &[Vec<f32>]| MemoryReader::new(rate, AudioBuffer::from_channels(channels.to_vec()));
    let material = Material::read(&mut reader(&reference), &mut reader(&other), &progress)?;
    let found = align::align(&material, &progress)?;
    println!("alignment               {:8.3} s  {found:?}", start.elapsed().as_secs_f64());
    let pair = Pair::new(rate, reference.clone(), other.clone());
    let mut together = 0.0;
    for measure in &MEASURES {
        // Work that measures share is counted where it is first needed.
        let start = Instant::now();
        let reading = measure.read(&pair, &progress)?;
        let seconds = start.elapsed().as_secs_f64();
        together += seconds;
        println!("{:<24}{seconds:8.3} s  {:?}", measure.name, reading.whole.value());
    }
    println!("{:<24}{together:8.3} s", "together");
    if let Some(python) = std::env::var_os("UNDERTONE_PYTHON") {
        let folder = tempfile::tempdir()?;
        let files = ["reference.wav", "other.wav"].map(|name| folder.path().join(name));
        written(&files[0], rate, reference)?;
        written(&files[1], rate, other)?;
        println!("tests/reference/compare.py:");
        Command::new(python).args(["tests/reference/compare.py", "bench"]).args(&files).status()?;
    }
    Ok(())
}

/// A voice with a changing pitch over chords, different in both channels, and the same with noise.
fn versions() -> (Vec<Vec<f32>>, Vec<Vec<f32>>) {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut noise = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f64 / f64::from(1 << 23) - 1.0
    };
    let mut channel = |index: usize| -> Vec<f32> {
        let value = |n: usize| {
            let t = n as f64 / f64::from(RATE);
            let phase = TAU * 150.0 * t - 40.0 * (0.5 * t).cos();
            let voice: f64 = (1..12).map(|k| (f64::from(k) * phase).sin() / f64::from(k)).sum();
            let chord: f64 = [220.0, 277.2, 329.6].iter().map(|hz| (TAU * hz * (1.0 + index as f64) * t).sin()).sum();
            (0.1 * voice * (0.6 + 0.4 * (TAU * 1.7 * t).sin()) + 0.03 * chord + 0.01 * noise()) as f32
        };
        (0..SECONDS * RATE as usize).map(value).collect()
    };
    let reference = vec![channel(0), channel(1)];
    let noisy = |channel: &Vec<f32>| channel.iter().map(|x| x + 0.01 * noise() as f32).collect();
    let other = reference.iter().map(noisy).collect();
    (reference, other)
}

fn written(path: &Path, rate: SampleRate, channels: Vec<Vec<f32>>) -> Result<(), Box<dyn std::error::Error>> {
    let settings = EncodeSettings { sample: SampleFormat::Float32, ..EncodeSettings::default() };
    let format = AudioFormat::new(rate, channels.len());
    let mut encoder = Encoder::create(path, &settings, format, true, &[])?;
    encoder.write(&AudioBuffer::from_channels(channels))?;
    encoder.finish()?;
    Ok(())
}
