//! A model of the GPU's computation for one channel, operation by operation in f32: `shaders/signal/iir_cascade.wgsl` as plain
//! Rust. A GPU may fuse or reorder operations; the size of the error is the same.

use dsp::kernels::signal::iir_cascade::{Cascade, Coefficients, Matrix};

const RUN: usize = 16;
const LANES: usize = 256;
const TILE: usize = RUN * LANES;
const STEPS: usize = 8;
const SECTIONS_IN_PASS: usize = 4;

/// A power of a transition matrix: `s -> keep s + rest s`.
struct Power {
    keep: f32,
    rest: Vec<Vec<f32>>,
}

impl Power {
    fn new(matrix: &Matrix, first: usize, size: usize) -> Self {
        let at = |row: usize, column: usize| matrix.at(first + row, first + column);
        let trace: f64 = (0..size).map(|i| at(i, i)).sum();
        let keep = if trace > 0.5 * size as f64 { 1.0 } else { 0.0 };
        let rest = |row: usize| {
            (0..size).map(|column| (at(row, column) - if row == column { keep } else { 0.0 }) as f32).collect()
        };
        Self { keep: keep as f32, rest: (0..size).map(rest).collect() }
    }

    fn advance_pair(&self, [s1, s2]: [f32; 2]) -> [f32; 2] {
        let row = |i: usize, s: f32| self.keep * s + (self.rest[i][0] * s1 + self.rest[i][1] * s2);
        [row(0, s1), row(1, s2)]
    }

    /// The matrix is block lower triangular: a section depends only on those before it.
    fn advance(&self, s: &[f32]) -> Vec<f32> {
        let row = |i: usize| (0..=(i | 1)).fold(self.keep * s[i], |sum, column| sum + self.rest[i][column] * s[column]);
        (0..s.len()).map(row).collect()
    }
}

struct Section {
    h: f32,
    q: f32,
    g2: f32,
    c1: f32,
    mx: f32,
    mu: f32,
    ms: f32,
    mirrored: bool,
    scale: f64,
    powers: Vec<Power>,
}

/// Returns whether a section is above a quarter of the rate, and its coefficients, mirrored for `(-1)^n x(n)` in that
/// case.
fn unmirrored(from: &Coefficients) -> (bool, [f64; 5]) {
    let g = 0.5 * from.g2;
    let k = from.h - g;
    let m1 = from.c1 - g * from.m2;
    if g > 1.0 {
        (true, [1.0 / g, k, from.m0 + from.m2, m1 - k * from.m2, -from.m2])
    } else {
        (false, [g, k, from.m0, m1, from.m2])
    }
}

impl Section {
    fn new(from: &Coefficients) -> Self {
        let (mirrored, [g, k, m0, m1, m2]) = unmirrored(from);
        let mu = if m0 * m2 < 0.0 { m0.abs().min(m2.abs()).copysign(m0) } else { 0.0 };
        let (h, c1) = (g + k, m1 + g * m2);
        let q = g / (1.0 + g * h);
        // The scale of the first state for which rounding affects frequency, damping and output least.
        let rounding = |value: f64| if value == 0.0 { 0.0 } else { f64::from(value as f32) / value - 1.0 };
        let spoilt = |scale: f64| {
            let e1 = rounding(q / scale) + rounding(2.0 * g * scale);
            let e2 = rounding(q / scale) + rounding(h * scale);
            let e3 = rounding(q / scale) + rounding(c1 * scale);
            2.0 * (0.5 * e1 + 0.5 * e2 * g * h).abs() + (h * e2 - g * e1).abs() + (e3 * c1).abs()
        };
        let scales = (0..4096).map(|trial| 1.0 + f64::from(trial) / 8192.0);
        let (_, scale) = scales.map(|scale| (spoilt(scale), scale)).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        Self {
            h: (h * scale) as f32,
            q: (q / scale) as f32,
            g2: (2.0 * g * scale) as f32,
            c1: (c1 * scale) as f32,
            mx: (m0 - mu) as f32,
            mu: mu as f32,
            ms: (m2 + mu) as f32,
            mirrored,
            scale,
            powers: Vec::new(),
        }
    }

    fn step(&self, s: &mut [f32; 2], x: f32) -> f32 {
        let u = x - s[1];
        let d = self.q * (u - self.h * s[0]);
        let v = s[0] + d;
        let y = (self.mx * x + self.mu * u) + (self.c1 * v + self.ms * s[1]);
        *s = [s[0] + 2.0 * d, s[1] + self.g2 * v];
        y
    }

