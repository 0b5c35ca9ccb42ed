//! Records reassigned spectrograms on a GPU. The three spectra stay on the device, where `shaders/signal/reassigned.wgsl`
//! moves their energy. Only levels, or their codes, are read back.
//!
//! Sums are integers in steps of 2^-67 (three words of 32 bits), so the same input gives the same picture in whatever
//! order threads add. A cell contributes at most +45 dB re a full-scale sine.

use std::ops::Range;

use super::ReassignedPlan;
use super::cells::Cells;
use super::plan::STILL_DB;
use crate::gpu::shaders::reassigned as shader;
use crate::gpu::{MAX_BINDING_BYTES, Recording, View};
use crate::kernels::signal::stft::gpu::{GpuColumns, GpuStft, SpectraBuffers};
use crate::kernels::signal::stft::{ColumnAnalysis as _, ColumnGrid, Samples, StftPlan};
use base::error::{Error, Result};

/// The maximum number of frames from the first cell to the last, which the shader counts in 31 bits.
const MAX_FRAMES: f64 = (1_u32 << 30) as f64;

/// A plan in the form that the shaders use.
#[derive(Clone, Debug)]
pub struct GpuReassigned {
    plan: ReassignedPlan,
    transforms: [GpuStft; 3],
}

impl GpuReassigned {
    /// Lowers a plan.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the window size is not a power of two. Such windows run on the CPU.
    pub fn new(plan: &ReassignedPlan) -> Result<Self> {
        let [plain, slope, ramp] = plan.transforms();
        let transforms = [GpuStft::new(plain)?, GpuStft::new(slope)?, GpuStft::new(ramp)?];
        Ok(Self { plan: plan.clone(), transforms })
    }
}

impl GpuColumns for GpuReassigned {
    fn rows(&self) -> usize {
        self.plan.rows()
    }

    fn max_columns(&self, grid: &ColumnGrid) -> Result<usize> {
        let in_memory = MAX_BINDING_BYTES as usize / (4 * shader::WORDS as usize * self.rows());
        let in_time = (MAX_FRAMES / grid.frames_each) as usize;
        match in_memory.min(in_time) {
            0 => Err(Error::Limit {
                what: "a column of a reassigned spectrogram on a GPU".to_owned(),
                got: format!("{} rows of {} frames", self.rows(), grid.frames_each),
                limit: format!("{} rows of {MAX_FRAMES} frames", MAX_BINDING_BYTES / 12),
            }),
            most => Ok(most),
        }
    }

    fn record<'r>(
        &'r self,
        recording: &mut Recording<'r>,
        grid: &ColumnGrid,
        samples: Samples<'_>,
        chunk: Range<usize>,
    ) -> View {
        let (rows, bins, size) = (self.plan.rows(), self.plan.transform().bins(), self.plan.transform().spec().size);
        let cells = Cells::new(size, grid, chunk.clone());
        let first_frame = cells.edges[0];
        let from_first = |frame: &i64| ((frame - first_frame) as i32).cast_unsigned();
        let mut words: Vec<u32> = cells.centres.iter().map(from_first).collect();
        let first_edge = words.len() as u32;
        words.extend(cells.edges.iter().map(from_first));
        let first_row_edge = words.len() as u32;
        words.extend(self.plan.edges().iter().map(|edge| edge.to_bits()));
        let first_column = words.len() as u32;
        words.extend(&cells.of_column);
        let places = recording.buffer(words.len() as u64 * 4);
        recording.upload(places, bytemuck::cast_slice(&words).to_vec());
        let params = shader::Params {
            bins: bins as u32,
            rows: rows as u32,
            cells: cells.count() as u32,
            columns: chunk.len() as u32,
            first_edge,
            first_row_edge,
            first_column,
            scale: self.plan.power_scale() as f32,
            still: 10_f64.powf(STILL_DB / 10.0) as f32,
            bins_per_radian: self.plan.bins_per_radian() as f32,
            half_size: (size / 2) as f32,
            share: (1.0 / cells.windows as f64) as f32,
            not_a_number: f32::NAN.to_bits(),
            ..bytemuck::Zeroable::zeroed()
        };
        let groups = |count: usize| [count.div_ceil(shader::WORKGROUP as usize) as u32, 1, 1];

        let words = cells.count() * rows * shader::WORDS as usize;
        let sums = recording.buffer(words as u64 * 4);
        recording.dispatch(shader::Clear { sums }.dispatch(&params, groups(words), words as u64));

        // Batches of windows reuse the same memory for their spectra.
        let at_once = (MAX_BINDING_BYTES as usize / (3 * bins * 8)).clamp(1, cells.centres.len().max(1));
        let spectra = recording.buffer((3 * at_once * bins * 8) as u64);
        let shared = SpectraBuffers::new(recording, &self.transforms[0], at_once);
        let tables = self.transforms.each_ref().map(|transform| transform.tables(recording));
        for (index, centres) in cells.centres.chunks(at_once).enumerate() {
            let starts = centres.iter().map(|&centre| StftPlan::start_of_centre(self.plan.transform(), centre));
            shared.upload(recording, samples, starts, size);
            for (block, (transform, tables)) in self.transforms.iter().zip(tables).enumerate() {
                transform.record_spectra(recording, &shared, tables, centres.len(), (spectra, block * centres.len()));
            }
            let first_window = (index * at_once) as u32;
            let params = shader::Params { windows: centres.len() as u32, first_window, ..params };
            let count = centres.len() * bins;
            let kernel = shader::MoveCells { spectra, places, sums };
            recording.dispatch(kernel.dispatch(&params, groups(count), count as u64));
        }

        let count = chunk.len() * rows;
        let levels = recording.buffer(count as u64 * 4);
        recording.dispatch(shader::LevelsOf { places, sums, levels }.dispatch(&params, groups(count), count as u64));
        levels
    }
}
