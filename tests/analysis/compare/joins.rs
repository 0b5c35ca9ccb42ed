//! Short cuts and insertions, distinguished from a change of speed, and measured without the sound beside them.

use analysis::compare::parts::Kind;
use analysis::compare::{Comparison, Request, compare, measure_named};
use audio::{AudioBuffer, MemoryReader};
use base::progress::Progress;
use base::units::SampleRate;

use super::versions::{Clock, Random, at_clock, soft_noise};
use crate::support::songs::Song;

const RATE: u32 = 22_050;

fn compared(reference: &[f32], other: &[f32]) -> Comparison {
    let reader = |samples: &[f32]| {
        MemoryReader::new(SampleRate::new(RATE).unwrap(), AudioBuffer::from_channels(vec![samples.to_vec()]))
    };
    let request = Request { measures: vec![measure_named("snr").unwrap()], ..Request::default() };
    compare(&mut reader(reference), &mut reader(other), &request, &Progress::new()).unwrap()
}

fn frames(seconds: f64) -> usize {
    (seconds * f64::from(RATE)) as usize
}

/// Leaves out `length` frames from `at` on.
fn without(samples: &[f32], at: usize, length: usize) -> Vec<f32> {
    samples[..at].iter().chain(&samples[at + length..]).copied().collect()
}

/// Puts frames of noise at `at`.
fn with(samples: &[f32], at: usize, length: usize) -> Vec<f32> {
    let noise = soft_noise(&mut Random::new(at as u64), length);
    samples[..at].iter().chain(&noise).chain(&samples[at..]).copied().collect()
}

fn kinds(found: &Comparison) -> Vec<Kind> {
    found.parts.iter().map(|part| part.kind).collect()
}

fn snr_db(found: &Comparison) -> f64 {
    found.readings[0].1.whole.value().unwrap_or(f64::NAN)
}

/// Asserts that exactly one cut or insertion was found, at its place, and that everything else is compared with a gain.
fn assert_join(found: &Comparison, kind: Kind, at: usize, length: usize, gain_db: f64, what: &str) {
    use Kind::Same;
    assert_eq!(kinds(found), [Same, kind, Same], "{what}: {:#?} {:?}", found.parts, found.notes);
    assert!(found.parts.iter().all(|part| part.speed == 1.0 && part.confidence >= 0.5), "{what}: {:#?}", found.parts);
    let part = found.parts[1];
    let range = if kind == Kind::Cut { part.reference_s } else { part.other_s }.unwrap();
    let rate = f64::from(RATE);
    // Where the sounds on both sides of an edge are alike, it may be either; its length is exact.
    assert!(((range[1] - range[0]) * rate - length as f64).abs() < 1.5, "{what}: {part:?}");
    assert!((range[0] - at as f64 / rate).abs() < 0.015, "{what}: {part:?}");
    let alignment = found.alignment.as_ref().unwrap();
    assert!((alignment.gain_db - gain_db).abs() < 0.05 && alignment.confidence >= 0.5, "{what}: {alignment:?}");
    assert_eq!(alignment.drift_ppm, 0.0, "{what}");
}

#[test]
fn a_short_cut_is_no_speed() {
    for (seed, ms, seconds, at_s) in [
        (1, 30.0, 13.0, 6.5),
        (2, 50.0, 13.0, 6.5),
        (3, 40.0, 6.0, 3.0),
        (4, 5.0, 13.0, 7.1),
        (5, 80.0, 9.0, 2.2),
        (6, 300.0, 12.0, 9.4),
    ] {
        let song = Song::new(seed).samples(RATE, seconds);
        let (at, length) = (frames(at_s), frames(ms / 1000.0));
        let what = format!("cut of {ms} ms out of {seconds} s");
        let found = compared(&song, &without(&song, at, length));
        assert_join(&found, Kind::Cut, at, length, 0.0, &what);
        assert!(snr_db(&found) > 40.0 || snr_db(&found).is_nan(), "{what}: {}", snr_db(&found));
        assert!(!found.notes.iter().any(|note| note.contains("speed")), "{what}: {:?}", found.notes);
    }
}

#[test]
fn a_short_insertion_is_no_speed() {
    for (seed, ms, at_s) in [(11, 5.0, 6.0), (12, 30.0, 4.4), (13, 50.0, 6.5), (14, 80.0, 9.0), (15, 300.0, 3.3)] {
        let song = Song::new(seed).samples(RATE, 13.0);
        let (at, length) = (frames(at_s), frames(ms / 1000.0));
        let found = compared(&song, &with(&song, at, length));
        assert_join(&found, Kind::Inserted, at, length, 0.0, &format!("insertion of {ms} ms"));
    }
}

