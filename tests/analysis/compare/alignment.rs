//! Alignment against known offsets, drifts, polarities and gains.

use undertone::audio::{AudioBuffer, MemoryReader};
use undertone::compare::{Alignment, Material, align};
use undertone::progress::Progress;
use undertone::units::SampleRate;

use super::versions::{Clock, Random, at_clock, soft_noise};
use crate::support::songs::Song;

/// Aligns two recordings at one rate.
pub fn aligned(rate: u32, reference: Vec<Vec<f32>>, other: Vec<Vec<f32>>) -> Result<Alignment, String> {
    let rate = SampleRate::new(rate).unwrap();
    let reader = |channels| MemoryReader::new(rate, AudioBuffer::from_channels(channels));
    let progress = Progress::new();
    let material = Material::read(&mut reader(reference), &mut reader(other), &progress).unwrap();
    align::align(&material, &progress).unwrap()
}

/// A version of a recording, and what is to be found.
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
    let results: Vec<(u64, [f64; 2], f64)> = (1000..1500)
        .into_par_iter()
        .map(|seed| {
            let case = Case::clean(seed);
            match aligned(case.rate, case.reference.clone(), case.other.clone()) {
                Ok(found) => {
                    let errors = case.errors(&found);
                    let right = (found.polarity < 0) == case.inverted
                        && (found.gain_db - 20.0 * case.gain.log10()).abs() < 0.02;
                    (seed, if right { errors } else { [f64::INFINITY; 2] }, found.confidence)
                }
                Err(_) => (seed, [f64::INFINITY; 2], 0.0),
            }
        })
        .collect();
    let mut frames: Vec<f64> = results.iter().map(|(_, errors, _)| errors[0]).collect();
    frames.sort_by(f64::total_cmp);
    println!("error in frames: median {:.5}, 95 % {:.5}, most {:.5}", frames[250], frames[475], frames[499]);
    let wrong: Vec<_> = results.iter().filter(|(_, [frames, ppm], _)| !(*frames < 0.01 && *ppm < 0.1)).collect();
    println!("beyond 0.01 frame or 0.1 ppm: {wrong:?}");
    assert!(wrong.iter().all(|(_, [frames, _], confidence)| *confidence < 0.5 || *frames < 0.1), "{wrong:?}");
    assert!(wrong.len() <= 5, "{}", wrong.len());
}
