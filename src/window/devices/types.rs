//! Devices and their measured speeds.

use serde::Serialize;

use crate::device::{DeviceReport, DeviceRequest};
use crate::work::devices::DeviceView;
use crate::work::export::StageSeconds;
use base::declared::TS;

/// The contents of the device panel.
#[derive(Clone, Debug, Serialize, TS)]
pub struct DevicesView {
    /// The device that the user requested.
    pub request: DeviceRequest,
    /// The CPU and every adapter.
    pub devices: Vec<DeviceView>,
    /// The device of previews of the active document, and why.
    pub preview: DeviceReport,
    /// The device of the last spectrogram tile or picture, and why; null if there was none for this request.
    pub spectrogram: Option<DeviceReport>,
    /// The device and timings of the last job.
    pub last_job: Option<(DeviceReport, StageSeconds)>,
    /// The number of GPU buffers that were reused.
    pub pool_hits: u64,
    /// The number of GPU buffers that were created.
    pub pool_misses: u64,
}
