//! Benchmarks each kernel on each device: how long it takes, and how close it comes to the memory bandwidth. The
//! figures of a software adapter are not meaningful; [`BenchRow::kind`] marks them.

mod powers;
mod tones;

use std::time::{Duration, Instant};

use super::choice::DeviceId;
use super::devices::Devices;
use super::filters::Filter;
use super::measure::{copy_seconds, median};
use crate::audio::AudioBuffer;
use crate::design::{Bank, FrequencyScale, Warped, Window, butterworth_lowpass};
use crate::error::{Error, Result};
use crate::gpu::Engine;
use crate::kernels::constant_q::gpu::GpuConstantQ;
use crate::kernels::constant_q::{self, ConstantQPlan, ConstantQSpec};
use crate::kernels::iir_cascade::gpu::GpuPlan;
use crate::kernels::iir_cascade::{Cascade, CascadeState, cpu};
use crate::kernels::istft::gpu::GpuIstft;
use crate::kernels::istft::{self, IstftPlan};
use crate::kernels::multi_resolution::gpu::GpuMultiResolution;
use crate::kernels::multi_resolution::{self, MultiResolutionPlan, MultiResolutionSpec};
use crate::kernels::reassigned::gpu::GpuReassigned;
use crate::kernels::reassigned::{self, ReassignedPlan, ReassignedSpec};
use crate::kernels::resident::Chunk;
use crate::kernels::stft::gpu::{GpuColumns, GpuStft};
use crate::kernels::stft::{
    self, ColumnGrid, Columns, Complex32, Rows, Samples, Spacing, Spectra, StftPlan, StftSpec, TileRequest,
};
use crate::kernels::{Kernel, TABLE, mix, peak};
use powers::Powers;
use tones::Tones;

/// The benchmark of one kernel on one device.
#[derive(Clone, Debug, PartialEq)]
pub struct BenchRow {
    /// The kernel's name in [`TABLE`].
    pub kernel: &'static str,
    /// The device.
    pub device: DeviceId,
    /// The device's name.
    pub name: String,
    /// "cpu", "discrete", "integrated", "virtual" or "software".
    pub kind: String,
    /// The number of samples processed, over all channels.
    pub samples: u64,
    /// The median time of several runs in seconds, each until the device had finished.
    pub seconds: f64,
    /// The least memory traffic that the kernel needs, in bytes per second.
    pub bytes_per_second: f64,
    /// The measured throughput of a memory copy on this device, reads and writes together, in bytes per second.
    pub ceiling_bytes_per_second: f64,
}

impl BenchRow {
    /// Returns the achieved share of the measured ceiling; 1 is all of it.
    pub fn share(&self) -> f64 {
        self.bytes_per_second / self.ceiling_bytes_per_second
    }
}

const CHANNELS: usize = 2;

/// Benchmarks every kernel of the table on a device, with `frames` stereo frames.
///
/// # Errors
/// Returns [`Error::GpuUnavailable`] if there is no such device, and any error that keeps an adapter from working.
pub fn bench(devices: &Devices, id: DeviceId, frames: usize) -> Result<Vec<BenchRow>> {
    let entry = devices
        .list()
        .into_iter()
        .find(|entry| entry.id == id)
        .ok_or_else(|| Error::GpuUnavailable(format!("there is no {id}")))?;
    let wave = |n: usize| ((n % 97) as f32 - 48.0) / 97.0;
    let audio = AudioBuffer::from_channels(vec![(0..frames).map(wave).collect(); CHANNELS]);
    let cutoff = Warped::new(1000.0, 48e3).ok_or_else(|| Error::Internal("1 kHz at 48 kHz".to_owned()))?;
    let cascade = Cascade::new(&butterworth_lowpass(8, cutoff));
    let samples = (CHANNELS * frames) as u64;
    let engine = match id {
        DeviceId::Cpu => None,
        DeviceId::Gpu(index) => Some(devices.engine(index)?),
    };
    let mut engine = engine.as_ref().map(|engine| engine.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    let ceiling = match engine.as_deref_mut() {
        None => {
            let rates = copy_seconds();
            // Read and written, over the signal that `copy_seconds` uses.
            (2 * CHANNELS * 4 * (1 << 20)) as f64 / rates
        }
        Some(engine) => 8.0 * samples as f64 / gpu_seconds(engine, "copy", &cascade, &audio)?,
    };
    TABLE
        .iter()
        .map(|kernel: &Kernel| {
            let seconds = match engine.as_deref_mut() {
                None => cpu_seconds(kernel.name, &cascade, &audio)?,
                Some(engine) => gpu_seconds(engine, kernel.name, &cascade, &audio)?,
            };
            // The CPU's cascade reads and writes each sample once.
            let once = id == DeviceId::Cpu && kernel.name == "iir_cascade";
            let bytes = if once { 8.0 } else { kernel.bytes_per_sample };
            Ok(BenchRow {
                kernel: kernel.name,
                device: id,
                name: entry.name.clone(),
                kind: entry.kind.clone(),
                samples,
                seconds,
                bytes_per_second: bytes * samples as f64 / seconds,
                ceiling_bytes_per_second: ceiling,
            })
        })
        .collect()
}

/// The input and plans for benchmarking spectral kernels: windows of 2048 frames, a hop of 512, 512 rows on the mel
/// scale, one channel.
struct Spectral<'a> {
    samples: Samples<'a>,
    plan: StftPlan,
    inverse: IstftPlan,
    rows: Rows,
    columns: Columns,
    spectra: Spectra<Complex32>,
    grid: ColumnGrid,
    multi_resolution: MultiResolutionPlan,
    reassigned: ReassignedPlan,
    constant_q: ConstantQPlan,
}

