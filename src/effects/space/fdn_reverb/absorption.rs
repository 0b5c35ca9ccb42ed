//! What a line loses a round, by frequency.

use std::f64::consts::PI;

use super::super::clocked::{Values, decayed};
use super::tank::LINES;

/// The times to -60 dB of three bands, and where they meet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decay {
    pub low_s: f64,
    pub middle_s: f64,
    pub high_s: f64,
    pub low_hz: f64,
    pub high_hz: f64,
}

/// The gain of a line of `seconds` whose sound fades by 60 dB in `decay_s`.
pub(super) fn round_gain(seconds: f64, decay_s: f64) -> f64 {
    10f64.powf(-3.0 * seconds / decay_s)
}

/// A first-order section `b0 + b1 z^-1` over `1 + a1 z^-1`.
#[derive(Clone, Copy, Debug)]
struct Shelf {
    b0: f64,
    b1: f64,
    a1: f64,
}

impl Shelf {
    fn new(b: [f64; 2], a: [f64; 2]) -> Self {
        Self { b0: b[0] / a[0], b1: b[1] / a[0], a1: a[1] / a[0] }
    }

    /// `(s + w sqrt G)/(s + w / sqrt G)`: G at 0 Hz, 1 far above.
    fn low(gain: f64, hz: f64, rate: f64) -> Self {
        let (w, root) = ((PI * hz / rate).tan(), gain.sqrt());
        Self::new([1.0 + w * root, w * root - 1.0], [1.0 + w / root, w / root - 1.0])
    }

    /// `(s sqrt G + w)/(s / sqrt G + w)`: 1 at 0 Hz, G far above.
    fn high(gain: f64, hz: f64, rate: f64) -> Self {
        let (w, root) = ((PI * hz / rate).tan(), gain.sqrt());
        Self::new([w + root, w - root], [w + 1.0 / root, w - 1.0 / root])
    }

    fn scaled(self, gain: f64) -> Self {
        Self { b0: self.b0 * gain, b1: self.b1 * gain, ..self }
    }

    /// Nothing but a gain of 1.
    const NONE: Self = Self { b0: 1.0, b1: 0.0, a1: 0.0 };
}

/// Both shelves of every line, side by side.
#[derive(Debug)]
pub(super) struct Absorption {
    low: [Shelf; LINES],
    high: [Shelf; LINES],
    state: [[f64; LINES]; 2],
}

impl Absorption {
    /// For lines of so many frames.
    pub fn new(decay: &Decay, frames: &[usize; LINES], rate: f64) -> Self {
        let gains = frames.map(|frames| {
            let seconds = frames as f64 / rate;
            [decay.low_s, decay.middle_s, decay.high_s].map(|decay_s| round_gain(seconds, decay_s))
        });
        let below = |hz: f64| hz < 0.5 * rate;
        Self {
            low: gains.map(|[low, middle, _]| {
                let shelf =
                    if below(decay.low_hz) { Shelf::low(low / middle, decay.low_hz, rate) } else { Shelf::NONE };
                shelf.scaled(middle)
            }),
            high: gains.map(|[_, middle, high]| {
                if below(decay.high_hz) { Shelf::high(high / middle, decay.high_hz, rate) } else { Shelf::NONE }
            }),
            state: [[0.0; LINES]; 2],
        }
    }

    /// Filters `count` frames of every line in place: the lines go side by side, as the filters run along the frames.
    pub fn run<const RUN: usize>(&mut self, rows: &mut [[f32; RUN]; LINES], count: usize) {
        const SIDE: usize = 8;
        for first in (0..LINES).step_by(SIDE) {
            let rows = &mut rows[first..first + SIDE];
            let low: [Shelf; SIDE] = std::array::from_fn(|line| self.low[first + line]);
            let high: [Shelf; SIDE] = std::array::from_fn(|line| self.high[first + line]);
            let mut state: [[f64; SIDE]; 2] =
                std::array::from_fn(|shelf| std::array::from_fn(|line| self.state[shelf][first + line]));
            for at in 0..count {
                for line in 0..SIDE {
                    let x = f64::from(rows[line][at]);
                    let y = low[line].b0 * x + state[0][line];
                    state[0][line] = low[line].b1 * x - low[line].a1 * y;
                    let z = high[line].b0 * y + state[1][line];
                    state[1][line] = high[line].b1 * y - high[line].a1 * z;
                    rows[line][at] = z as f32;
                }
            }
            for shelf in 0..2 {
                for line in 0..SIDE {
                    self.state[shelf][first + line] = decayed(state[shelf][line]);
                }
            }
        }
    }

    pub fn clear(&mut self) {
        self.state = [[0.0; LINES]; 2];
    }

    pub fn give(&self, to: &mut Vec<f64>) {
        to.extend(self.state.as_flattened());
    }

    pub fn take(&mut self, from: &mut Values<'_>) -> Option<()> {
        self.state.as_flattened_mut().copy_from_slice(from.some(2 * LINES)?);
        Some(())
    }
}
