//! A multi-resolution spectrogram around windows of 2048 frames, on 512 rows.

use super::exact;
use super::trial::{Limits, RATE_HZ, Reference, Run, Trial, columns, level_error_db, music, spread};
use crate::design::{Bank, FrequencyScale, Window};
use crate::gpu::{Engine, Finished};
use crate::kernels::signal::multi_resolution::gpu::GpuMultiResolution;
use crate::kernels::signal::multi_resolution::{KERNEL, MultiResolutionPlan, MultiResolutionSpec, cpu};
use crate::kernels::signal::stft::gpu::GpuColumns;
use crate::kernels::signal::stft::{ColumnAnalysis as _, ColumnGrid, Samples, Spacing, StftPlan, StftSpec};
use base::error::Result;

const SPEC: MultiResolutionSpec = MultiResolutionSpec { window: Window::Hann, size: 2048, padding: 1 };
const SCALE: FrequencyScale = FrequencyScale::Mel;
const SPAN_HZ: [f64; 2] = [20.0, RATE_HZ / 2.0];
const ROWS: usize = 512;
const HOP: usize = 512;

struct Picture {
    samples: Vec<f32>,
    plan: MultiResolutionPlan,
    grid: ColumnGrid,
}

pub(super) fn trial(frames: usize, _channels: usize) -> Result<Box<dyn Trial>> {
    let plan = MultiResolutionPlan::new(SPEC, RATE_HZ, SCALE, SPAN_HZ, ROWS)?;
    let count = 1 + frames / HOP;
    let grid = ColumnGrid { count, first_centre: 0.0, frames_each: HOP as f64, spacing: Spacing::One };
    Ok(Box::new(Picture { samples: music(1, frames), plan, grid }))
}

impl Trial for Picture {
    fn samples(&self) -> u64 {
        self.samples.len() as u64
    }

    /// A transform of `N` real values takes `2.5 N log2 N` operations; [`MultiResolutionPlan::work`] counts
    /// `N log2 N / 11`.
    fn operations(&self) -> f64 {
        2.5 * 11.0 * self.plan.work(&self.grid)
    }

    fn limits(&self) -> Limits {
        Limits::within(KERNEL.tolerance_db)
    }

    fn group(&self) -> usize {
        ROWS
    }

    fn on_cpu(&self) -> Result<Run> {
        let samples = Samples::whole(&self.samples);
        Run::timed(|| cpu::levels(&self.plan, &self.grid, samples), |tile| columns(&tile))
    }

    fn on_gpu(&self, engine: &mut Engine) -> Result<Run> {
        let gpu = GpuMultiResolution::new(&self.plan)?;
        let (tile, finished) = gpu.levels(engine, &self.grid, Samples::whole(&self.samples), None)?;
        Ok(Run::finished(columns(&tile), finished))
    }

    fn reference(&self) -> Result<Reference> {
        let groups = spread(self.grid.count, 8);
        let mut values = Vec::with_capacity(groups.len() * ROWS);
        for &column in &groups {
            values.extend(exact(SPEC, RATE_HZ, (SCALE, SPAN_HZ, ROWS), &self.samples, &self.grid, column)?.0);
        }
        Ok(Reference { groups, values })
    }

    fn error_db(&self, got: &[f32], expected: &[f64]) -> f64 {
        let columns = got.chunks(ROWS).zip(expected.chunks(ROWS));
        columns.map(|(got, expected)| level_error_db(got, expected)).fold(f64::NEG_INFINITY, f64::max)
    }

    fn time_cpu(&self) -> Result<f64> {
        Ok(Run::timed(|| self.plan.fine(&self.grid, Samples::whole(&self.samples), None), |_| Vec::new())?.seconds)
    }

    fn time_gpu(&self, engine: &mut Engine) -> Result<Finished> {
        let gpu = GpuMultiResolution::new(&self.plan)?;
        Ok(gpu.fine(engine, &self.grid, Samples::whole(&self.samples), None)?.1)
    }
}

/// Computes the levels of a column from the definition, and the level of its loudest bin. The levels of all window
/// lengths are cross-faded over an octave around 125 Hz, 500 Hz, 2 kHz and 8 kHz.
pub fn exact(
    spec: MultiResolutionSpec,
    rate_hz: f64,
    (scale, span_hz, rows): (FrequencyScale, [f64; 2], usize),
    samples: &[f32],
    grid: &ColumnGrid,
    column: usize,
) -> Result<(Vec<f64>, f64)> {
    let mut expected = vec![0.0; rows];
    let mut loudest = f64::NEG_INFINITY;
    let edges = scale.spaced(span_hz[0], span_hz[1], rows + 1);
    for (quarters, low_hz, high_hz) in
        [(1, 8000.0, f64::INFINITY), (2, 2000.0, 8000.0), (4, 500.0, 2000.0), (8, 125.0, 500.0), (16, 0.0, 125.0)]
    {
        let size = spec.size * quarters / 4;
        let plan = StftPlan::new(StftSpec { window: spec.window, size, padding: spec.padding, hop: 1 })?;
        let bank = Bank::display(plan.bins_at(rate_hz), scale, span_hz, rows)?;
        let (levels, most) = exact::levels(&plan, &bank, samples, &grid.columns(size as f64), column);
        loudest = loudest.max(most);
        for (row, (expected, level)) in expected.iter_mut().zip(levels).enumerate() {
            let hz = f64::midpoint(edges[row], edges[row + 1]);
            let rise = |border: f64| if border > 0.0 { ((hz / border).log2() + 0.5).clamp(0.0, 1.0) } else { 1.0 };
            *expected += (rise(low_hz) - if high_hz.is_finite() { rise(high_hz) } else { 0.0 }) * level;
        }
    }
    Ok((expected, loudest))
}
