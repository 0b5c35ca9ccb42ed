//! Predicts the error of a cascade run in f32 on a GPU, from its plan.
//!
//! Every operation of the shader rounds its result. At a frequency `w`, the magnitude of every intermediate value is
//! known, and therefore the size of its rounding error. The effect on the output is the noise gain from that point on
//! (L. B. Jackson, "On the Interaction of Roundoff Noise and Dynamic Range in Digital Filters", 1970). Within a
//! thread's run of 16 frames, rounding errors of the states accumulate. The states at its beginning come from a scan,
//! which rounds once per level, independent of the length of the filter's memory. The prediction covers the worst sine
//! and white noise.
//!
//! `tests/kernels/iir_cascade_accuracy.rs` checks the prediction against an emulation of the shader in f32.

use std::f64::consts::PI;

use transforms::num_complex::Complex64;

use super::{Cascade, Coefficients};

/// Frames per run of one GPU thread.
const RUN: usize = 16;

/// The RMS error of rounding to f32, relative to the value: uniform within half a unit in the last place, averaged over
/// mantissas between 1 and 2.
const ROUNDING: f64 = 0.42 / 16_777_216.0;

/// The number of roundings of a state in the scans of runs and of tiles, which have up to eight levels each.
const SCAN_ROUNDINGS: f64 = 12.0;

/// Points of the frequency grid, in addition to those around each pole.
const POINTS: usize = 192;

/// The predicted error of a cascade in f32: the RMS of the residual in dB re max(rms in, rms out).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PredictedError {
    /// The error for the worst sine.
    pub sine_db: f64,
    /// The frequency of that sine, in radians per frame.
    pub worst_w: f64,
    /// The error for white noise.
    pub noise_db: f64,
}

/// Returns the predicted error of this cascade in f32 on a GPU, in dB re max(rms in, rms out), for the worse of sines
/// and white noise. Cascades with an error above -120 dB run on the CPU.
pub fn predicted_f32_error_db(cascade: &Cascade) -> f64 {
    let PredictedError { sine_db, noise_db, .. } = predicted_f32_error(cascade);
    sine_db.max(noise_db)
}

/// Same as [`predicted_f32_error_db`], with separate values for sines and noise.
pub fn predicted_f32_error(cascade: &Cascade) -> PredictedError {
    let forms: Vec<F32Form> = cascade.sections().iter().map(F32Form::new).collect();
    let grid = Grid::new(&forms);
    let points = grid.w.len();
    // The power of the signal before each section and after the last one.
    let mut before = vec![vec![1.0; points]];
    let mut noises = Vec::new();
    for form in &forms {
        let at: Vec<(f64, Noise)> = grid.w.iter().map(|&w| form.noise(w)).collect();
        let last = &before[before.len() - 1];
        before.push(last.iter().zip(&at).map(|(power, (gain, _))| power * gain).collect());
        noises.push(at);
    }
    let output = &before[forms.len()];
    let mut error = vec![0.0; points];
    let mut rest = vec![1.0; points];
    for (noise, before) in noises.iter().zip(&before).rev() {
        let white = grid.mean(&rest);
        let held = (RUN as f64 * white).min(rest.iter().copied().fold(0.0, f64::max));
        for i in 0..points {
            error[i] += before[i] * (noise[i].1.direct * white + noise[i].1.state * held);
            rest[i] *= noise[i].0;
        }
    }
    let relative = error.iter().zip(output).map(|(error, output)| error / output.max(1.0));
    let (sine, worst_w) = relative.zip(&grid.w).fold((0.0, 0.0), |worst, (error, &w)| {
        // `NaN` ranks as the worst.
        if error <= worst.0 { worst } else { (error, w) }
    });
    let noise = grid.mean(&error) / grid.mean(output).max(1.0);
    let db = |power: f64| 20.0 * ROUNDING.log10() + 10.0 * power.log10();
    PredictedError { sine_db: db(sine), worst_w, noise_db: db(noise) }
}

/// The lowest frequency of the grid, apart from those around poles: 0.2 Hz at 48 kHz. Slower signals change so little
/// from frame to frame that all frames round alike. Errors then add up instead of averaging out, and a ramp may be 10
/// dB worse.
const LOWEST_W: f64 = 3e-5;

/// A grid of frequencies in radians per frame.
struct Grid {
    w: Vec<f64>,
}

impl Grid {
    fn new(forms: &[F32Form]) -> Self {
        let mut w: Vec<f64> =
            (0..POINTS).map(|i| PI * (LOWEST_W / PI).powf(1.0 - (i as f64 + 0.5) / POINTS as f64)).collect();
        for form in forms {
            let (g, k) = (0.5 * form.g2, form.h - 0.5 * form.g2);
            let center = 2.0 * g.atan();
            let center = if form.mirrored { PI - center } else { center };
            for offset in [-3.0, -1.5, -0.5, 0.0, 0.5, 1.5, 3.0] {
                w.push(center * (1.0 + 0.5 * k.min(0.5) * offset));
            }
        }
        w.retain(|&w| w > 0.0 && w < PI);
        w.sort_by(f64::total_cmp);
        Self { w }
    }

    /// Returns the mean of a power over all frequencies, which is its gain for white noise.
    fn mean(&self, power: &[f64]) -> f64 {
        let between = self.w.windows(2).zip(power.windows(2));
        let inner: f64 = between.map(|(w, p)| (w[1] - w[0]) * 0.5 * (p[0] + p[1])).sum();
        let (last, count) = (power[power.len() - 1], self.w.len());
        (inner + power[0] * self.w[0] + last * (PI - self.w[count - 1])) / PI
    }
}

