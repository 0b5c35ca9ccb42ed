//! The signals that `tests/reference/features_rhythm.py` also generates, and its results.
#![allow(dead_code, reason = "each test takes what it needs")]

use std::f64::consts::TAU;

use serde_json::Value;

/// Uniform noise in -1..1.
pub fn noise(seed: u64, count: usize) -> Vec<f64> {
    let mut state = seed;
    let next = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 23) - 1.0
    };
    (0..count).map(next).collect()
}

/// Kick, snare and hats with a soft chord.
pub fn drums(rate: usize, seconds: f64, bpm: f64) -> Vec<f32> {
    let count = (rate as f64 * seconds) as usize;
    let hiss = noise(1, count);
    let tone = |n: usize, hz: f64| (TAU * hz * n as f64 / rate as f64).sin();
    let mut x: Vec<f64> = (0..count).map(|n| 0.05 * (tone(n, 220.0) + tone(n, 277.18) + tone(n, 329.63))).collect();
    for eighth in 0..(seconds * bpm / 30.0) as usize {
        let start = (eighth as f64 * 30.0 / bpm * rate as f64).round_ties_even() as usize;
        for n in start..count.min(start + (0.3 * rate as f64) as usize) {
            let t = (n - start) as f64 / rate as f64;
            x[n] += 0.1 * hiss[n] * (-t / 0.02).exp();
            match eighth % 4 {
                0 => x[n] += 0.8 * (TAU * 60.0 * t).sin() * (-t / 0.08).exp(),
                2 => x[n] += 0.4 * hiss[n] * (-t / 0.05).exp(),
                _ => {}
            }
        }
    }
    x.into_iter().map(|x| x as f32).collect()
}

/// One chord per second with five overtones per note, detuned by `cents`, and a little noise.
pub fn chords(rate: usize, seconds: f64, cents: f64) -> Vec<f32> {
    const PROGRESSION: [[i32; 4]; 4] = [[48, 55, 64, 72], [45, 57, 60, 64], [41, 53, 60, 69], [43, 50, 59, 67]];
    let count = (rate as f64 * seconds) as usize;
    let hiss = noise(2, count);
    let sample = |n: usize| {
        let t = n as f64 / rate as f64;
        let mut x = 1e-3 * hiss[n];
        for note in PROGRESSION[n / rate % 4] {
            let hz = 440.0 * ((f64::from(note - 69) + cents / 100.0) / 12.0).exp2();
            for partial in 1..6 {
                let partial = f64::from(partial);
                x += 0.1 / partial.powf(1.5) * (TAU * hz * partial * t).sin();
            }
        }
        x as f32
    };
    (0..count).map(sample).collect()
}

/// Powers with horizontal and vertical lines, and a silent corner.
pub fn plane(windows: usize, bins: usize) -> Vec<f32> {
    let mut values: Vec<f64> = noise(3, windows * bins).iter().map(|x| (0.5 + 0.5 * x).powi(4)).collect();
    for (index, value) in values.iter_mut().enumerate() {
        let (window, bin) = (index / bins, index % bins);
        if bin >= 7 && (bin - 7) % 11 == 0 {
            *value += 3.0;
        }
        if window >= 9 && (window - 9) % 13 == 0 {
            *value += 5.0;
        }
        if bin == 3 || (window >= 25 && bin >= 20) {
            *value = 0.0;
        }
    }
    values.into_iter().map(|x| x as f32).collect()
}

/// Returns librosa's results.
pub fn reference() -> Value {
    serde_json::from_str(include_str!("../reference/features_rhythm.json")).unwrap()
}

/// Returns the numbers of an array.
pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// Returns the largest difference and its index.
pub fn worst(got: &[f64], expected: &[f64]) -> (f64, usize) {
    assert_eq!(got.len(), expected.len());
    let differences = got.iter().zip(expected).map(|(a, b)| (a - b).abs()).enumerate();
    // `NaN` counts as the worst.
    let worse = |a: (f64, usize), (at, d): (usize, f64)| if d > a.0 || d.is_nan() { (d, at) } else { a };
    differences.fold((0.0, 0), worse)
}
