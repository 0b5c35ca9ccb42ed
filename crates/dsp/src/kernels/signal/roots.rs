//! The tables of `shaders/shared/fft.wgsl`.

use std::f64::consts::PI;

/// The points that the shader's stages of radix 8 begin with, besides the first stage.
const STAGES: [usize; 2] = [8, 64];

/// Returns the roots that the tables of transforms of up to `points` complex points begin with: those of the stages,
/// then `exp(-pi i n / points)` for `n < points`.
pub(super) fn transform_roots(points: usize) -> impl Iterator<Item = [f32; 2]> {
    let stages = STAGES.into_iter().flat_map(|done| {
        [1, 2, 4].into_iter().flat_map(move |power| (0..done).map(move |n| root(power * n, 4 * done)))
    });
    stages.chain((0..points).map(move |n| root(n, points)))
}

/// Returns `exp(-pi i n / half)`.
fn root(n: usize, half: usize) -> [f32; 2] {
    let (sine, cosine) = (PI * n as f64 / half as f64).sin_cos();
    [cosine as f32, -sine as f32]
}
