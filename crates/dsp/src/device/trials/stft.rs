//! Spectra of windows of 2048 frames, and tiles of 512 rows computed from them.

use std::time::Instant;

use super::exact::window_spectrum;
use super::trial::{Limits, RATE_HZ, Reference, Run, Trial, music, rms_error_db, spread, transform};
use crate::design::{Bank, FrequencyScale};
use crate::gpu::{Engine, Finished};
use crate::kernels::signal::stft::gpu::GpuStft;
use crate::kernels::signal::stft::{Columns, Complex32, KERNEL, Rows, Samples, Spectra, StftPlan, TileRequest, cpu};
use base::error::Result;

const ROWS: usize = 512;

struct Windows {
    samples: Vec<f32>,
    plan: StftPlan,
    rows: Rows,
}

pub(super) fn trial(frames: usize, _channels: usize) -> Result<Box<dyn Trial>> {
    let plan = transform()?;
    let bank = Bank::display(plan.bins_at(RATE_HZ), FrequencyScale::Mel, [20.0, RATE_HZ / 2.0], ROWS)?;
    Ok(Box::new(Windows { samples: music(1, frames), rows: Rows::new(&bank), plan }))
}

fn values(spectra: &Spectra<Complex32>) -> Vec<f32> {
    spectra.values.iter().flat_map(|x| [x.re, x.im]).collect()
}

impl Windows {
    fn windows(&self) -> u64 {
        self.plan.windows(self.samples.len() as u64)
    }

    fn tile(&self) -> TileRequest<'_> {
        let columns = Columns::of_windows(&self.plan, 0, self.windows() as usize);
        TileRequest { plan: &self.plan, rows: &self.rows, columns, samples: Samples::whole(&self.samples) }
    }
}

impl Trial for Windows {
    fn samples(&self) -> u64 {
        self.samples.len() as u64
    }

    /// A transform of `N` real values takes `2.5 N log2 N` operations.
    fn operations(&self) -> f64 {
        let points = self.plan.fft_length() as f64;
        2.5 * points * points.log2() * self.windows() as f64
    }

    fn limits(&self) -> Limits {
        Limits::within(KERNEL.tolerance_db)
    }

    fn group(&self) -> usize {
        2 * self.plan.bins()
    }

    fn on_cpu(&self) -> Result<Run> {
        let samples = Samples::whole(&self.samples);
        Run::timed(|| cpu::spectra(&self.plan, samples, 0..self.windows()), |spectra| values(&spectra))
    }

    fn on_gpu(&self, engine: &mut Engine) -> Result<Run> {
        let gpu = GpuStft::new(&self.plan)?;
        let (spectra, finished) = gpu.spectra(engine, Samples::whole(&self.samples), 0..self.windows(), None)?;
        Ok(Run::finished(values(&spectra), finished))
    }

    fn reference(&self) -> Result<Reference> {
        Ok(Reference::of(spread(self.windows() as usize, 64), |window| {
            window_spectrum(&self.plan, &self.samples, self.plan.start_frame(window as u64)).into_flattened()
        }))
    }

    /// Returns the largest error of a window.
    fn error_db(&self, got: &[f32], expected: &[f64]) -> f64 {
        let windows = got.chunks(self.group()).zip(expected.chunks(self.group()));
        windows.map(|(got, expected)| rms_error_db(got, expected, 0.0)).fold(f64::NEG_INFINITY, f64::max)
    }

    fn time_cpu(&self) -> Result<f64> {
        let started = Instant::now();
        std::hint::black_box(cpu::fine(&self.tile())?);
        Ok(started.elapsed().as_secs_f64())
    }

    fn time_gpu(&self, engine: &mut Engine) -> Result<Finished> {
        Ok(GpuStft::new(&self.plan)?.fine(engine, &self.tile(), None)?.1)
    }
}