#[test]
fn a_cut_is_found_in_another_level_and_in_noise() {
    for (seed, ms, gain_db, noise_db) in [
        (21, 30.0, -6.0, 90.0),
        (22, 50.0, 3.0, 20.0),
        (23, 40.0, -12.0, 10.0),
        (24, 80.0, 0.0, 6.0),
        (25, 50.0, 0.0, 3.0),
    ] {
        let song = Song::new(seed).samples(RATE, 12.0);
        let (at, length) = (frames(5.5), frames(ms / 1000.0));
        let mut random = Random::new(seed);
        let level = (song.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / song.len() as f64).sqrt();
        let [gain, noise] = [gain_db, -noise_db].map(|db: f64| 10f64.powf(db / 20.0));
        let other: Vec<f32> = without(&song, at, length)
            .iter()
            .map(|x| (gain * (f64::from(*x) + noise * level * random.normal())) as f32)
            .collect();
        let what = format!("cut of {ms} ms at {gain_db} dB in noise of {noise_db} dB");
        let found = compared(&song, &other);
        println!("{what}: {:?} {:?}", found.alignment, found.parts);
        assert_join(&found, Kind::Cut, at, length, gain_db, &what);
    }
}

#[test]
fn two_cuts_are_two() {
    use Kind::{Cut, Inserted, Same};
    let song = Song::new(31).samples(RATE, 18.0);
    let twice = without(&without(&song, frames(12.0), frames(0.08)), frames(5.0), frames(0.03));
    let found = compared(&song, &twice);
    assert_eq!(kinds(&found), [Same, Cut, Same, Cut, Same], "{:#?}", found.parts);
    assert!((found.alignment.as_ref().unwrap().gain_db).abs() < 0.01);
    // A cut in one place and an insertion in another.
    let both = with(&without(&song, frames(12.0), frames(0.05)), frames(5.0), frames(0.09));
    let found = compared(&song, &both);
    assert_eq!(kinds(&found), [Same, Inserted, Same, Cut, Same], "{:#?}", found.parts);
}

#[test]
fn another_speed_is_still_said() {
    for (seed, speed, cut_ms) in [
        (41, 1.002, 0.0),
        (42, 1.0062, 0.0),
        (43, 1.02, 0.0),
        (44, 0.9938, 0.0),
        (45, 1.0062, 4000.0),
        (46, 1.02, 3000.0),
    ] {
        let song = Song::new(seed).samples(RATE, 24.0);
        let cut = without(&song, frames(10.0), frames(cut_ms / 1000.0));
        let faster = at_clock(&cut, Clock { offset: 0.0, slope: 1.0 / speed }, (cut.len() as f64 / speed) as usize);
        let found = compared(&song, &faster);
        let what = format!("{speed} times the speed, {cut_ms} ms cut: {:#?} {:?}", found.parts, found.notes);
        assert!(found.notes.iter().any(|note| note.contains("times the speed")), "{what}");
        let same: Vec<f64> = found.parts.iter().filter(|part| part.kind == Kind::Same).map(|part| part.speed).collect();
        assert!(!same.is_empty() && same.iter().all(|own| (own - speed).abs() < 0.0015), "{what}");
    }
}

#[test]
fn a_version_without_edits_has_no_parts() {
    let song = Song::new(51).samples(RATE, 12.0);
    let mut random = Random::new(5);
    let level = (song.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / song.len() as f64).sqrt();
    let noisy = |db: f64, random: &mut Random| -> Vec<f32> {
        let scale = level * 10f64.powf(-db / 20.0);
        song.iter().map(|x| x + (scale * random.normal()) as f32).collect()
    };
    let fade = |n: usize| (1.0 - n as f32 / song.len() as f32).max(0.05);
    let mut dropped = song.clone();
    dropped[frames(4.0)..frames(4.08)].fill(0.0);
    let others = [
        ("noise of 20 dB", noisy(20.0, &mut random)),
        ("noise of 0 dB", noisy(0.0, &mut random)),
        ("a fade", song.iter().enumerate().map(|(n, x)| x * fade(n)).collect()),
        ("clipping", song.iter().map(|x| x.clamp(-0.05, 0.05)).collect()),
        ("a drop-out", dropped),
        ("another clock", at_clock(&song, Clock { offset: -3000.5, slope: 1.000_2 }, song.len() - 3200)),
    ];
    for (what, other) in others {
        let found = compared(&song, &other);
        assert!(found.parts.is_empty() && found.alignment.is_some(), "{what}: {:#?} {:?}", found.parts, found.notes);
    }
}
