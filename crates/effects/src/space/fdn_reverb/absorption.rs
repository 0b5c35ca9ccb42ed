//! The loss of a delay line per round, by frequency.

use std::f64::consts::PI;

use super::super::clocked::{Values, decayed};
use super::tank::LINES;

/// The decay times to -60 dB in three bands, and the crossover frequencies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decay {
    pub low_s: f64,
    pub middle_s: f64,
    pub high_s: f64,
    pub low_hz: f64,
    pub high_hz: f64,
}

/// Returns the gain of a line of `seconds` whose sound decays by 60 dB in `decay_s`.
pub(super) fn round_gain(seconds: f64, decay_s: f64) -> f64 {
    10f64.powf(-3.0 * seconds / decay_s)
}

/// A second-order section `b0 + b1 z^-1 + b2 z^-2` over `1 + a1 z^-1 + a2 z^-2`.
#[derive(Clone, Copy, Debug)]
struct Shelf {
    b: [f64; 3],
    a: [f64; 2],
}

impl Shelf {
    /// Creates a section from polynomials in `s` relative to the crossover, by the bilinear transform with `w = tan(pi
    /// f / rate)`. The constant term comes first.
    fn new(b: [f64; 3], a: [f64; 3], hz: f64, rate: f64) -> Self {
        let w = (PI * hz / rate).tan();
        let mapped = |c: [f64; 3]| {
            let (constant, first) = (c[0] * w * w, c[1] * w);
            [constant + first + c[2], 2.0 * (constant - c[2]), constant - first + c[2]]
        };
        let (b, a) = (mapped(b), mapped(a));
        Self { b: b.map(|b| b / a[0]), a: [a[1] / a[0], a[2] / a[0]] }
    }

    /// A low shelf, as steep as possible without overshoot: `gain` at 0 Hz, 1 far above.
    fn low(gain: f64, hz: f64, rate: f64) -> Self {
        let root = gain.sqrt();
        let slope = (2.0 * root).sqrt();
        Self::new([root * root, root * slope, root], [1.0, slope, root], hz, rate)
    }

    /// A high shelf: 1 at 0 Hz, `gain` far above.
    fn high(gain: f64, hz: f64, rate: f64) -> Self {
        let root = gain.sqrt();
        let slope = (2.0 * root).sqrt();
        Self::new([root, root * slope, root * root], [root, slope, 1.0], hz, rate)
    }

    fn scaled(self, gain: f64) -> Self {
        Self { b: self.b.map(|b| b * gain), ..self }
    }

    /// A gain of 1 at all frequencies.
    const NONE: Self = Self { b: [1.0, 0.0, 0.0], a: [0.0; 2] };

    /// Filters one frame.
    #[inline(always)]
    fn step(&self, x: f64, state: &mut [f64; 2]) -> f64 {
        let y = self.b[0] * x + state[0];
        state[0] = self.b[1] * x - self.a[0] * y + state[1];
        state[1] = self.b[2] * x - self.a[1] * y;
        y
    }
}

/// Both shelves of every line, processed in parallel.
#[derive(Debug)]
pub(super) struct Absorption {
    low: [Shelf; LINES],
    high: [Shelf; LINES],
    /// The state of the low and of the high shelf of each line.
    state: [[[f64; 2]; 2]; LINES],
}

impl Absorption {
    /// Creates the shelves for lines of these lengths in frames.
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
            state: [[[0.0; 2]; 2]; LINES],
        }
    }

    /// Filters `count` frames of every line in place. The lines run in parallel, because each filter recurs along the
    /// frames.
    pub fn run<const RUN: usize>(&mut self, rows: &mut [[f32; RUN]; LINES], count: usize) {
        const SIDE: usize = 4;
        for first in (0..LINES).step_by(SIDE) {
            let rows = &mut rows[first..first + SIDE];
            let low: [Shelf; SIDE] = std::array::from_fn(|line| self.low[first + line]);
            let high: [Shelf; SIDE] = std::array::from_fn(|line| self.high[first + line]);
            let mut state: [[[f64; 2]; 2]; SIDE] = std::array::from_fn(|line| self.state[first + line]);
            for at in 0..count {
                for line in 0..SIDE {
                    let [below, above] = &mut state[line];
                    let middle = low[line].step(f64::from(rows[line][at]), below);
                    rows[line][at] = high[line].step(middle, above) as f32;
                }
            }
            for line in 0..SIDE {
                self.state[first + line] = state[line].map(|shelf| shelf.map(decayed));
            }
        }
    }

    pub fn clear(&mut self) {
        self.state = [[[0.0; 2]; 2]; LINES];
    }

    /// Returns a number that identifies these coefficients.
    fn mark(&self) -> f64 {
        let weights = (1..).map(f64::from);
        let numbers = self.low.iter().chain(&self.high).flat_map(|shelf| shelf.b.into_iter().chain(shelf.a));
        numbers.zip(weights).map(|(number, weight)| number * weight).sum()
    }

    /// Appends the number that identifies the coefficients, then the states.
    pub fn give(&self, to: &mut Vec<f64>) {
        to.push(self.mark());
        to.extend(self.state.as_flattened().as_flattened());
    }

    /// Restores states of the same coefficients. Those of others would be audible as a thump and are discarded.
    pub fn take(&mut self, from: &mut Values<'_>) -> Option<()> {
        let mark = from.one()?;
        let states = from.some(4 * LINES)?;
        self.clear();
        if mark == self.mark() {
            self.state.as_flattened_mut().as_flattened_mut().copy_from_slice(states);
        }
        Some(())
    }
}
