//! Alignment with what real codecs give back.

use audio::encode::{EncodeSettings, Encoder, FileFormat, LossySettings};
use audio::{AudioBuffer, AudioFile, AudioFormat};
use base::units::SampleRate;

use super::alignment::aligned;
use super::versions::{Clock, Random, at_clock, cases, print_errors};
use crate::support::songs::Song;

/// Encodes and decodes a signal of one channel.
pub fn through(codec: FileFormat, lossy: LossySettings, rate: u32, signal: Vec<f32>) -> Vec<f32> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("coded");
    let settings = EncodeSettings { format: codec, lossy, ..EncodeSettings::default() };
    let format = AudioFormat::new(SampleRate::new(rate).unwrap(), 1);
    let mut encoder = Encoder::create(&path, &settings, format, true, &[]).unwrap();
    encoder.write(&AudioBuffer::from_channels(vec![signal])).unwrap();
    encoder.finish().unwrap();
    let file = AudioFile::open(&path).unwrap();
    let mut audio = AudioBuffer::default();
    file.reader().unwrap().read(&mut audio, usize::MAX >> 1).unwrap();
    assert_eq!(file.info().audio.rate.hz(), rate);
    audio.channel(0).to_vec()
}

/// Returns the largest error in frames over what both have in common, and the confidence; `None` if nothing was found.
fn error_of(seed: u64) -> Option<(f64, f64)> {
    let mut random = Random::new(seed);
    let (codec, rate) = if seed.is_multiple_of(2) { (FileFormat::Vorbis, 44_100) } else { (FileFormat::Opus, 48_000) };
    let lossy = LossySettings {
        vorbis_quality: random.within(0.0, 8.0),
        opus_kbps: Some(random.within(24.0, 128.0) as u32),
        ..LossySettings::default()
    };
    let seconds = random.within(5.0, 9.0);
    let reference = Song::new(seed).samples(rate, seconds);
    let frames = reference.len();
    let drift = if seed.is_multiple_of(3) { random.within(-300e-6, 300e-6) } else { 0.0 };
    let start = random.within(0.0, 1.0) * f64::from(rate);
    let clock = Clock { offset: -if seed.is_multiple_of(5) { start } else { start.round() }, slope: 1.0 + drift };
    let others = (frames as f64 + clock.offset - random.within(0.0, 1.0) * f64::from(rate)) as usize;
    let other = through(codec, lossy, rate, at_clock(&reference, clock, others));
    let found = aligned(rate, vec![reference], vec![other]).ok()?;
    let at = |frame: f64| found.offset_s * f64::from(rate) - clock.offset + (found.drift_ppm * 1e-6 - drift) * frame;
    Some((at(-clock.offset).abs().max(at(frames as f64).abs()), found.confidence))
}

#[test]
fn what_codecs_give_back_is_found_to_a_tenth_of_a_frame() {
    for seed in 0..6 {
        let (frames, confidence) = error_of(seed).unwrap();
        assert!(frames < 0.1 && confidence > 0.5, "{seed}: {frames} frames, confidence {confidence}");
    }
}

#[test]
fn an_offset_that_a_codec_blurs_is_not_rounded_to_the_wrong_frame() {
    // Half-way between two whole frames by phase; the one on the other side explains more.
    let (frames, confidence) = error_of(2161).unwrap();
    assert!(frames < 0.75 || confidence < 0.5, "{frames} frames, confidence {confidence}");
}

/// The same over many cases; see `five_hundred_versions_are_found`.
#[test]
#[ignore = "takes minutes"]
fn five_hundred_codings_are_found() {
    use rayon::prelude::*;
    let found: Vec<(u64, Option<(f64, f64)>)> =
        (2000..2000 + cases()).into_par_iter().map(|seed| (seed, error_of(seed))).collect();
    print_errors(found.iter().map(|(_, found)| found.map_or(f64::INFINITY, |found| found.0)).collect());
    let wrong: Vec<_> = found.iter().filter(|(_, found)| found.is_none_or(|(frames, _)| frames >= 0.1)).collect();
    println!("beyond 0.1 frame: {wrong:?}");
    assert!(wrong.iter().all(|(_, found)| found.is_none_or(|(frames, confidence)| frames < 1.0 || confidence < 0.5)));
    assert!(100 * wrong.len() <= found.len(), "{}", wrong.len());
}
