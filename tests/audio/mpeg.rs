//! MPEG audio of layers I to III, written by its grammar: equal to mpg123's output, exact after seeks, silent and
//! reported where it is damaged.
//!
//! `UNDERTONE_MPEG_STREAMS=N` compares N streams with mpg123 itself, and with ffmpeg where mpg123 differs: in intensity
//! stereo these two are not always of one mind. `UNDERTONE_WRITE_MPEG=1` writes its samples of the
//! few streams that every run compares to `tests/reference/mpeg.json`.

use std::path::Path;
use std::process::Command;

use audio::{AudioBuffer, AudioFile, Damage};
use serde::{Deserialize, Serialize};

use crate::support::mpeg::{Kind, Stream, stream};
use crate::support::opening::random;

/// Streams whose samples are recorded.
const RECORDED: u64 = 40;
/// Of a recorded stream, every so manieth sample is kept.
const STEP: usize = 397;
/// The largest difference, of the loudest sample: -100 dB.
const NEAR: f32 = 1e-5;

/// The recorded output of mpg123.
#[derive(Serialize, Deserialize)]
struct Recorded {
    mpg123: String,
    /// For each seed the number of samples, those that are kept, and the loudest.
    streams: Vec<(usize, Vec<f32>, f32)>,
}

fn made(seed: u64) -> Stream {
    let mut random = random(seed);
    let kind = Kind::random(&mut random);
    stream(&mut random, kind, 12)
}

fn read(path: &Path) -> (AudioBuffer, Damage) {
    let file = AudioFile::open(path).unwrap_or_else(|error| panic!("{error}"));
    let mut reader = file.reader().unwrap();
    let mut all = AudioBuffer::default();
    reader.read(&mut all, file.info().frames as usize).unwrap();
    (all, reader.damage())
}

fn decoded(bytes: &[u8]) -> (AudioBuffer, Damage) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mp3");
    std::fs::write(&path, bytes).unwrap();
    read(&path)
}

fn interleaved(audio: &AudioBuffer) -> Vec<f32> {
    (0..audio.frames()).flat_map(|frame| audio.iter().map(move |channel| channel[frame])).collect()
}

/// Returns the samples that a program writes for a file whose name follows `first`; `None` if there is no such program.
fn decoded_by(program: &str, first: &[&str], last: &[&str], bytes: &[u8]) -> Option<Vec<f32>> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mp3");
    std::fs::write(&path, bytes).unwrap();
    let run = Command::new(program).args(first).arg(&path).args(last).output().ok()?;
    Some(run.stdout.as_chunks::<4>().0.iter().map(|sample| f32::from_le_bytes(*sample)).collect())
}

fn by_mpg123(bytes: &[u8]) -> Option<Vec<f32>> {
    decoded_by("mpg123", &["-q", "--no-gapless", "-e", "f32", "-s"], &[], bytes)
}

fn by_ffmpeg(bytes: &[u8]) -> Option<Vec<f32>> {
    let last = ["-c:a", "pcm_f32le", "-f", "f32le", "-"];
    decoded_by("ffmpeg", &["-loglevel", "error", "-f", "mp3", "-i"], &last, bytes)
}

/// Returns the largest difference of two decodes, of the loudest sample, and where it is; infinite for other lengths.
fn difference(got: &[f32], want: &[f32]) -> (usize, f32) {
    if got.len() != want.len() {
        return (got.len().min(want.len()), f32::INFINITY);
    }
    let loudest = peak(want).max(1e-6);
    let off = got.iter().zip(want).map(|(got, want)| (got - want).abs() / loudest);
    off.enumerate().fold((0, 0.0), |most, next| if next.1 > most.1 { next } else { most })
}

fn peak<'a>(samples: impl IntoIterator<Item = &'a f32>) -> f32 {
    samples.into_iter().fold(0.0, |peak, sample| peak.max(sample.abs()))
}

