//! Alignment against known offsets, drifts, polarities and gains.

use analysis::compare::{Alignment, Material, align};
use audio::{AudioBuffer, MemoryReader};
use base::progress::Progress;
use base::units::SampleRate;

use super::versions::{Clock, Random, at_clock, cases, print_errors, soft_noise};
use crate::support::songs::Song;

/// Aligns two recordings at one rate.
pub fn aligned(rate: u32, reference: Vec<Vec<f32>>, other: Vec<Vec<f32>>) -> Result<Alignment, String> {
    let rate = SampleRate::new(rate).unwrap();
    let reader = |channels| MemoryReader::new(rate, AudioBuffer::from_channels(channels));
    let progress = Progress::new();
    let material = Material::read(&mut reader(reference), &mut reader(other), &progress).unwrap();
    align::align(&material, &progress).unwrap()
}

/// A version of a recording, and the expected alignment.
struct Case {
    rate: u32,
    clock: Clock,
    inverted: bool,
    gain: f64,
    reference: Vec<Vec<f32>>,
    other: Vec<Vec<f32>>,
}

impl Case {
    /// A random version of a random recording of some seconds.
    fn clean(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let rate = [44_100, 48_000, 32_000, 16_000][(random.unit() * 4.0) as usize];
        let seconds = random.within(4.0, 12.0);
        let frames = (seconds * f64::from(rate)) as usize;
        let drift = if random.unit() < 0.3 { 0.0 } else { random.within(-300e-6, 300e-6) };
        // The other may begin before or after the reference, and end before or after it.
        let offset_s = random.within(-0.4 * seconds, 2.0);
        let offset = offset_s * f64::from(rate);
        let offset = if random.unit() < 0.3 { offset.round() } else { offset };
        let clock = Clock { offset, slope: 1.0 + drift };
        let others = (frames as f64 + offset - random.within(-1.0, 0.2 * seconds) * f64::from(rate)) as usize;
        let channels = 1 + (random.unit() * 2.0) as u64;
        let reference: Vec<Vec<f32>> = (0..channels)
            .map(|channel| match (seed % 3, channel) {
                (0, _) => soft_noise(&mut random, frames),
                (_, 0) => Song::new(seed).samples(rate, seconds),
                // The same song, with another one under it.
                (_, _) => {
                    let under = Song::new(seed + 7777).samples(rate, seconds);
                    Song::new(seed).samples(rate, seconds).iter().zip(under).map(|(a, b)| 0.6 * a + 0.4 * b).collect()
                }
            })
            .collect();
        let (inverted, gain) = (random.unit() < 0.3, 10f64.powf(random.within(-20.0, 6.0) / 20.0));
        let scale = (if inverted { -gain } else { gain }) as f32;
        let other = reference
            .iter()
            .map(|channel| at_clock(channel, clock, others).iter().map(|sample| sample * scale).collect())
            .collect();
        Self { rate, clock, inverted, gain, reference, other }
    }

    /// Returns the errors in frames, at the beginning of what both have in common and at its end, and in ppm.
    fn errors(&self, found: &Alignment) -> [f64; 2] {
        let offset = found.offset_s * f64::from(self.rate);
        let drift = found.drift_ppm - (self.clock.slope - 1.0) * 1e6;
        let at = |frame: f64| (offset - self.clock.offset) + drift * 1e-6 * frame;
        let frames = self.reference[0].len() as f64;
        let first = (-self.clock.offset).max(0.0);
        let last = (self.other[0].len() as f64 - self.clock.offset).min(frames);
        [at(first).abs().max(at(last).abs()), drift.abs()]
    }

    fn outcome(&self, found: &Alignment) -> Outcome {
        let [frames, ppm] = self.errors(found);
        Outcome {
            frames,
            ppm,
            gain_db: (found.gain_db - 20.0 * self.gain.log10()).abs(),
            polarity: (found.polarity < 0) == self.inverted,
            confidence: found.confidence,
        }
    }
}

/// The error of the alignment found.
#[derive(Clone, Copy, Debug)]
struct Outcome {
    frames: f64,
    ppm: f64,
    gain_db: f64,
    polarity: bool,
    confidence: f64,
}

impl Outcome {
    const NONE: Self =
        Self { frames: f64::INFINITY, ppm: f64::INFINITY, gain_db: f64::INFINITY, polarity: false, confidence: 0.0 };