/// The kernels that are benchmarked on spectra.
const SPECTRAL: [&str; 5] = ["constant_q", "istft", "multi_resolution", "reassigned", "stft"];

impl<'a> Spectral<'a> {
    fn new(samples: &'a [f32]) -> Result<Self> {
        let plan = StftPlan::new(StftSpec { window: Window::Hann, size: 2048, padding: 1, hop: 512 })?;
        let windows = plan.windows_to_invert(samples.len() as u64);
        let (scale, span_hz, count) = (FrequencyScale::Mel, [20.0, 24e3], 512);
        let bank = Bank::display(plan.bins_at(48e3), scale, span_hz, count)?;
        let samples = Samples::whole(samples);
        let StftSpec { window, size, padding, hop } = plan.spec();
        let constant_q = ConstantQSpec { window, bins_per_octave: 36, low_hz: 20.0 };
        Ok(Self {
            samples,
            grid: ColumnGrid {
                count: windows as usize,
                first_centre: 0.0,
                frames_each: hop as f64,
                spacing: Spacing::One,
            },
            multi_resolution: MultiResolutionPlan::new(
                MultiResolutionSpec { window, size, padding },
                48e3,
                scale,
                span_hz,
                count,
            )?,
            reassigned: ReassignedPlan::new(ReassignedSpec { window, size, padding }, 48e3, scale, span_hz, count)?,
            constant_q: ConstantQPlan::new(constant_q, 48e3, scale, span_hz, count)?,
            inverse: IstftPlan::new(&plan)?,
            rows: Rows::new(&bank),
            columns: Columns::of_windows(&plan, 0, windows as usize),
            spectra: stft::cpu::spectra(&plan, samples, 0..windows)?,
            plan,
        })
    }

    fn tile(&self) -> TileRequest<'_> {
        TileRequest { plan: &self.plan, rows: &self.rows, columns: self.columns, samples: self.samples }
    }

    fn cpu_seconds(&self, kernel: &str) -> Result<f64> {
        median(|| {
            let started = Instant::now();
            let (grid, samples) = (&self.grid, self.samples);
            let tile = match kernel {
                "constant_q" => constant_q::cpu::fine(&self.constant_q, grid, samples, None)?,
                "multi_resolution" => multi_resolution::cpu::fine(&self.multi_resolution, grid, samples)?,
                "reassigned" => reassigned::cpu::fine(&self.reassigned, grid, samples, None)?,
                "stft" => stft::cpu::fine(&self.tile())?,
                _ => {
                    let frames = samples.samples.len();
                    std::hint::black_box(istft::cpu::samples(&self.inverse, &self.spectra, frames)?);
                    return Ok(started.elapsed().as_secs_f64());
                }
            };
            std::hint::black_box(tile);
            Ok(started.elapsed().as_secs_f64())
        })
    }

    fn gpu_seconds(&self, engine: &mut Engine, kernel: &str) -> Result<f64> {
        let (forward, inverse) = (GpuStft::new(&self.plan)?, GpuIstft::new(&self.inverse)?);
        let multi_resolution = GpuMultiResolution::new(&self.multi_resolution)?;
        let reassigned = GpuReassigned::new(&self.reassigned)?;
        let constant_q = GpuConstantQ::new(&self.constant_q);
        let (grid, samples) = (&self.grid, self.samples);
        let mut once = || {
            let finished = match kernel {
                "constant_q" => constant_q.fine(engine, grid, samples, None)?.1,
                "multi_resolution" => multi_resolution.fine(engine, grid, samples, None)?.1,
                "reassigned" => reassigned.fine(engine, grid, samples, None)?.1,
                "stft" => forward.fine(engine, &self.tile(), None)?.1,
                _ => inverse.samples(engine, &self.spectra, samples.samples.len(), None)?.1,
            };
            Ok(finished.seconds.kernels)
        };
        // The first run compiles the pipelines and lets the engine choose its submission sizes.
        once()?;
        median(once)
    }
}

