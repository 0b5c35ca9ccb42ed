//! Devices and what they were measured to do.

use std::collections::BTreeMap;

use serde::Serialize;
use ts_rs::TS;

use super::export::StageSeconds;
use crate::device::{DeviceReport, DeviceRequest};

/// A device as the panel shows it. Numbers that were not measured are null.
#[derive(Clone, Debug, Serialize, TS)]
pub struct DeviceView {
    /// `cpu` or `gpu:N`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// "Vulkan", "Metal", "DX12", "OpenGL"; "Rust" for the CPU.
    pub backend: String,
    /// Driver and version.
    pub driver: String,
    /// "cpu", "discrete", "integrated", "virtual" or "software".
    pub kind: String,
    /// Capability tier, "full" or "basic"; none for the CPU and for adapters that cannot be used.
    pub tier: Option<String>,
    /// Why it cannot be used.
    pub problem: Option<String>,
    /// Why `auto` does not consider it, though it can be named.
    pub passed_over: Option<String>,
    /// Whether its own clock gave times that cannot be true, so that it was measured from outside.
    pub clock_refused: bool,
    /// Host to device, bytes per second.
    pub upload_bytes_s: Option<f64>,
    /// Device to host, bytes per second.
    pub readback_bytes_s: Option<f64>,
    /// Device memory read and written by a copy kernel, bytes per second.
    pub memory_bytes_s: Option<f64>,
    /// Order-8 cascade, samples per second.
    pub cascade_samples_s: Option<f64>,
    /// FIR filters of 1025 taps, operations per second as the choice of a device counts them.
    pub filter_operations_s: Option<f64>,
    /// Spectra of windows of 2048 frames, points of their transforms per second.
    pub spectra_points_s: Option<f64>,
    /// Limits by name, for reading.
    pub limits: BTreeMap<String, String>,
}

/// All that the device panel shows.
#[derive(Clone, Debug, Serialize, TS)]
pub struct DevicesView {
    /// What the user asks for.
    pub request: DeviceRequest,
    /// The CPU and every adapter.
    pub devices: Vec<DeviceView>,
    /// What previews of the active document run on, and why.
    pub preview: DeviceReport,
    /// What the last spectrogram tile or picture was made on, and why; none before there was one for this request.
    pub spectrogram: Option<DeviceReport>,
    /// What the last job ran on, and why.
    pub last_job: Option<LastJob>,
    /// Buffers taken from the pool again.
    pub pool_hits: u64,
    /// Buffers that had to be made.
    pub pool_misses: u64,
}

/// What the last job ran on.
#[derive(Clone, Debug, Serialize, TS)]
pub struct LastJob {
    /// Where, and why.
    pub device: DeviceReport,
    /// Where the time went.
    pub seconds: StageSeconds,
}
