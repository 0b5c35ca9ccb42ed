//! Stems: the masks of REPET-SIM against a reference, sums, ratios to distortion, blocks, cancels and broken input.

mod material;
mod quality;
mod separation;

use audio::AudioBuffer;
use base::progress::Progress;
use dsp::kernels::signal::stft::Spectra;
use material::{Generator, rate, source};
use neural::stems::{Search, repet, similar_windows};
use serde_json::Value;

/// The signal of `tests/reference/stems.py`.
fn signal() -> AudioBuffer {
    let mut hits = Generator::new(1);
    let hits: Vec<f64> = (0..8000).map(|_| hits.next()).collect();
    let mut hiss = Generator::new(2);
    let frames = (0..64_000_u32).map(|n| {
        let (beat, place) = (n / 8000, f64::from(n % 8000));
        let level = 1.0 + 0.1 * f64::from(beat * 7 % 5);
        let hit = hits[n as usize % 8000] * (-place / 1500.0).exp() * level;
        let chord = ((0.17 * place).sin() + 0.5 * (0.26 * place).sin()) * level;
        let t = f64::from(n) / 8000.0;
        let heard = if n % 12_000 < 7000 { 1.0 } else { 0.0 };
        let glide = (std::f64::consts::TAU * (300.0 * t + 20.0 * t * t)).sin() * heard;
        let hiss = hiss.next();
        let left = 0.2 * hit + 0.15 * chord + 0.1 * glide + 0.03 * hiss;
        let right = 0.1 * hit + 0.2 * chord + 0.1 * glide - 0.03 * hiss;
        [left as f32, right as f32]
    });
    let (left, right) = frames.map(|[left, right]| (left, right)).unzip();
    AudioBuffer::from_channels(vec![left, right])
}

fn reference() -> Value {
    serde_json::from_str(include_str!("../../reference/stems.json")).unwrap()
}

fn magnitudes() -> Vec<Spectra<f32>> {
    let mut source = source(signal());
    let plan = repet::transform(rate()).unwrap();
    let windows = plan.forward().windows_to_invert(64_000);
    repet::magnitudes(&mut source, plan.forward(), 0..windows, &Progress::new()).unwrap()
}

/// The largest difference of the shares from the reference's.
fn worst(magnitudes: &[Spectra<f32>], similar: &[Vec<u32>], reference: &Value) -> f64 {
    let mut memory = repet::RepeatingShare::default();
    let mut worst = 0.0_f64;
    let shares = reference["shares"].as_array().unwrap();
    assert!(shares.len() > 10);
    for expected in shares {
        let window = expected["window"].as_u64().unwrap() as usize;
        for (magnitudes, expected) in magnitudes.iter().zip(expected["values"].as_array().unwrap()) {
            let mut share = vec![0.0; magnitudes.bins];
            memory.run(magnitudes, window, &similar[window], repet::first_bin(rate()), &mut share);
            let expected = expected.as_array().unwrap();
            assert_eq!(expected.len(), share.len());
            for (got, expected) in share.iter().zip(expected) {
                worst = worst.max((f64::from(*got) - expected.as_f64().unwrap()).abs());
            }
        }
    }
    worst
}

#[test]
fn similar_windows_and_masks_are_those_of_the_reference() {
    let (magnitudes, reference) = (magnitudes(), reference());
    assert_eq!(repet::search(rate()), Search { most: 100, distance: 31 });
    let search = Search { most: 3, distance: 31 };
    let found =
        similar_windows(&magnitudes, 0..magnitudes[0].windows(), search, &Progress::new(), &mut |_| Ok(())).unwrap();
    let expected: Vec<Vec<u32>> = serde_json::from_value(reference["similar"].clone()).unwrap();
    assert_eq!(found, expected);
    let difference = worst(&magnitudes, &found, &reference);
    println!("masks differ by up to {difference:.1e}");
    assert!(difference < 1e-4, "{difference}");
    // Windows that are similar to others are refused.
    let mut others = found.clone();
    others.rotate_left(5);
    assert!(worst(&magnitudes, &others, &reference) > 0.1);
}