    /// Returns the state at the start of each thread's run, and that at the tile's end.
    fn begins(&self, tile: &[f32], first: [f32; 2]) -> Vec<[f32; 2]> {
        let mut now = vec![first];
        now.extend(tile.chunks(RUN).map(|run| {
            let mut s = [0.0; 2];
            for &x in run {
                self.step(&mut s, x);
            }
            s
        }));
        let last = now.pop().unwrap();
        for (j, power) in self.powers[..STEPS].iter().enumerate() {
            let before = now.clone();
            for lane in 1 << j..LANES {
                let add = power.advance_pair(before[lane - (1 << j)]);
                now[lane] = [now[lane][0] + add[0], now[lane][1] + add[1]];
            }
        }
        let add = self.powers[0].advance_pair(now[LANES - 1]);
        now.push([last[0] + add[0], last[1] + add[1]]);
        now
    }

    fn filter(&self, tile: &mut [f32], begins: &[[f32; 2]]) {
        for (run, mut s) in tile.chunks_mut(RUN).zip(begins.iter().copied()) {
            for x in run {
                *x = self.step(&mut s, *x);
            }
        }
    }
}

/// Returns `to^-1 power to`, where `to` maps the device's states to the plan's.
fn on_device(power: &Matrix, cascade: &Cascade, sections: &[Section]) -> Matrix {
    let (mut to, mut from) = (Matrix::zero(power.size()), Matrix::zero(power.size()));
    for (k, (original, section)) in cascade.sections().iter().zip(sections).enumerate() {
        let (g, scale, i) = (0.5 * original.g2, section.scale, 2 * k);
        if section.mirrored {
            *to.at_mut(i, i + 1) = -g;
            *to.at_mut(i + 1, i) = -g * scale;
            *from.at_mut(i, i + 1) = -1.0 / (g * scale);
            *from.at_mut(i + 1, i) = -1.0 / g;
        } else {
            *to.at_mut(i, i) = scale;
            *to.at_mut(i + 1, i + 1) = 1.0;
            *from.at_mut(i, i) = 1.0 / scale;
            *from.at_mut(i + 1, i + 1) = 1.0;
        }
    }
    from.times(power).times(&to)
}

/// Filters whole tiles from a zero state; `input` is padded with silence.
pub fn emulate_f32(cascade: &Cascade, input: &[f32]) -> Vec<f32> {
    let mut samples = input.to_vec();
    samples.resize(input.len().next_multiple_of(TILE), 0.0);
    let mut sections: Vec<Section> = cascade.sections().iter().map(Section::new).collect();
    let powers: Vec<Matrix> =
        (0..2 * STEPS).map(|j| on_device(&cascade.transition(16 << j), cascade, &sections)).collect();
    for (k, section) in sections.iter_mut().enumerate() {
        section.powers = powers[..STEPS].iter().map(|power| Power::new(power, 2 * k, 2)).collect();
    }
    for (pass, sections) in sections.chunks(SECTIONS_IN_PASS).enumerate() {
        let first = 2 * pass * SECTIONS_IN_PASS;
        let of_tiles: Vec<Power> =
            powers[STEPS..].iter().map(|power| Power::new(power, first, 2 * sections.len())).collect();
        run_pass(sections, &of_tiles, &mut samples);
    }
    samples.truncate(input.len());
    samples
}

fn run_pass(sections: &[Section], of_tiles: &[Power], samples: &mut [f32]) {
    // Reduce.
    let mut starts = vec![vec![0.0; 2 * sections.len()]];
    for tile in samples.chunks(TILE) {
        let mut tile = tile.to_vec();
        let mut end = Vec::new();
        let mut mirrored = false;
        for section in sections {
            mirror(&mut tile, mirrored != section.mirrored);
            mirrored = section.mirrored;
            let begins = section.begins(&tile, [0.0; 2]);
            end.extend(begins[LANES]);
            section.filter(&mut tile, &begins);
        }
        starts.push(end);
    }
    starts.pop();
    assert!(starts.len() <= LANES, "one block of tiles is enough for a test");
    // Scan.
    for (j, power) in of_tiles.iter().enumerate() {
        let before = starts.clone();
        for tile in 1 << j..starts.len() {
            for (s, add) in starts[tile].iter_mut().zip(power.advance(&before[tile - (1 << j)])) {
                *s += add;
            }
        }
    }
    // Apply.
    for (tile, start) in samples.chunks_mut(TILE).zip(&starts) {
        let mut mirrored = false;
        for (k, section) in sections.iter().enumerate() {
            mirror(tile, mirrored != section.mirrored);
            mirrored = section.mirrored;
            let begins = section.begins(tile, [start[2 * k], start[2 * k + 1]]);
            section.filter(tile, &begins);
        }
        mirror(tile, mirrored);
    }
}

/// Negates every second sample, which converts between `x(n)` and `(-1)^n x(n)`.
fn mirror(tile: &mut [f32], wanted: bool) {
    if wanted {
        for x in tile.iter_mut().skip(1).step_by(2) {
            *x = -*x;
        }
    }
}
