//! Low-frequency oscillators. Their phase depends only on the frame of the stream, so that jumps and block sizes do not
//! affect it.

use std::f64::consts::TAU;

use crate::{Arguments, PLAIN, Parameter, ParameterKind, Scale, Unit};
use base::error::Result;

/// Frames between computed sines. In between, the sine is rotated.
const GRID: usize = 32;

/// The waveform of a cycle, from -1 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `sin`: from 0 upwards.
    Sine,
    /// Straight from 0 up to 1, down to -1 and back to 0.
    Triangle,
    /// 1 for the first half, -1 for the second. The edges take [`EDGE`] of the cycle and have the shape of a raised
    /// cosine.
    Square,
    /// Falls from 1 to -1 and returns within [`EDGE`] of the cycle.
    Saw,
}

/// The share of a cycle that an edge takes.
const EDGE: f64 = 0.02;

/// The names of the shapes in the notation.
const SHAPES: &[&str] = &["sine", "triangle", "square", "saw"];

impl Shape {
    /// Reads the shape from the checked argument `shape`.
    pub fn of(arguments: &Arguments) -> Result<Self> {
        Ok(match arguments.checked_text("shape")? {
            "triangle" => Self::Triangle,
            "square" => Self::Square,
            "saw" => Self::Saw,
            _ => Self::Sine,
        })
    }

    /// Returns the value at a position in the cycle, 0..1.
    fn at(self, cycle: f64) -> f64 {
        match self {
            Self::Sine => (TAU * cycle).sin(),
            Self::Triangle => 1.0 - 4.0 * ((cycle + 0.25).fract() - 0.5).abs(),
            Self::Square => {
                // The edges are centred on 0 and on one half.
                let edge = |distance: f64| (std::f64::consts::PI * (distance / EDGE).clamp(-0.5, 0.5)).sin();
                if (0.25..0.75).contains(&cycle) { -edge(cycle - 0.5) } else { edge((cycle + 0.5).fract() - 0.5) }
            }
            Self::Saw => {
                let fall = 1.0 - EDGE;
                if cycle < fall {
                    1.0 - 2.0 * cycle / fall
                } else {
                    -(std::f64::consts::PI * (cycle - fall) / EDGE).cos()
                }
            }
        }
    }

    /// Returns the position in the cycle at which the waveform reaches its maximum.
    pub fn top(self) -> f64 {
        match self {
            Self::Sine | Self::Triangle => 0.25,
            Self::Square => 0.5 * EDGE,
            Self::Saw => 0.0,
        }
    }

    /// Returns the steepest slope per cycle, for the smooth shapes.
    pub fn steepest(self) -> f64 {
        if self == Self::Sine { TAU } else { 4.0 }
    }
}

/// A low-frequency oscillator.
#[derive(Clone, Debug)]
pub(crate) struct Lfo {
    shape: Shape,
    /// Cycles per frame.
    increment: f64,
    /// Sine and cosine of the rotation by each step within a grid interval.
    rotations: [(f64, f64); GRID],
}

impl Lfo {
    pub fn new(shape: Shape, hz: f64, rate: f64) -> Self {
        let increment = hz / rate;
        Self { shape, increment, rotations: std::array::from_fn(|k| (TAU * increment * k as f64).sin_cos()) }
    }

    fn cycle(&self, frame: i64, phase: f64) -> f64 {
        let cycle = (frame as f64 * self.increment + phase).rem_euclid(1.0);
        // Rounding may yield a whole cycle.
        if cycle < 1.0 { cycle } else { 0.0 }
    }

    /// Fills `out` with the values from `frame` of the stream on, `phase` cycles ahead.
    pub fn fill(&self, frame: i64, phase: f64, out: &mut [f64]) {
        if self.shape != Shape::Sine {
            for (index, value) in out.iter_mut().enumerate() {
                *value = self.shape.at(self.cycle(frame + index as i64, phase));
            }
            return;
        }
        let grid = GRID as i64;
        let mut at = 0;
        while at < out.len() {
            let here = frame + at as i64;
            let first = here.rem_euclid(grid) as usize;
            let end = out.len().min(at + GRID - first);
            let (sin, cos) = (TAU * self.cycle(here - first as i64, phase)).sin_cos();
            for (value, (s, c)) in out[at..end].iter_mut().zip(&self.rotations[first..]) {
                *value = sin * c + cos * s;
            }
            at = end;
        }
    }
}

/// A parameter for the rate: cycles per second, or a note.
pub(crate) const fn rate(min: f64, max: f64, initial: f64) -> Parameter {
    Parameter {
        name: "rate",
        title: "Rate",
        help: "Cycles per second, or one cycle per note: 1/4, dotted 1/4d, triplet 1/4t.",
        kind: ParameterKind::NumberOrNote {
            unit: Unit::Hz,
            min,
            max,
            default: Some(initial),
            initial,
            scale: Scale::Log,
        },
        ..PLAIN
    }
    .travels(if min > 0.05 { min } else { 0.05 }, 20.0)
}

/// A parameter for the waveform, smooth or with edges.
pub(crate) const SHAPE: Parameter = Parameter {
    name: "shape",
    title: "Shape",
    help: "Waveform of the modulation.",
    kind: ParameterKind::Choice { options: SHAPES, default: "sine" },
    ..PLAIN
};

/// A parameter for the waveform of a modulated delay, which must not jump.
pub(crate) const SMOOTH_SHAPE: Parameter = Parameter {
    name: "shape",
    title: "Shape",
    help: "Waveform of the modulation.",
    kind: ParameterKind::Choice { options: &["sine", "triangle"], default: "sine" },
    ..PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sine_is_the_same_wherever_a_block_begins() {
        let lfo = Lfo::new(Shape::Sine, 0.7, 48_000.0);
        let mut whole = vec![0.0; 1000];
        lfo.fill(-333, 0.2, &mut whole);
        for (at, count) in [(0, 1), (1, 63), (64, 32), (500, 500)] {
            let mut part = vec![0.0; count];
            lfo.fill(-333 + at as i64, 0.2, &mut part);
            assert_eq!(part, whole[at..at + count]);
        }
        for (index, value) in whole.iter().enumerate() {
            let exact = (TAU * ((index as f64 - 333.0) * 0.7 / 48_000.0 + 0.2)).sin();
            assert!((value - exact).abs() < 1e-12, "{index}: {value} for {exact}");
        }
    }

    #[test]
    fn shapes_go_from_minus_one_to_one_without_a_jump() {
        for (shape, begin) in [(Shape::Sine, 0.0), (Shape::Triangle, 0.0), (Shape::Square, 0.0), (Shape::Saw, 1.0)] {
            let cycle: Vec<f64> = (0..10_000).map(|n| shape.at(n as f64 / 10_000.0)).collect();
            assert!((cycle[0] - begin).abs() < 1e-12, "{shape:?} begins at {}", cycle[0]);
            let (least, most) = cycle.iter().fold((1.0f64, -1.0f64), |(a, b), v| (a.min(*v), b.max(*v)));
            assert!((least + 1.0).abs() < 1e-3 && (most - 1.0).abs() < 1e-3, "{shape:?}: {least} to {most}");
            let step = (0..10_000).map(|n| (cycle[(n + 1) % 10_000] - cycle[n]).abs()).fold(0.0, f64::max);
            assert!(step < 0.02, "{shape:?} jumps by {step}");
        }
    }
}
