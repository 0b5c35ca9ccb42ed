//! One section lowered to f32.
//!
//! A section with a natural frequency above a quarter of the sample rate runs mirrored: applied to `(-1)^n x(n)`, the
//! filter `H(z)` becomes `H(-z)`. As a state-variable filter, that has `1/g` in place of `g` and swaps low-pass and
//! high-pass. Its states are small where those of the original are large and nearly cancel.
//!
//! The first state is scaled by a factor between 1 and 1.5. All factors give the same filter. The one chosen best
//! preserves the products that set frequency and damping when the coefficients are rounded to f32. The effect of that
//! rounding on a resonance grows with its Q; the scaling reduces it by about 30 dB.

use super::Coefficients;
use crate::design::Svf;
use crate::gpu::shaders::iir_cascade as shader;

/// The number of scales to try.
const TRIALS: u32 = 4096;

/// A section in the coordinates of the shader.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lowered {
    section: Coefficients,
    /// If the section runs mirrored, the natural frequency `g` of the original.
    mirrored: Option<f64>,
    /// The ratio of the first state, of the mirrored section if it runs mirrored, to the device's first state.
    scale: f64,
}

impl Lowered {
    pub fn new(original: &Coefficients) -> Self {
        let g = 0.5 * original.g2;
        let (section, mirrored) = if g > 1.0 { (mirror(original), Some(g)) } else { (*original, None) };
        Self { section, mirrored, scale: best_scale(&section) }
    }

    /// Converts the states at the beginning of a chunk to device coordinates.
    pub fn state_to_device(&self, [s1, s2]: [f64; 2]) -> [f64; 2] {
        let [a, b] = match self.mirrored {
            Some(g) => [-s2 / g, -s1 / g],
            None => [s1, s2],
        };
        [a / self.scale, b]
    }

    /// Converts the states after `frames` frames from device coordinates.
    pub fn state_from_device(&self, [a, b]: [f64; 2], frames: usize) -> [f64; 2] {
        let a = a * self.scale;
        match self.mirrored {
            Some(g) if frames.is_multiple_of(2) => [-b * g, -a * g],
            Some(g) => [b * g, a * g],
            None => [a, b],
        }
    }

    /// Writes the coefficients in the shader's form and precision.
    pub fn write(&self, to: &mut shader::Section) {
        let section = &self.section;
        to.h = (section.h * self.scale) as f32;
        to.q = (section.q / self.scale) as f32;
        to.g2 = (section.g2 * self.scale) as f32;
        to.c1 = (section.c1 * self.scale) as f32;
        // If m0 and m2 in m0 x + m2 s2 have opposite signs, the terms would cancel. As much as possible is therefore
        // taken from x - s2, which is small where a filter blocks 0 Hz. Otherwise x - s2 is large where the states are,
        // at a resonance.
        let Coefficients { m0, m2, .. } = *section;
        let (mx, mu, ms) = match m0 * m2 < 0.0 {
            true if m0.abs() < m2.abs() => (0.0, m0, section.dc()),
            true => (section.dc(), -m2, 0.0),
            false => (m0, 0.0, m2),
        };
        to.mx = mx as f32;
        to.mu = mu as f32;
        to.ms = ms as f32;
        to.mirrored = u32::from(self.mirrored.is_some());
        // The contribution of a sample to the state, advanced frame by frame to the end of a run.
        let (h, q, g2) = (section.h * self.scale, section.q / self.scale, section.g2 * self.scale);
        let mut state = [2.0 * q, g2 * q];
        for frame in (0..shader::RUN as usize).rev() {
            let at = &mut to.ends[frame / 2][2 * (frame % 2)..][..2];
            at.copy_from_slice(&state.map(|value| value as f32));
            let d = q * (-state[1] - h * state[0]);
            state = [state[0] + 2.0 * d, state[1] + g2 * (state[0] + d)];
        }
    }
}

/// Returns `H(-z)`: replacing `s` by `1/s` keeps the band-pass and swaps low-pass and high-pass.
fn mirror(section: &Coefficients) -> Coefficients {
    let g = 0.5 * section.g2;
    let k = section.h - g;
    let m1 = section.c1 - g * section.m2;
    let m = [section.dc(), m1 - k * section.m2, -section.m2];
    Coefficients::from(Svf { g: 1.0 / g, k, m })
}

/// Returns the relative error of rounding to f32.
fn rounding(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { f64::from(value as f32) / value - 1.0 }
}

/// Returns the scale that minimises the effect of rounding on the section. The poles depend on `q g2` and `q h`, which
/// are `2 g^2 a` and `g (g + k) a` with `a = 1/(1 + g (g + k))`. The damping is twice the latter minus the former,
/// `2 g k a`.
fn best_scale(section: &Coefficients) -> f64 {
    let g = 0.5 * section.g2;
    let k = section.h - g;
    let spoilt = |scale: f64| {
        let q = rounding(section.q / scale);
        let e1 = q + rounding(section.g2 * scale);
        let e2 = q + rounding(section.h * scale);
        let e3 = q + rounding(section.c1 * scale);
        let frequency = 0.5 * e1 + 0.5 * e2 * g * (g + k);
        let damping = (g + k) * e2 - g * e1;
        2.0 * frequency.abs() + damping.abs() + (e3 * section.c1).abs()
    };
    let scales = (0..TRIALS).map(|trial| 1.0 + f64::from(trial) / f64::from(TRIALS) * 0.5);
    let spoilt = scales.map(|scale| (spoilt(scale), scale));
    spoilt.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(1.0, |(_, scale)| scale)
}
