//! The rotary embedding: components `i` and `i + half` of each head are turned by `position base^(-2 i / width)`.

use rayon::prelude::*;

/// Returns cosine and sine of the angles, `half x frames` each; computed in f64. `first` is the position of frame 0.
pub fn angles(width: usize, frames: usize, base: f32, first: u64) -> [Vec<f32>; 2] {
    let half = width / 2;
    let angle = |n: usize| {
        let speed = f64::from(base).powf(-2.0 * (n / frames) as f64 / width as f64);
        (first + (n % frames) as u64) as f64 * speed
    };
    let all = |f: fn(f64) -> f64| (0..half * frames).map(|n| f(angle(n)) as f32).collect();
    [all(f64::cos), all(f64::sin)]
}

/// Turns `x`, `heads x width` components of `frames` frames.
pub fn rotate(x: &[f32], heads: usize, frames: usize, angles: &[Vec<f32>; 2], y: &mut [f32]) {
    let [cos, sin] = angles;
    let head = x.len() / heads.max(1);
    if head == 0 {
        return;
    }
    y.par_chunks_mut(head).zip(x.par_chunks(head)).for_each(|(y, x)| {
        let (low, high) = x.split_at(head / 2);
        let (y_low, y_high) = y.split_at_mut(head / 2);
        debug_assert_eq!(low.len() % frames.max(1), 0);
        for n in 0..low.len() {
            y_low[n] = low[n] * cos[n] - high[n] * sin[n];
            y_high[n] = high[n] * cos[n] + low[n] * sin[n];
        }
    });
}
