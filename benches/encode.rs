//! Encodes a minute of stereo: FLAC against the reference encoder `flac -5` if it is installed (time and size), and WAV
//! with each dither. All files are in a memory file system if there is one; `flac` also reads a WAV file.
#![allow(clippy::unwrap_used, missing_docs, reason = "a bench")]

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use undertone::audio::encode::{Dither, EncodeSettings, Encoder, FileFormat, SampleFormat};
use undertone::audio::{AudioBuffer, AudioFormat};
use undertone::units::SampleRate;

const SECONDS: usize = 60;
const ROUNDS: usize = 5;

fn main() {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap();
    let music = music();
    for (sample, bits) in [(SampleFormat::Int16, 16), (SampleFormat::Int24, 24)] {
        for dither in [Dither::None, Dither::Tpdf, Dither::Shaped] {
            let path = folder.path().join("out.wav");
            let settings = EncodeSettings { format: FileFormat::Wav, sample, dither, ..EncodeSettings::default() };
            let (seconds, _) = best(|| encode(&music, &path, &settings));
            println!("WAV {bits} bit, dither {dither:?}: {:.1} ms", seconds * 1e3);
        }
        let (wav, flac, reference) =
            (folder.path().join("in.wav"), folder.path().join("out.flac"), folder.path().join("reference.flac"));
        let plain =
            EncodeSettings { format: FileFormat::Wav, sample, dither: Dither::None, ..EncodeSettings::default() };
        encode(&music, &wav, &plain);
        let settings = EncodeSettings { format: FileFormat::Flac, ..plain };
        let (ours, our_bytes) = best(|| encode(&music, &flac, &settings));
        print!("FLAC {bits} bit: {:.1} ms, {:.3} MB", ours * 1e3, our_bytes as f64 / 1e6);
        let run = || {
            let status = Command::new("flac").args(["-s", "-f", "-5", "-o"]).arg(&reference).arg(&wav).status();
            assert!(status.unwrap().success());
            reference.metadata().unwrap().len()
        };
        if Command::new("flac").arg("--version").output().is_ok() {
            let (theirs, bytes) = best(run);
            println!(
                "; flac -5 {:.1} ms, {:.3} MB; {:.2} times as fast",
                theirs * 1e3,
                bytes as f64 / 1e6,
                theirs / ours
            );
        } else {
            println!("; flac is not installed");
        }
    }
}

/// Returns the best time of several rounds, and the result of the last one.
fn best(mut run: impl FnMut() -> u64) -> (f64, u64) {
    let mut seconds = f64::INFINITY;
    let mut bytes = 0;
    for _ in 0..ROUNDS {
        let started = Instant::now();
        bytes = run();
        seconds = seconds.min(started.elapsed().as_secs_f64());
    }
    (seconds, bytes)
}

fn encode(music: &AudioBuffer, path: &Path, settings: &EncodeSettings) -> u64 {
    let format = AudioFormat::new(SampleRate::new(44_100).unwrap(), 2);
    let mut encoder = Encoder::create(path, settings, format, true, &[]).unwrap();
    for _ in 0..SECONDS {
        encoder.write(music).unwrap();
    }
    encoder.finish().unwrap().bytes
}

/// One second of partials that differ between the channels, plus a little noise.
fn music() -> AudioBuffer {
    let mut seed = 1u32;
    let channels = [220.0, 277.2].map(|hz: f64| {
        let plane = (0..44_100).map(|n| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let noise = f64::from(seed >> 8) / 16_777_216.0 - 0.5;
            let time = f64::from(n) / 44_100.0;
            let tone: f64 =
                (1..9).map(|k| (std::f64::consts::TAU * hz * f64::from(k) * time).sin() / f64::from(k)).sum();
            (0.2 * tone * (-time * 3.0).exp() + 0.002 * noise) as f32
        });
        plane.collect()
    });
    AudioBuffer::from_channels(channels.to_vec())
}
