//! Converts samples to rows of an image: the energy of twelve pitch classes per window.

use crate::fingerprint::front::RATE_HZ;
use crate::fingerprint::overlapping::Overlapping;
use dsp::kernels::signal::stft::{HalfLength, Pairs};

/// Samples per window.
pub(super) const SIZE: usize = 4096;
/// Hop between windows, in samples.
pub(super) const HOP: usize = SIZE / 3;
/// Number of pitch classes.
pub(super) const CLASSES: usize = 12;
/// Weights of the smoothing over time, oldest window first.
const SMOOTHING: [f64; 5] = [0.25, 0.75, 1.0, 0.75, 0.25];
/// Number of windows in the smoothing.
pub(super) const TAPS: usize = SMOOTHING.len();
/// Range of frequencies that are counted, in Hz.
const LOWEST_HZ: f64 = 28.0;
const HIGHEST_HZ: f64 = 3520.0;
/// Frequency of pitch class 0, an A, in Hz.
const BASE_HZ: f64 = 27.5;
/// A row whose norm is below this counts as silence.
const MIN_NORM: f64 = 0.01;

/// The image row of one window.
pub(super) type Row = [f64; CLASSES];

/// Windowing, spectra, pitch classes, smoothing and scaling.
pub(super) struct Chroma {
    transform: HalfLength,
    window: Vec<f32>,
    /// The pitch class of each bin, starting at `first_bin`.
    classes: Vec<u8>,
    first_bin: usize,
    windows: Overlapping,
    pairs: Pairs,
    powers: Vec<f32>,
    recent: [Row; TAPS],
    /// Windows so far.
    count: usize,
}

impl Chroma {
    pub fn new() -> Self {
        let transform = HalfLength::new(SIZE);
        let bin = |hz: f64| (SIZE as f64 * hz / f64::from(RATE_HZ)).round() as usize;
        let first_bin = bin(LOWEST_HZ).max(1);
        let class = |bin: usize| {
            let octaves = (bin as f64 * f64::from(RATE_HZ) / SIZE as f64 / BASE_HZ).log2();
            (CLASSES as f64 * (octaves - octaves.floor())) as u8
        };
        Self {
            window: hamming(),
            classes: (first_bin..bin(HIGHEST_HZ).min(SIZE / 2)).map(class).collect(),
            first_bin,
            windows: Overlapping::new(SIZE, HOP),
            pairs: transform.memory(),
            powers: vec![0.0; SIZE / 2 + 1],
            transform,
            recent: [[0.0; CLASSES]; TAPS],
            count: 0,
        }
    }

    /// Takes the next samples (full scale is 1) and calls `row` with each row that they complete.
    pub fn push(&mut self, mono: &[f32], mut row: impl FnMut(Row)) {
        self.windows.push(mono.iter().map(|&x| sixteen_bits(x)));
        while let Some(samples) = self.windows.next_window() {
            for ((to, x), w) in self.pairs.frames().iter_mut().zip(samples).zip(&self.window) {
                *to = x * w;
            }
            self.transform.power(&mut self.pairs, 1.0, &mut self.powers);
            self.recent[self.count % TAPS] = self.classes();
            self.count += 1;
            if self.count >= TAPS {
                row(self.smoothed());
            }
        }
    }

    fn classes(&self) -> Row {
        let mut row = [0.0; CLASSES];
        for (&class, &power) in self.classes.iter().zip(&self.powers[self.first_bin..]) {
            row[usize::from(class)] += f64::from(power);
        }
        row
    }

    fn smoothed(&self) -> Row {
        let mut row = [0.0; CLASSES];
        for (age, weight) in SMOOTHING.into_iter().enumerate() {
            for (to, x) in row.iter_mut().zip(self.recent[(self.count + age) % TAPS]) {
                *to += weight * x;
            }
        }
        let norm = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        if norm < MIN_NORM { [0.0; CLASSES] } else { row.map(|x| x / norm) }
    }
}

/// Rounds to the nearest 16-bit integer, halves to even.
fn sixteen_bits(x: f32) -> f32 {
    // An `f32` beyond 2^23 has no fraction, so the addition rounds in hardware without a function call.
    const WHOLE: f32 = 12_582_912.0;
    (x * 32_768.0).clamp(-32_768.0, 32_767.0) + WHOLE - WHOLE
}

/// Returns a symmetric Hamming window, scaled so that 16-bit samples are at most 1.
fn hamming() -> Vec<f32> {
    let scale = 1.0 / f64::from(i16::MAX);
    let turn = std::f64::consts::TAU / (SIZE - 1) as f64;
    (0..SIZE).map(|n| (scale * (0.54 - 0.46 * (n as f64 * turn).cos())) as f32).collect()
}