    /// Energy near half the rate, which no interpolation brings back, makes the gain some hundredths of a dB smaller.
    fn is_right(&self) -> bool {
        self.frames < 0.01 && self.ppm < 0.1 && self.gain_db < 0.05 && self.polarity
    }
}

#[test]
fn a_version_is_found_to_a_hundredth_of_a_frame() {
    for seed in 0..9 {
        let case = Case::clean(seed);
        let found = aligned(case.rate, case.reference.clone(), case.other.clone()).unwrap();
        let [frames, ppm] = case.errors(&found);
        assert!(frames < 0.01 && ppm < 0.1, "{seed}: {frames} frames, {ppm} ppm: {:?} {found:?}", case.clock);
        assert_eq!(found.polarity < 0, case.inverted, "{seed}");
        assert!((found.gain_db - 20.0 * case.gain.log10()).abs() < 0.01, "{seed}: {found:?}");
        assert!(found.confidence > 0.9, "{seed}: {found:?}");
    }
}

/// The same over many cases: `cargo test --release --test analysis five_hundred -- --ignored --nocapture`.
#[test]
#[ignore = "takes minutes"]
fn five_hundred_versions_are_found() {
    use rayon::prelude::*;
    let results: Vec<(u64, Outcome)> = (1000..1000 + cases())
        .into_par_iter()
        .map(|seed| {
            let case = Case::clean(seed);
            let found = aligned(case.rate, case.reference.clone(), case.other.clone());
            (seed, found.map_or_else(|_| Outcome::NONE, |found| case.outcome(&found)))
        })
        .collect();
    print_errors(results.iter().map(|(_, outcome)| outcome.frames).collect());
    let wrong: Vec<_> = results.iter().filter(|(_, outcome)| !outcome.is_right()).collect();
    println!("beyond 0.01 frame, 0.1 ppm, 0.05 dB, or of the wrong polarity: {wrong:?}");
    let misleads = |outcome: &Outcome| outcome.confidence >= 0.5 && (outcome.frames >= 0.1 || !outcome.polarity);
    assert!(!wrong.iter().any(|(_, outcome)| misleads(outcome)), "{wrong:?}");
    assert!(100 * wrong.len() <= results.len(), "{}", wrong.len());
}

#[test]
fn a_coarser_copy_of_a_tone_lies_on_it() {
    // Rounding is no noise here: it repeats with the tone, so that all frequencies have something in common.
    for hz in [300.0, 997.0, 3000.0] {
        let tone = |n: usize| 0.4 * (std::f64::consts::TAU * hz * n as f64 / 48_000.0).sin();
        let rounded = |bits: i32| -> Vec<f32> {
            let steps = 2f64.powi(bits - 1);
            (0..48_000).map(|n| ((tone(n) * steps).round() / steps) as f32).collect()
        };
        for bits in [8, 12, 16] {
            let found = aligned(48_000, vec![rounded(24)], vec![rounded(bits)]).unwrap();
            assert_eq!((found.offset_s, found.drift_ppm, found.polarity), (0.0, 0.0, 1), "{hz} {bits}: {found:?}");
            assert!(found.gain_db.abs() < 0.05 && found.confidence < 0.5, "{hz} {bits}: {found:?}");
        }
    }
}

/// Returns the negative controls: signals that fit no offset, or more than one.
fn tone(frames: usize, first: f64) -> Vec<f32> {
    (0..frames).map(|n| ((n as f64 + first) * 0.0627).sin() as f32 * 0.5).collect()
}

#[test]
fn strangers_are_refused() {
    let rate = 44_100;
    let song = |seed| vec![Song::new(seed).samples(rate, 6.0)];
    let noise = |seed| vec![soft_noise(&mut Random::new(seed), 200_000)];
    for seed in 0..6 {
        for (reference, other) in [
            (song(seed), song(seed + 100)),
            (noise(seed + 1), noise(seed + 50)),
            (song(seed), noise(seed + 1)),
            // The same key and tempo, and other notes.
            (
                vec![Song::new(seed).in_key(3).at_tempo(120.0).samples(rate, 6.0)],
                vec![Song::new(seed + 40).in_key(3).at_tempo(120.0).samples(rate, 6.0)],
            ),
        ] {
            if let Ok(found) = aligned(rate, reference, other) {
                assert!(found.confidence < 0.5, "{seed}: {found:?}");
            }
        }
    }
}

