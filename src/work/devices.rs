//! Devices as a front end shows them.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::device::DeviceEntry;
use base::declared::TS;

/// A device as the panel shows it. Values that were not measured are null.
#[derive(Clone, Debug, Serialize, TS)]
pub struct DeviceView {
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
    /// The capability tier, "full" or "basic"; null for the CPU and for adapters that cannot be used.
    pub tier: Option<String>,
    /// Why it cannot be used.
    pub problem: Option<String>,
    /// Why `auto` does not consider it, although it can be named.
    #[ts(skip)]
    pub passed_over: Option<String>,
    /// Whether the device's timestamps were implausible, so that kernels were timed on the host.
    #[ts(skip)]
    pub clock_refused: bool,
    /// Host to device, bytes per second.
    pub upload_bytes_s: Option<f64>,
    /// Device to host, bytes per second.
    pub readback_bytes_s: Option<f64>,
    /// Device memory read and written by a copy kernel, in bytes per second.
    pub memory_bytes_s: Option<f64>,
    /// Throughput of an order-8 cascade, in samples per second.
    pub cascade_samples_s: Option<f64>,
    /// Throughput of FIR filters of 1025 taps, in operations per second as the cost model counts them.
    pub filter_operations_s: Option<f64>,
    /// Throughput of the products of networks, in operations per second.
    pub product_operations_s: Option<f64>,
    /// Throughput of spectra with windows of 2048 frames, in transform points per second.
    pub spectra_points_s: Option<f64>,
    /// Limits by name, for display.
    #[ts(skip)]
    pub limits: BTreeMap<String, String>,
}

impl From<DeviceEntry> for DeviceView {
    fn from(entry: DeviceEntry) -> Self {
        Self {
            id: entry.id.to_string(),
            name: entry.name,
            backend: entry.backend,
            driver: entry.driver,
            kind: entry.kind,
            tier: entry.tier,
            problem: entry.problem,
            passed_over: entry.passed_over,
            clock_refused: entry.rates.is_some_and(|rates| rates.clock_refused),
            upload_bytes_s: entry.rates.and_then(|rates| rates.upload_bytes_s),
            readback_bytes_s: entry.rates.and_then(|rates| rates.readback_bytes_s),
            memory_bytes_s: entry.rates.map(|rates| rates.memory_bytes_s),
            cascade_samples_s: entry.rates.map(|rates| rates.cascade_samples_s),
            filter_operations_s: entry.rates.map(|rates| rates.filter_operations_s),
            product_operations_s: entry.rates.map(|rates| rates.product_operations_s),
            spectra_points_s: entry.rates.map(|rates| rates.spectra_points_s),
            limits: entry.limits,
        }
    }
}
