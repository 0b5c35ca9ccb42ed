//! Verifies every kernel on a device: its results against the CPU twin and against the definition in f64.

use serde::{Deserialize, Serialize};

use super::bench::copy_rate;
use super::choice::DeviceId;
use super::devices::Devices;
use super::repeat::median;
use super::trials::{CHANNELS, PlanTrial, Reference, TABLE, Trial};
use crate::gpu::Engine;
use crate::kernels::Kernel;
use base::declared::TS;
use base::error::{Error, Result};
use base::lock::lock;
use base::progress::Progress;

/// The usual lengths of the test signals in frames: about a tile of most kernels, some tiles, and several dispatches.
pub const SIZES: [usize; 3] = [4099, 32_769, 262_144];

/// The check of one kernel on a test signal of one length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct KernelCheck {
    /// The kernel's name in [`TABLE`].
    pub kernel: String,
    /// The length of the test signal in frames.
    pub size: usize,
    /// The error in dB: of the device's values relative to the definition in f64, or relative to the CPU twin if that
    /// comes closer to its limit. `None` if the values are equal, or if there are none.
    pub error_db: Option<f64>,
    /// The limit of that error in dB. `None` if the values must be equal.
    pub limit_db: Option<f64>,
    /// Whether all errors are within their limits.
    pub passed: bool,
    /// Why it failed, if it did not run to its end.
    pub problem: Option<String>,
    /// The median time in milliseconds, without transfers.
    pub ms: f64,
    /// The least memory traffic that the kernel needs, in bytes.
    pub bytes: f64,
    /// The approximate number of floating-point operations.
    pub operations: f64,
    /// The least memory traffic in GB/s.
    pub gb_s: f64,
    /// The share of the measured throughput of a memory copy; 1 is all of it.
    pub share: f64,
}

/// Checks every kernel on test signals of the given lengths in frames. Progress counts the checks and names the kernel;
/// `name` is the device's. The device is free for other work between two checks.
///
/// # Errors
/// A kernel that fails is reported in its check.
pub fn verify_kernels(
    devices: &Devices,
    id: DeviceId,
    name: &str,
    sizes: &[usize],
    progress: &Progress,
) -> Result<Vec<KernelCheck>> {
    let engine = match id {
        DeviceId::Cpu => None,
        DeviceId::Gpu(index) => Some(devices.engine(index)?),
    };
    let ceiling = copy_rate(engine.as_deref().map(lock).as_deref_mut(), 0)?;
    let mut checks = Vec::with_capacity(kernel_checks(sizes));
    for (kernel, trial) in TABLE {
        for &size in sizes {
            progress.set_step(format!("{} on {name}", kernel.name));
            let check = match check(kernel, *trial, size, ceiling, engine.as_deref().map(lock).as_deref_mut(), progress)
            {
                Err(Error::Cancelled) => return Err(Error::Cancelled),
                Err(error) => failed(kernel, size, &error),
                Ok(check) => check,
            };
            checks.push(check);
            progress.advance(1)?;
        }
    }
    Ok(checks)
}

/// The number of checks of [`verify_kernels`].
pub fn kernel_checks(sizes: &[usize]) -> usize {
    TABLE.len() * sizes.len()
}

fn check(
    kernel: &Kernel,
    trial: PlanTrial,
    size: usize,
    ceiling: f64,
    engine: Option<&mut Engine>,
    progress: &Progress,
) -> Result<KernelCheck> {
    progress.check()?;
    let trial = trial(size, CHANNELS)?;
    let limits = trial.limits();
    let reference = trial.reference()?;
    progress.check()?;
    let cpu = trial.on_cpu()?.values;
    progress.check()?;
    let against_definition = |values: &[f32]| error_db(trial.as_ref(), &reference, values);
    let (errors, seconds) = match engine {
        None => (vec![(against_definition(&cpu)?, limits.cpu_db)], median(|| trial.time_cpu())?),
        Some(engine) => {
            let gpu = trial.on_gpu(engine)?.values;
            progress.check()?;
            if gpu.len() != cpu.len() {
                return Err(Error::Internal(format!("{} values, the CPU twin has {}", gpu.len(), cpu.len())));
            }
            let twin: Vec<f64> = cpu.iter().map(|&value| f64::from(value)).collect();
            let errors =
                vec![(against_definition(&gpu)?, limits.gpu_db), (trial.error_db(&gpu, &twin), limits.twin_db)];
            // The first run compiles the pipelines and lets the engine choose its submission sizes.
            trial.time_gpu(engine)?;
            progress.check()?;
            (errors, median(|| Ok(trial.time_gpu(engine)?.seconds.kernels))?)
        }
    };
    // The error that comes closest to its limit, or exceeds it the most.
    let margin = |&(error, limit): &(f64, f64)| if error <= limit { limit - error } else { f64::NEG_INFINITY };
    let worst = errors.iter().copied().min_by(|a, b| margin(a).total_cmp(&margin(b)));
    let (error, limit) = worst.unwrap_or((f64::INFINITY, kernel.tolerance_db));
    let bytes = kernel.bytes_per_sample * trial.samples() as f64;
    Ok(KernelCheck {
        kernel: kernel.name.to_owned(),
        size,
        error_db: error.is_finite().then_some(error),
        limit_db: limit.is_finite().then_some(limit),
        passed: errors.iter().all(|(error, limit)| error <= limit),
        problem: (error == f64::INFINITY).then(|| "a value is not finite, or too many differ".to_owned()),
        ms: seconds * 1e3,
        bytes,
        operations: trial.operations(),
        gb_s: bytes / seconds / 1e9,
        share: bytes / seconds / ceiling,
    })
}

fn error_db(trial: &dyn Trial, reference: &Reference, values: &[f32]) -> Result<f64> {
    let width = trial.group();
    let mut chosen = Vec::with_capacity(reference.values.len());
    for &group in &reference.groups {
        let values = values.get(group * width..(group + 1) * width);
        chosen.extend_from_slice(values.ok_or_else(|| Error::Internal(format!("there is no group {group}")))?);
    }
    Ok(trial.error_db(&chosen, &reference.values))
}

fn failed(kernel: &Kernel, size: usize, error: &Error) -> KernelCheck {
    KernelCheck {
        kernel: kernel.name.to_owned(),
        size,
        error_db: None,
        limit_db: kernel.tolerance_db.is_finite().then_some(kernel.tolerance_db),
        passed: false,
        problem: Some(error.to_string()),
        ms: 0.0,
        bytes: 0.0,
        operations: 0.0,
        gb_s: 0.0,
        share: 0.0,
    }
}
