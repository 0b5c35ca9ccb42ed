//! Versions of a recording with known differences.

use std::f64::consts::PI;

pub use crate::support::noise::{Random, soft_noise};

/// How another version lies against its reference: frame `m` of the reference is at `offset + slope m`.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    pub offset: f64,
    pub slope: f64,
}

/// Reads a signal along another clock by a windowed sinc of 128 frames, which is computed anew for each frame.
pub fn at_clock(signal: &[f32], clock: Clock, frames: usize) -> Vec<f32> {
    const HALF: i64 = 64;
    let (turn_sine, turn_cosine) = (PI / HALF as f64).sin_cos();
    let value = |n: usize| {
        let place = (n as f64 - clock.offset) / clock.slope;
        let whole = place.floor();
        let part = place - whole;
        let (sine, mut sum) = ((PI * part).sin(), 0.0);
        // The window's sine and cosine of pi t / HALF, turned on from tap to tap.
        let (mut s, mut c) = (PI * ((1 - HALF) as f64 - part) / HALF as f64).sin_cos();
        for tap in -HALF + 1..=HALF {
            // Blackman-Harris, which falls below -92 dB: cosines of the angle, of twice and of three times as much.
            let window =
                0.358_75 + 0.488_29 * c + 0.141_28 * (2.0 * c * c - 1.0) + 0.011_68 * ((4.0 * c * c - 3.0) * c);
            (s, c) = (s * turn_cosine + c * turn_sine, c * turn_cosine - s * turn_sine);
            let Some(&sample) = usize::try_from(whole as i64 + tap).ok().and_then(|at| signal.get(at)) else {
                continue;
            };
            let t = tap as f64 - part;
            // sin(pi (tap - part)) is sin(pi part), with alternating signs.
            let sinc = if t.abs() < 1e-9 { 1.0 } else { sine * if tap % 2 == 0 { -1.0 } else { 1.0 } / (PI * t) };
            sum += f64::from(sample) * sinc * window;
        }
        sum as f32
    };
    (0..frames).map(value).collect()
}

/// The number of cases of the long tests: `UNDERTONE_CASES`, or 500.
pub fn cases() -> u64 {
    std::env::var("UNDERTONE_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(500)
}

/// Prints the median, the 95th percentile and the largest of errors.
pub fn print_errors(mut errors: Vec<f64>) {
    errors.sort_by(f64::total_cmp);
    let at = |share: f64| errors[((errors.len() - 1) as f64 * share) as usize];
    println!("{} cases: median {:.5}, 95 % {:.5}, largest {:.5} frames", errors.len(), at(0.5), at(0.95), at(1.0));
}