#[test]
fn streams_of_every_feature_are_what_mpg123_decodes() {
    let path = crate::support::reference("mpeg.json");
    if std::env::var_os("UNDERTONE_WRITE_MPEG").is_some() {
        let version = Command::new("mpg123").arg("--version").output().expect("mpg123").stdout;
        let streams = (0..RECORDED).map(|seed| {
            let samples = by_mpg123(&made(seed).bytes()).expect("mpg123");
            (samples.len(), samples.iter().copied().step_by(STEP).collect(), peak(&samples))
        });
        let mpg123 = String::from_utf8_lossy(&version).lines().next().unwrap_or_default().to_owned();
        let recorded = Recorded { mpg123, streams: streams.collect() };
        std::fs::write(&path, serde_json::to_string(&recorded).unwrap() + "\n").unwrap();
    }
    let recorded: Recorded = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let (mut layers, mut mixed, mut free) = ([0; 4], 0, 0);
    for (seed, (samples, kept, loudest)) in recorded.streams.iter().enumerate() {
        let stream = made(seed as u64);
        let (audio, damage) = decoded(&stream.bytes());
        let what = format!("seed {seed}, {:?}", stream.kind);
        assert!(damage.is_empty(), "{what}: {damage:?}");
        let got = interleaved(&audio);
        assert_eq!(got.len(), *samples, "{what}");
        assert!(*loudest > 0.001, "{what} is silent");
        for (at, want) in kept.iter().enumerate() {
            let difference = (got[at * STEP] - want).abs();
            assert!(difference <= NEAR * loudest, "{what}: sample {} is off by {difference}", at * STEP);
        }
        layers[stream.kind.layer] += 1;
        mixed += u32::from(stream.mixed);
        free += u32::from(stream.kind.free_bytes.is_some());
    }
    assert!(layers[1..].iter().all(|count| *count > 2) && mixed > 5 && free > 2, "{layers:?}, {mixed}, {free}");
}