/// A section as the GPU runs it, in f64: mirrored above a quarter of the sample rate, and with the part of the output
/// that would cancel between the input and `s2` taken from `x - s2`.
struct F32Form {
    h: f64,
    q: f64,
    g2: f64,
    c1: f64,
    mx: f64,
    mu: f64,
    ms: f64,
    mirrored: bool,
}

/// The power of the error at a section's output for an input of amplitude 1, in units of [`ROUNDING`] squared.
struct Noise {
    /// From roundings on the direct path to the output.
    direct: f64,
    /// From roundings of the states, which last for several frames.
    state: f64,
}

impl F32Form {
    fn new(section: &Coefficients) -> Self {
        let mut g = 0.5 * section.g2;
        let k = section.h - g;
        let (mut m0, mut m1, mut m2) = (section.m0, section.c1 - g * section.m2, section.m2);
        let mirrored = g > 1.0;
        if mirrored {
            (g, m0, m1, m2) = (1.0 / g, m0 + m2, m1 - k * m2, -m2);
        }
        let mu = if m0 * m2 < 0.0 { m0.abs().min(m2.abs()).copysign(m0) } else { 0.0 };
        let h = g + k;
        Self { h, q: g / (1.0 + g * h), g2: 2.0 * g, c1: m1 + g * m2, mx: m0 - mu, mu, ms: m2 + mu, mirrored }
    }

    /// Returns the section's power gain at `w`, and its noise.
    fn noise(&self, w: f64) -> (f64, Noise) {
        let &Self { h, q, g2, c1, mx, mu, ms, .. } = self;
        let w = if self.mirrored { PI - w } else { w };
        // (z - 1 - E) s = F, with z - 1 = 2 i sin(w/2) exp(i w/2).
        let z1 = Complex64::new(0.0, 2.0 * (0.5 * w).sin()) * Complex64::new((0.5 * w).cos(), (0.5 * w).sin());
        let through = 1.0 / (1.0 + 0.5 * g2 * h);
        let e = [[-2.0 * q * h, -2.0 * q], [g2 * through, -g2 * q]];
        let (a, d) = (z1 - e[0][0], z1 - e[1][1]);
        let det = a * d - e[0][1] * e[1][0];
        let (f1, f2) = (2.0 * q, g2 * q);
        let s1 = (d * f1 + e[0][1] * f2) / det;
        let s2 = (a * f2 + e[1][0] * f1) / det;
        let u = 1.0 - s2;
        let wet = u - s1 * h;
        let delta = wet * q;
        let v = s1 + delta;
        let (first, second) = (u * mu + mx, v * c1 + s2 * ms);
        let y = first + second;
        let size = |value: Complex64| value.norm_sqr();
        let of_u = size(u);
        let of_delta = q * q * (of_u + size(s1 * h) + size(wet)) + size(delta);
        let of_v = size(v);
        let direct = mx * mx
            + mu * mu * 2.0 * of_u
            + size(v * c1)
            + size(s2 * ms)
            + size(first)
            + size(second)
            + size(y)
            + c1 * c1 * (of_delta + of_v);
        let each_frame = [size(s1) + 4.0 * of_delta, size(s2) + g2 * g2 * (of_delta + 2.0 * of_v)];
        let memory = Memory::new(e, [c1 * through, ms - mu - c1 * q], each_frame);
        let scanned = [size(s1), size(s2)].map(|size| SCAN_ROUNDINGS * size);
        (size(y), Noise { direct, state: memory.output(each_frame, scanned) })
    }
}

/// The effect of rounding the states on the output of a run of [`RUN`] frames.
struct Memory {
    /// Mean power at the output over the run, for a unit value in a state at its beginning.
    from_start: [f64; 2],
    /// The same for noise of power 1 on a state in every frame.
    from_frames: [f64; 2],
    /// The contribution of the run to the noise at the start of the next one.
    carried: [f64; 2],
}

impl Memory {
    fn new(e: [[f64; 2]; 2], c: [f64; 2], each_frame: [f64; 2]) -> Self {
        let mut memory = Self { from_start: [0.0; 2], from_frames: [0.0; 2], carried: [0.0; 2] };
        for from in 0..2 {
            let mut s = [0.0; 2];
            s[from] = 1.0;
            let mut so_far = 0.0;
            for _ in 0..RUN {
                let y = c[0] * s[0] + c[1] * s[1];
                memory.from_frames[from] += so_far / RUN as f64;
                memory.from_start[from] += y * y / RUN as f64;
                so_far += y * y;
                for to in 0..2 {
                    memory.carried[to] += each_frame[from] * s[to] * s[to];
                }
                s = [s[0] + e[0][0] * s[0] + e[0][1] * s[1], s[1] + e[1][0] * s[0] + e[1][1] * s[1]];
            }
        }
        // Runs start from zero, where a filter with a long memory has small states: M frames of noise contain M / 16
        // runs, each with (16 / M)^2 of the power.
        let (trace, det) = (2.0 + e[0][0] + e[1][1], (1.0 + e[0][0]) * (1.0 + e[1][1]) - e[0][1] * e[1][0]);
        let root = 0.25 * trace * trace - det;
        let radius = if root < 0.0 { det.sqrt() } else { 0.5 * trace.abs() + root.sqrt() };
        let share = (RUN as f64 * (1.0 - radius)).clamp(0.0, 1.0);
        memory.carried = memory.carried.map(|power| power * share);
        memory
    }

    fn output(&self, each_frame: [f64; 2], scanned: [f64; 2]) -> f64 {
        (0..2).map(|i| each_frame[i] * self.from_frames[i] + (scanned[i] + self.carried[i]) * self.from_start[i]).sum()
    }
}
