//! The positions of a filter's transforms on the stream's grid on a GPU, and the spectra of its responses.

use std::f64::consts::PI;
use std::sync::Arc;

use transforms::num_complex::Complex64;
use transforms::{Fft, FftPlanner};

use super::super::Strategy;
use crate::gpu::shaders::fir as short;
use crate::kernels::signal::roots::transform_roots;

/// The lengths of transforms through device memory, in complex points.
const LONG: std::ops::RangeInclusive<usize> = 1 << 12..=1 << 15;
/// Transforms within a workgroup are used if each yields at least this many frames.
const MIN_NEW: usize = 1536;
/// The cost per point of moving a transform through device memory, in operations. Each point is written and read twice
/// in each direction.
const THROUGH_MEMORY: f64 = 150.0;

/// The transforms of one unit, the same for every unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grid {
    /// Complex points per transform, which reads twice as many frames.
    pub points: usize,
    /// The number of frames that a transform reads before those whose output it computes.
    pub lead: usize,
    /// Frames per unit.
    pub unit: usize,
    /// The number of frames whose output a transform computes.
    pub step: usize,
    /// Transforms per unit.
    pub stretches: usize,
    /// Parts per response, each as long as a unit; 1 if the responses are not cut.
    pub parts: usize,
}

impl Grid {
    /// Returns the cheapest grid for a shape. `None` if the shape uses no transforms, or if the shaders do not support
    /// the length of its transforms.
    pub fn new(shape: Strategy) -> Option<Self> {
        let unit = shape.unit();
        match shape {
            Strategy::Direct { .. } => None,
            Strategy::Partitions { count, block } => {
                let grid = Self { points: block, lead: block, unit, step: block, stretches: 1, parts: count };
                LONG.contains(&block).then_some(grid)
            }
            Strategy::Pairs { taps, .. } => {
                let of = |points: usize| {
                    let most = (2 * points + 1).checked_sub(taps).filter(|most| *most > 0)?;
                    let stretches = unit.div_ceil(most);
                    let step = unit.div_ceil(stretches);
                    Some(Self { points, lead: taps - 1, unit, step, stretches, parts: 1 })
                };
                let points = short::POINTS as usize;
                let within = of(points).filter(|_| 2 * points + 1 >= taps + MIN_NEW);
                let sizes = LONG.step_by(1 << 12).filter(|points| points.is_power_of_two());
                let long = || sizes.filter_map(of).min_by(|a, b| a.operations().total_cmp(&b.operations()));
                within.or_else(long)
            }
        }
    }

    /// Returns whether a transform fits into a workgroup.
    pub fn is_short(&self) -> bool {
        self.points == short::POINTS as usize && self.parts == 1
    }

    /// Returns the approximate number of operations per sample on a GPU.
    pub fn operations(&self) -> f64 {
        let points = self.points as f64;
        let through = if self.is_short() { 0.0 } else { THROUGH_MEMORY };
        let each = 10.0 * points.log2() + 20.0 + 8.0 * self.parts as f64 + through;
        each * points * self.stretches as f64 / self.unit as f64
    }

    /// Returns the lengths of the two steps of a transform through device memory.
    pub fn steps(&self) -> [usize; 2] {
        let power = self.points.ilog2();
        [1 << (power / 2), 1 << power.div_ceil(2)]
    }

    /// Returns the index at which the shaders store point `k` of a spectrum.
    fn place(&self, k: usize) -> usize {
        if self.is_short() {
            return k;
        }
        let [first, second] = self.steps();
        (k % first) * second + k / first
    }

    /// Returns the roots, then the twists.
    pub fn tables(&self) -> Vec<[f32; 2]> {
        let points = self.points as f64;
        let twists = (0..self.points).map(|n| single(turn(PI * n as f64 / (2.0 * points))));
        transform_roots(self.points).chain(twists).collect()
    }

    /// Appends the spectra of a response's parts to `to`, in the order that the shaders use. They are scaled to
    /// compensate for the gain of a forward and an inverse transform.
    pub fn response(&self, taps: &[f64], transform: &Arc<dyn Fft<f64>>, to: &mut Vec<[f32; 2]>) {
        let length = if self.parts == 1 { 2 * self.points } else { self.unit };
        let mut parts = taps.chunks(length);
        for _ in 0..self.parts {
            let part = parts.next().unwrap_or_default();
            let tap = |n: usize| part.get(n).copied().unwrap_or(0.0) / self.points as f64;
            let mut values: Vec<Complex64> = (0..self.points)
                .map(|n| {
                    let twist = turn(PI * n as f64 / (2.0 * self.points as f64));
                    Complex64::new(tap(n), tap(n + self.points)) * twist
                })
                .collect();
            transform.process(&mut values);
            let first = to.len();
            to.resize(first + self.points, [0.0; 2]);
            for (k, value) in values.into_iter().enumerate() {
                to[first + self.place(k)] = single(value);
            }
        }
    }

    /// Plans the transform for [`Grid::response`].
    pub fn transform(&self) -> Arc<dyn Fft<f64>> {
        FftPlanner::new().plan_fft_forward(self.points)
    }
}

fn turn(angle: f64) -> Complex64 {
    Complex64::from_polar(1.0, angle)
}

fn single(value: Complex64) -> [f32; 2] {
    [value.re as f32, value.im as f32]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_has_a_grid_that_makes_every_frame_of_a_unit_once() {
        for taps in (65..300_000).step_by(613) {
            let shape = Strategy::new(taps);
            let grid = Grid::new(shape).unwrap_or_else(|| panic!("{taps}: {shape:?}"));
            assert!(
                grid.step * grid.stretches >= grid.unit && grid.step * (grid.stretches - 1) < grid.unit,
                "{grid:?}"
            );
            // The wrap-around falls before the frames whose output a transform computes, and these fit into the
            // transform.
            let part = if grid.parts == 1 { taps } else { grid.unit };
            assert!(grid.lead + 1 >= part && grid.lead + grid.step <= 2 * grid.points, "{taps}: {grid:?}");
            assert!(grid.parts == 1 || grid.parts * grid.unit >= taps, "{taps}: {grid:?}");
            let [first, second] = grid.steps();
            assert_eq!(first * second, grid.points);
            assert!(grid.is_short() || (first >= 32 && second <= 2048), "{grid:?}");
        }
        assert_eq!(Grid::new(Strategy::new(64)), None);
        assert!(Grid::new(Strategy::new(1025)).is_some_and(|grid| grid.is_short()));
        assert!(Grid::new(Strategy::new(9000)).is_some_and(|grid| !grid.is_short() && grid.parts == 1));
    }
}