#[test]
fn many_more_streams_are_what_mpg123_decodes() {
    let Some(count) = std::env::var("UNDERTONE_MPEG_STREAMS").ok().and_then(|count| count.parse::<u64>().ok()) else {
        return;
    };
    let (mut worst, mut by_second, mut failed) = (0f32, 0, Vec::new());
    for seed in 1_000_000..1_000_000 + count {
        let stream = made(seed);
        let bytes = stream.bytes();
        let Some(want) = by_mpg123(&bytes) else {
            eprintln!("SKIPPED: there is no mpg123");
            return;
        };
        let (audio, damage) = decoded(&bytes);
        let got = interleaved(&audio);
        let (mut at, mut most) = difference(&got, &want);
        if most > NEAR {
            by_second += 1;
            (at, most) = by_ffmpeg(&bytes).map_or((at, most), |want| difference(&got, &want));
        }
        if most > NEAR || !damage.is_empty() {
            failed.push(format!("seed {seed}, {:?}, mixed {}: {most} at {at}, {damage:?}", stream.kind, stream.mixed));
        } else {
            worst = worst.max(most);
        }
    }
    println!(
        "{count} streams: {} differ, others by up to {worst}; {by_second} were compared with ffmpeg",
        failed.len()
    );
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Asserts that reads after seeks are the straight decode.
fn assert_seeks_are_exact(bytes: &[u8], seed: u64, what: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mp3");
    std::fs::write(&path, bytes).unwrap();
    let Ok(file) = AudioFile::open(&path) else { return };
    let (whole, _) = read(&path);
    let mut random = random(seed);
    let mut part = AudioBuffer::default();
    let mut reader = file.reader().unwrap();
    for _ in 0..12 {
        let at = random() % file.info().frames;
        reader.seek(at).unwrap();
        reader.read(&mut part, 700).unwrap();
        for (got, whole) in part.iter().zip(whole.iter()) {
            assert!(*got == whole[at as usize..at as usize + got.len()], "{what}: other samples from {at} on");
        }
    }
}

#[test]
fn a_read_after_a_seek_is_exact_in_whole_and_damaged_streams() {
    for seed in 0..24 {
        let mut random = random(seed);
        let kind = Kind::random(&mut random);
        let stream = stream(&mut random, kind, 60);
        assert_seeks_are_exact(&stream.bytes(), seed, &format!("seed {seed}, {kind:?}"));
        // Bits that are wrong, bytes that are missing or too many, and other modes in between.
        let mut frames = stream.frames;
        for _ in 0..8 {
            let at = random() as usize % frames.len();
            let frame = &mut frames[at];
            let byte = random() as usize % frame.len();
            match random() % 5 {
                0 => frame.truncate(byte),
                1 => frame.insert(byte, 0xff),
                2 => {
                    frames.remove(at);
                }
                3 => frame[3.min(byte)] ^= 1 << (random() % 8),
                _ => frame[byte.min(40)] ^= 1 << (random() % 8),
            }
        }
        assert_seeks_are_exact(&frames.concat(), seed, &format!("damaged, seed {seed}, {kind:?}"));
    }
}

const PLAIN: Kind = Kind { layer: 3, version: 0, rate: 0, mode: 0, checksums: false, free_bytes: None, emphasis: 0 };

#[test]
fn what_is_too_loud_to_be_meant_is_silent_and_told() {
    let mut stream = stream(&mut random(3), PLAIN, 20);
    let (before, damage) = decoded(&stream.bytes());
    assert!(damage.is_empty(), "{damage:?}");
    // The gain of the first channel, from bit 41 of the side information on, becomes the highest.
    let frame = &mut stream.frames[10];
    frame[4 + 5] |= 0x7f;
    frame[4 + 6] |= 0x80;
    let (after, damage) = decoded(&stream.bytes());
    let loud = 10 * 1152..11 * 1152;
    assert!(peak(after.iter().flatten()) <= 10.0);
    let told = damage.ranges();
    assert!(told[0].start <= loud.start as u64 && told[0].end >= loud.end as u64, "{damage:?}");
    assert!(after.iter().all(|channel| channel[loud.clone()].iter().all(|sample| *sample == 0.0)));
    for (before, after) in before.iter().zip(after.iter()) {
        assert!(before[..loud.start] == after[..loud.start] && before[loud.end + 2304..] == after[loud.end + 2304..]);
    }
}

#[test]
fn checksums_are_verified_where_a_stream_has_right_ones() {
    for layer in 1..=3 {
        let kind = Kind { layer, checksums: true, mode: 1, ..PLAIN };
        let mut stream = stream(&mut random(layer as u64), kind, 20);
        let (right, damage) = decoded(&stream.bytes());
        assert!(damage.is_empty(), "layer {layer}: {damage:?}");
        // A player must go on where an encoder wrote all of them wrong.
        let mut wrong = stream.frames.clone();
        wrong.iter_mut().for_each(|frame| frame[4] ^= 0x11);
        let (all_wrong, damage) = decoded(&wrong.concat());
        assert!(damage.is_empty() && all_wrong == right, "layer {layer}: {damage:?}");
        // A private bit of layer III, or a checksum bit of the other layers: the decoded sound stays the same.
        stream.frames[10][if layer == 3 { 7 } else { 5 }] ^= if layer == 3 { 0x20 } else { 1 };
        let (_, damage) = decoded(&stream.bytes());
        let frames = kind.sound_frames() as u64;
        assert_eq!(damage.ranges(), std::slice::from_ref(&(10 * frames..11 * frames)), "layer {layer}");
    }
}

#[test]
fn mono_of_layer_ii_at_high_rates_and_reserved_emphasis_are_decoded() {
    let mono = Kind { layer: 2, mode: 3, ..PLAIN };
    let loud = |stream: &Stream| {
        let (audio, damage) = decoded(&stream.bytes());
        assert!(damage.is_empty(), "{damage:?}");
        peak(audio.iter().flatten()) > 0.01
    };
    let mono = stream(&mut random(5), mono, 40);
    // An index of 14 is 384 kbit/s.
    assert!(mono.frames.iter().any(|frame| frame[2] >> 4 == 14) && loud(&mono));
    let mut reserved = stream(&mut random(6), PLAIN, 10);
    reserved.frames[4][3] |= 2;
    assert!(loud(&reserved));
}
