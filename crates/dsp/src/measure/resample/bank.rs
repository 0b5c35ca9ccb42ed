//! The polyphase filter bank of one conversion step: a windowed sinc, divided into phases.

use std::f64::consts::PI;

use super::dot::ROW_STEP;
use crate::design::{KaiserSinc, kaiser_beta, normalized};

/// The attenuation that the Kaiser window is designed for. Up to seven steps together stay below -120 dB.
const ATTENUATION_DB: f64 = 140.0;
/// A bank with more coefficients than this is interpolated.
const MAX_COEFFICIENTS: u64 = 1 << 18;
/// Phases of an interpolated bank, per period of the highest frequency that the filter passes. The error of a cubic
/// through four neighbours is at most `3/128 (PI / phases)^4`, here -185 dB.
const INTERPOLATED_PHASES: f64 = 256.0;

/// One conversion step by `up / down`.
#[derive(Debug)]
pub(super) struct Bank {
    up: u64,
    down: u64,
    taps: usize,
    rows: Rows,
}

#[derive(Debug)]
enum Rows {
    /// A row of coefficients for each of the `up` phases.
    Each(Vec<f64>),
    /// Rows for the phases `-1/phases, 0, 1/phases, .. 1 + 1/phases`, between which coefficients are interpolated.
    Interpolated { phases: usize, rows: Vec<f64> },
}

/// The position of an output frame in the input: `frame + phase / up`.
#[derive(Clone, Copy, Debug)]
pub(super) struct InputPosition {
    /// Whole input frames.
    pub frame: i64,
    /// The remainder, in units of `1 / up`.
    pub phase: u64,
}

impl Bank {
    /// Designs a step by `up / down` (in lowest terms) with the pass band edge `pass` and the stop band edge `stop`,
    /// both in cycles per input frame.
    pub fn new(up: u64, down: u64, pass: f64, stop: f64) -> Self {
        let wanted = (ATTENUATION_DB - 7.95) / (2.285 * 2.0 * PI * (stop - pass));
        let taps = (wanted.ceil() as usize + 1).next_multiple_of(ROW_STEP);
        let sinc = KaiserSinc {
            cutoff: f64::midpoint(pass, stop),
            half_width: taps as f64 / 2.0,
            beta: kaiser_beta(ATTENUATION_DB),
        };
        let rows = if up.saturating_mul(taps as u64) <= MAX_COEFFICIENTS {
            let phases = (0..up).map(|phase| phase as f64 / up as f64);
            Rows::Each(phases.flat_map(|phase| row(&sinc, phase, taps)).collect())
        } else {
            let phases = (INTERPOLATED_PHASES * (2.0 * stop).min(1.0)).ceil().max(8.0) as usize;
            let places = (0..phases + 3).map(|row| (row as f64 - 1.0) / phases as f64);
            Rows::Interpolated { phases, rows: places.flat_map(|phase| row(&sinc, phase, taps)).collect() }
        };
        Self { up, down, taps, rows }
    }

    /// The number of coefficients per output sample.
    pub fn taps(&self) -> usize {
        self.taps
    }

    /// The number of input frames after the place of an output frame on which it depends.
    pub fn half_taps(&self) -> usize {
        self.taps / 2
    }

    /// Output frames per input frame.
    pub fn ratio(&self) -> f64 {
        self.up as f64 / self.down as f64
    }

    /// Returns approximately how many output frames a number of input frames gives.
    pub fn outputs_for(&self, inputs: usize) -> usize {
        ((inputs as u64).saturating_mul(self.up) / self.down) as usize
    }

    /// Returns the position of output frame `frame` in the input.
    pub fn place(&self, frame: i64) -> InputPosition {
        let scaled = i128::from(frame) * i128::from(self.down);
        let up = i128::from(self.up);
        InputPosition { frame: scaled.div_euclid(up) as i64, phase: scaled.rem_euclid(up) as u64 }
    }

    /// Moves a position by one output frame.
    pub fn advance(&self, place: &mut InputPosition) {
        place.frame += (self.down / self.up) as i64;
        place.phase += self.down % self.up;
        if place.phase >= self.up {
            place.phase -= self.up;
            place.frame += 1;
        }
    }

    /// Returns the input frame of the first coefficient at a position.
    pub fn first_tap(&self, place: InputPosition) -> i64 {
        place.frame - (self.taps / 2) as i64 + 1
    }

    /// Returns the first input frame that an output frame depends on.
    pub fn first_input(&self, frame: i64) -> i64 {
        self.first_tap(self.place(frame))
    }

    /// Returns one past the last output frame that depends only on input before `input_end`.
    pub fn settled_outputs(&self, input_end: i64) -> i64 {
        let covered = i128::from(input_end) - (self.taps / 2) as i128;
        let (up, down) = (i128::from(self.up), i128::from(self.down));
        (covered * up + down - 1).div_euclid(down) as i64
    }

    /// Returns the coefficients of a phase; `scratch` holds them if they are interpolated.
    pub fn coefficients<'a>(&'a self, phase: u64, scratch: &'a mut Vec<f64>) -> &'a [f64] {
        match &self.rows {
            Rows::Each(rows) => &rows[phase as usize * self.taps..][..self.taps],
            Rows::Interpolated { phases, rows } => {
                let place = phase as f64 / self.up as f64 * *phases as f64;
                let row = (place as usize).min(*phases - 1);
                let [a, b, c, d] = lagrange(place - row as f64);
                let (first, rest) = rows[row * self.taps..].split_at(self.taps);
                let (second, rest) = rest.split_at(self.taps);
                let (third, rest) = rest.split_at(self.taps);
                scratch.clear();
                scratch.extend(
                    first
                        .iter()
                        .zip(second)
                        .zip(third)
                        .zip(&rest[..self.taps])
                        .map(|(((w, x), y), z)| a * w + b * x + c * y + d * z),
                );
                scratch
            }
        }
    }
}

/// Returns the Lagrange weights of the cubic through values at -1, 0, 1, 2, evaluated at `x` in 0..1.
fn lagrange(x: f64) -> [f64; 4] {
    [
        -x * (x - 1.0) * (x - 2.0) / 6.0,
        (x + 1.0) * (x - 1.0) * (x - 2.0) / 2.0,
        -(x + 1.0) * x * (x - 2.0) / 2.0,
        (x + 1.0) * x * (x - 1.0) / 6.0,
    ]
}

/// Returns the coefficients of one phase, scaled for a DC gain of exactly 1.
fn row(sinc: &KaiserSinc, phase: f64, taps: usize) -> Vec<f64> {
    normalized((0..taps).map(|tap| sinc.at(phase + (taps / 2) as f64 - 1.0 - tap as f64)).collect())
}
