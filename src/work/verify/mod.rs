//! Verifies devices: every kernel against its CPU twin and the definition in f64, and whole jobs against the CPU.
//!
//! ```text
//! adapter -> kernels (device::verify_kernels) -> jobs (chain, FIR, spectrogram, features, batch) -> Verification
//! ```

mod jobs;
mod markdown;
mod report;

pub use report::ReportFile;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::device::{DeviceEntry, DeviceId, Devices, KernelCheck, kernel_checks, verify_kernels};
use crate::error::{Error, Result};
use crate::progress::Progress;
use base::declared::TS;

/// The verification of this machine's devices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verification {
    /// The program's version.
    pub version: String,
    /// The operating system and architecture, such as `linux x86_64`.
    pub system: String,
    /// The devices, the CPU first.
    pub adapters: Vec<AdapterCheck>,
}

/// The verification of one device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct AdapterCheck {
    /// `cpu` or `gpu:N`.
    pub id: String,
    /// The device's name.
    pub name: String,
    /// "Vulkan", "Metal", "DX12", "OpenGL"; "Rust" for the CPU.
    pub backend: String,
    /// The driver and its version.
    pub driver: String,
    /// "cpu", "discrete", "integrated", "virtual" or "software".
    pub kind: String,
    /// Why the program cannot use this device on any such machine and left it out; `None` if it can.
    pub left_out: Option<String>,
    /// Why it could not be verified, although it can be used.
    pub problem: Option<String>,
    /// Every kernel at every size.
    pub kernels: Vec<KernelCheck>,
    /// Whole jobs; none for the CPU, with which the others are compared.
    pub jobs: Vec<JobCheck>,
}

/// The check of one whole job on a GPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct JobCheck {
    /// The job's name.
    pub job: String,
    /// Whether the GPU ran it and its result equals the CPU's within the limit.
    pub passed: bool,
    /// Why it failed.
    pub problem: Option<String>,
    /// The largest difference from the CPU's result, in the unit of the limit.
    pub difference: f64,
    /// The limit of the difference.
    pub limit: f64,
    /// The unit of both: "dB" of the residual relative to the signal, "dB" of levels, or "of the value".
    pub unit: String,
    /// Wall time on the CPU in seconds.
    pub cpu_s: f64,
    /// Wall time on the GPU in seconds, transfers included.
    pub gpu_s: f64,
}

impl Verification {
    /// Returns whether every kernel and every job passed on every device that can be used.
    pub fn passed(&self) -> bool {
        self.adapters.iter().all(AdapterCheck::passed)
    }

    /// Formats the verification as a report in Markdown.
    pub fn to_markdown(&self) -> String {
        markdown::report(self)
    }
}

impl AdapterCheck {
    /// Returns whether everything passed.
    pub fn passed(&self) -> bool {
        self.problem.is_none()
            && self.kernels.iter().all(|check| check.passed)
            && self.jobs.iter().all(|check| check.passed)
    }
}

/// Verifies some devices of this machine, with kernels on test signals of the given lengths in frames, usually
/// [`VERIFIED_SIZES`](crate::device::VERIFIED_SIZES). Progress counts checks and names each.
///
/// # Errors
/// A device that fails is not an error; the report states it.
pub fn verify(
    devices: &Arc<Devices>,
    wanted: &[DeviceId],
    sizes: &[usize],
    progress: &Progress,
) -> Result<Verification> {
    let entries: Vec<DeviceEntry> = devices.list().into_iter().filter(|entry| wanted.contains(&entry.id)).collect();
    let checks = |entry: &DeviceEntry| match entry.id {
        _ if entry.problem.is_some() => 0,
        DeviceId::Cpu => kernel_checks(sizes),
        DeviceId::Gpu(_) => kernel_checks(sizes) + jobs::ALL.len(),
    };
    progress.set_total(entries.iter().map(|entry| checks(entry) as u64).sum());
    let mut adapters = Vec::new();
    for entry in entries {
        let mut adapter = AdapterCheck {
            id: entry.id.to_string(),
            name: entry.name,
            backend: entry.backend,
            driver: entry.driver,
            kind: entry.kind,
            left_out: entry.problem,
            problem: None,
            kernels: Vec::new(),
            jobs: Vec::new(),
        };
        if adapter.left_out.is_none() {
            match verify_kernels(devices, entry.id, &adapter.name, sizes, progress) {
                Ok(kernels) => adapter.kernels = kernels,
                Err(Error::Cancelled) => return Err(Error::Cancelled),
                Err(error) => adapter.problem = Some(error.to_string()),
            }
        }
        if adapter.left_out.is_none() && adapter.problem.is_none() && entry.id != DeviceId::Cpu {
            adapter.jobs = jobs::run(devices, entry.id, &adapter.name, progress)?;
        }
        adapters.push(adapter);
    }
    Ok(Verification {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        adapters,
    })
}