/// The power spectra of one channel, with a hop of 512 (four windows over each frame), for the kernels that take power
/// spectra.
fn powers(audio: &AudioBuffer) -> Result<Powers> {
    let plan = StftPlan::new(StftSpec { window: Window::Hann, size: 2048, padding: 1, hop: 512 })?;
    Powers::new(&plan, Samples::whole(audio.channel(0)))
}

fn cpu_seconds(kernel: &str, cascade: &Cascade, audio: &AudioBuffer) -> Result<f64> {
    if powers::KERNELS.contains(&kernel) {
        return Ok(CHANNELS as f64 * powers(audio)?.cpu_seconds(kernel)?);
    }
    if tones::KERNELS.contains(&kernel) {
        return Ok(CHANNELS as f64 * Tones::new(audio.channel(0))?.cpu_seconds(kernel)?);
    }
    if SPECTRAL.contains(&kernel) {
        return Ok(CHANNELS as f64 * Spectral::new(audio.channel(0))?.cpu_seconds(kernel)?);
    }
    if kernel == "fir" {
        return Filter::new(audio)?.cpu_seconds();
    }
    let mut state = CascadeState::new(CHANNELS, cascade.len());
    let mut block = audio.clone();
    median(|| {
        let started = Instant::now();
        match kernel {
            "iir_cascade" => cpu::run(cascade, &mut state, &mut block)?,
            "mix" => block.iter_mut().zip(audio.iter()).for_each(|(y, x)| mix::mix(x, 0.5, y, 0.5)),
            "peak" => {
                std::hint::black_box(audio.iter().map(peak::peak).fold(0.0, f32::max));
            }
            other => return Err(Error::Internal(format!("no bench of {other}"))),
        }
        Ok(started.elapsed().as_secs_f64())
    })
}

fn gpu_seconds(engine: &mut Engine, kernel: &str, cascade: &Cascade, audio: &AudioBuffer) -> Result<f64> {
    if powers::KERNELS.contains(&kernel) {
        return Ok(CHANNELS as f64 * powers(audio)?.gpu_seconds(engine, kernel)?);
    }
    if tones::KERNELS.contains(&kernel) {
        return Ok(CHANNELS as f64 * Tones::new(audio.channel(0))?.gpu_seconds(engine, kernel)?);
    }
    if SPECTRAL.contains(&kernel) {
        return Ok(CHANNELS as f64 * Spectral::new(audio.channel(0))?.gpu_seconds(engine, kernel)?);
    }
    if kernel == "fir" {
        return Filter::new(audio)?.gpu_seconds(engine, Duration::ZERO);
    }
    let plan = GpuPlan::new(cascade);
    let state = CascadeState::new(CHANNELS, cascade.len());
    let mut once = || {
        let mut chunk = Chunk::new();
        let input = chunk.upload(audio)?;
        match kernel {
            "iir_cascade" => {
                chunk.cascade(&plan, &state, input)?;
            }
            "mix" => {
                chunk.mix(input, &[0.5; CHANNELS], input, &[0.5; CHANNELS])?;
            }
            "peak" => {
                chunk.peak(input);
            }
            "copy" => {
                chunk.gain(input, &[1.0; CHANNELS])?;
            }
            other => return Err(Error::Internal(format!("no bench of {other}"))),
        }
        Ok(chunk.run(engine, None)?.finished.seconds.kernels)
    };
    // The first run compiles the pipelines and lets the engine choose its submission sizes.
    once()?;
    median(once)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_is_timed() {
        let rows = bench(&Devices::new(None), DeviceId::Cpu, 1 << 15).unwrap();
        let names: Vec<&str> = rows.iter().map(|row| row.kernel).collect();
        assert_eq!(names, TABLE.iter().map(|kernel| kernel.name).collect::<Vec<_>>());
        assert!(rows.iter().all(|row| row.seconds > 0.0 && row.share() > 0.0), "{rows:?}");
    }
}
