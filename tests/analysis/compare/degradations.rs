//! The signals and degradations of `tests/reference/compare.py`, sample by sample.

use std::f64::consts::TAU;

const SECONDS: f64 = 3.0;

fn noise(seed: u64, count: usize) -> Vec<f64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 23) - 1.0
    };
    (0..count).map(|_| next()).collect()
}

fn rounded(samples: &[f64]) -> Vec<f32> {
    samples.iter().map(|&x| x as f32).collect()
}

/// Returns a signal by its name, and its rate.
pub fn signal(name: &str) -> (u32, Vec<f32>) {
    match name {
        "speech_16k" => (16_000, speech(16_000)),
        "speech_32k" => (32_000, speech(32_000)),
        "speech_48k" => (48_000, speech(48_000)),
        "speech_44k" => (44_100, speech(44_100)),
        "music_44k" => (44_100, music(44_100)),
        "music_48k" => (48_000, music(48_000)),
        "noise_16k" => (16_000, rounded(&noise(5, 48_000).iter().map(|x| 0.2 * x).collect::<Vec<_>>())),
        other => panic!("{other}"),
    }
}

fn speech(rate: u32) -> Vec<f32> {
    let count = (SECONDS * f64::from(rate)) as usize;
    let (hiss, floor) = (noise(1, count), noise(2, count));
    let bump = |hz: f64, middle: f64, width: f64| (-((hz - middle) / width).powi(2)).exp();
    let value = |n: usize| {
        let t = n as f64 / f64::from(rate);
        let phase = TAU * 120.0 * t - 30.0 / 0.7 * (TAU * 0.7 * t).cos();
        let syllable = (TAU * 1.3 * t).sin();
        let voice: f64 = (1..26)
            .map(|k| {
                let hz = 120.0 * f64::from(k);
                let weight = 1.0 / f64::from(k) + 0.5 * bump(hz, 700.0, 200.0) + 0.3 * bump(hz, 1800.0, 300.0);
                weight * (f64::from(k) * phase).sin()
            })
            .sum();
        0.08 * voice * syllable.max(0.0) + 0.02 * hiss[n] * (-syllable).max(0.0) + 1e-4 * floor[n]
    };
    rounded(&(0..count).map(value).collect::<Vec<_>>())
}

fn music(rate: u32) -> Vec<f32> {
    let count = (SECONDS * f64::from(rate)) as usize;
    let mut x: Vec<f64> = noise(3, count).iter().map(|n| 1e-4 * n).collect();
    for (step, root) in [220.0, 247.5, 165.0, 293.3, 220.0, 185.0].into_iter().enumerate() {
        let start = (0.5 * step as f64 * f64::from(rate)) as usize;
        let end = count.min(start + rate as usize / 2);
        let click = noise(4, end - start);
        for n in start..end {
            let local = n as f64 / f64::from(rate) - 0.5 * step as f64;
            for ratio in [1.0, 1.25, 1.5, 2.0] {
                for partial in 1..7 {
                    let partial = f64::from(partial);
                    x[n] += 0.06 / partial * (-3.0 * local).exp() * (TAU * root * ratio * partial * local).sin();
                }
            }
            x[n] += 0.3 * (-200.0 * local).exp() * click[n - start];
        }
    }
    rounded(&x)
}

/// Returns a degraded version.
pub fn degraded(kind: &str, strength: f64, signal: &[f32], rate: u32) -> Vec<f32> {
    let x: Vec<f64> = signal.iter().map(|&x| f64::from(x)).collect();
    let whole = strength as usize;
    let each = |f: &dyn Fn(f64) -> f64| -> Vec<f64> { x.iter().map(|&x| f(x)).collect() };
    let energy = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
    let y: Vec<f64> = match kind {
        "noise" => {
            let n = noise(6, x.len());
            let scale = (energy(&x) / energy(&n) / 10f64.powf(strength / 10.0)).sqrt();
            x.iter().zip(&n).map(|(x, n)| x + n * scale).collect()
        }
        "clip" => {
            let limit = strength * x.iter().map(|x| x.abs()).fold(0.0, f64::max);
            each(&|x| x.clamp(-limit, limit))
        }
        "gain" => each(&|x| x * 10f64.powf(strength / 20.0)),
        "quantise" => {
            let steps = (strength - 1.0).exp2();
            each(&|x| (x * steps + 0.5).floor() / steps)
        }
        "one_pole" => {
            let mut y = 0.0;
            x.iter()
                .map(|x| {
                    y = strength * x - (strength - 1.0) * y;
                    y
                })
                .collect()
        }
        "mean" => {
            let sum = |n: usize| x[(n + 1).saturating_sub(whole)..=n].iter().sum::<f64>();
            (0..x.len()).map(|n| sum(n) / strength).collect()
        }
        "echo" => (0..x.len()).map(|n| x[n] + if n < whole { 0.0 } else { 0.5 * x[n - whole] }).collect(),
        "shift" => (0..x.len()).map(|n| if n < whole { 0.0 } else { x[n - whole] }).collect(),
        "dropouts" => {
            let (first, step) = (rate as usize / 4, rate as usize / 2);
            let gap = (strength * f64::from(rate) / 1000.0) as usize;
            let is_dropped = |n: usize| n >= first && (n - first) % step < gap;
            (0..x.len()).map(|n| if is_dropped(n) { 0.0 } else { x[n] }).collect()
        }
        "hum" => (0..x.len()).map(|n| x[n] + strength * (TAU * 50.0 * n as f64 / f64::from(rate)).sin()).collect(),
        other => panic!("{other}"),
    };
    rounded(&y)
}
