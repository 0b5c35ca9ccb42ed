//! Benchmarks each kernel on each device: how long it takes, and how close it comes to the memory bandwidth. The
//! figures of a software adapter are not meaningful; [`BenchRow::kind`] marks them.

use super::choice::DeviceId;
use super::devices::Devices;
use super::measure::copy_seconds;
use super::repeat::median;
use crate::audio::AudioBuffer;
use crate::error::{Error, Result};
use crate::gpu::Engine;
use crate::kernels::TABLE;
use crate::kernels::resident::Chunk;
use crate::lock::lock;

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
    /// The approximate number of floating-point operations.
    pub operations: f64,
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

/// Frames of the signal by which the throughput of a memory copy is measured, and its channels.
const COPY_FRAMES: usize = 1 << 20;
const CHANNELS: usize = 2;

/// Benchmarks every kernel of the table on a device, with a test signal of `frames` frames.
///
/// # Errors
/// Returns [`Error::GpuUnavailable`] if there is no such device, and any error that keeps an adapter from working.
pub fn bench(devices: &Devices, id: DeviceId, frames: usize) -> Result<Vec<BenchRow>> {
    let entry = devices
        .list()
        .into_iter()
        .find(|entry| entry.id == id)
        .ok_or_else(|| Error::GpuUnavailable(format!("There is no {id}")))?;
    let engine = match id {
        DeviceId::Cpu => None,
        DeviceId::Gpu(index) => Some(devices.engine(index)?),
    };
    let mut engine = engine.as_ref().map(|engine| lock(engine));
    let ceiling = copy_rate(engine.as_deref_mut())?;
    TABLE
        .iter()
        .map(|kernel| {
            let trial = (kernel.trial)(frames)?;
            let seconds = match engine.as_deref_mut() {
                None => median(|| trial.time_cpu())?,
                Some(engine) => {
                    // The first run compiles the pipelines and lets the engine choose its submission sizes.
                    trial.time_gpu(engine)?;
                    median(|| trial.time_gpu(engine))?
                }
            };
            // The CPU's cascade reads and writes each sample once.
            let once = id == DeviceId::Cpu && kernel.name == "iir_cascade";
            let bytes = if once { 8.0 } else { kernel.bytes_per_sample };
            Ok(BenchRow {
                kernel: kernel.name,
                device: id,
                name: entry.name.clone(),
                kind: entry.kind.clone(),
                samples: trial.samples(),
                operations: trial.operations(),
                seconds,
                bytes_per_second: bytes * trial.samples() as f64 / seconds,
                ceiling_bytes_per_second: ceiling,
            })
        })
        .collect()
}

/// Returns the throughput of a memory copy in bytes per second, reads and writes together.
pub(super) fn copy_rate(engine: Option<&mut Engine>) -> Result<f64> {
    let bytes = (2 * 4 * CHANNELS * COPY_FRAMES) as f64;
    let Some(engine) = engine else { return Ok(bytes / copy_seconds()) };
    let audio = AudioBuffer::from_channels(vec![vec![0.25; COPY_FRAMES]; CHANNELS]);
    let mut once = || {
        let mut chunk = Chunk::new();
        let input = chunk.upload(&audio)?;
        chunk.gain(input, &[1.0; CHANNELS])?;
        Ok(chunk.run(engine, None)?.finished.seconds.kernels)
    };
    once()?;
    Ok(bytes / median(once)?)
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