#[test]
fn silence_and_scraps_are_refused_with_a_reason() {
    let some = || vec![soft_noise(&mut Random::new(1), 50_000)];
    for (reference, other, said) in [
        (some(), vec![vec![0.0; 50_000]], "other is silent"),
        (vec![vec![0.0; 50_000]], some(), "reference is silent"),
        (some(), vec![vec![0.5]], "shorter than"),
        (some(), vec![Vec::new()], "shorter than"),
        (vec![vec![f32::NAN; 50_000]], some(), "reference is silent"),
    ] {
        let reason = aligned(44_100, reference, other).unwrap_err();
        assert!(reason.contains(said), "{reason}");
    }
}

#[test]
fn what_repeats_is_never_aligned_with_confidence() {
    let rate = 44_100;
    // A tone, a loop of a whole number of frames and one of a fractional number; each without its beginning.
    let bar = Song::new(3).samples(rate, 1.0);
    let repeated: Vec<f32> = (0..8).flat_map(|_| bar.clone()).collect();
    let fractional = Clock { offset: 0.0, slope: 1.000_217 };
    let stretched = at_clock(&repeated, fractional, repeated.len());
    for (reference, other) in [
        (tone(200_000, 0.0), tone(190_000, 333.0)),
        (repeated.clone(), repeated[2 * bar.len()..].to_vec()),
        (stretched.clone(), stretched[88_219..].to_vec()),
    ] {
        if let Ok(found) = aligned(rate, vec![reference], vec![other]) {
            assert!(found.confidence < 0.5, "{found:?}");
        }
    }
}

#[test]
fn noise_lowers_the_accuracy_and_not_the_answer() {
    let mut random = Random::new(5);
    let clock = Clock { offset: -12_345.67, slope: 1.000_1 };
    let reference = Song::new(8).samples(44_100, 10.0);
    for snr_db in [40.0, 20.0, 6.0] {
        let clean = at_clock(&reference, clock, 400_000);
        let level = (clean.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / 400_000.0).sqrt();
        let scale = level / 10f64.powf(snr_db / 20.0);
        let other = clean.iter().map(|x| x + (scale * random.normal()) as f32).collect();
        let found = aligned(44_100, vec![reference.clone()], vec![other]).unwrap();
        let off = (found.offset_s * 44_100.0 - clock.offset).abs();
        assert!(off < 0.1 && (found.drift_ppm - 100.0).abs() < 0.5, "{snr_db} dB: {off} frames, {found:?}");
        assert!(found.confidence > 0.5, "{snr_db} dB: {found:?}");
    }
}

#[test]
fn channels_are_found_in_another_order_and_polarity() {
    let rate = 44_100;
    let songs: Vec<Vec<f32>> = (20..24).map(|seed| Song::new(seed).samples(rate, 5.0)).collect();
    let other = vec![songs[2].clone(), songs[0].clone(), songs[1].iter().map(|x| -x).collect(), songs[3].clone()];
    let found = aligned(rate, songs.clone(), other).unwrap();
    assert_eq!((found.channel_order.as_slice(), found.polarity), (&[1, 2, 0, 3][..], 1));
    assert_eq!(found.inverted_channels, [1]);
    // In the mean, these cancel.
    let wide = vec![songs[0].clone(), songs[0].iter().map(|x| -x).collect()];
    let found = aligned(rate, wide, vec![songs[0][1000..].to_vec(), songs[0][1000..].to_vec()]).unwrap();
    assert!((found.offset_s * f64::from(rate) + 1000.0).abs() < 0.01, "{found:?}");
}

#[test]
fn equal_channels_keep_their_order() {
    let song = Song::new(2).samples(44_100, 4.0);
    let found = aligned(44_100, vec![song.clone(), song.clone()], vec![song.clone(), song]).unwrap();
    assert_eq!(found.channel_order, [0, 1]);
    assert_eq!((found.offset_s, found.drift_ppm, found.gain_db), (0.0, 0.0, 0.0));
}

#[test]
fn a_cut_is_said() {
    let song = Song::new(12).samples(44_100, 12.0);
    // Four seconds are missing from the fifth on.
    let cut: Vec<f32> = song[..220_500].iter().chain(&song[396_900..]).copied().collect();
    let found = aligned(44_100, vec![song.clone()], vec![cut]).unwrap();
    assert!(found.offset_s == 0.0 && found.agreement < 0.9, "{found:?}");
}
