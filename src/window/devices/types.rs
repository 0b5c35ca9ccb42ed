//! Devices and their measured speeds.

use serde::Serialize;

use crate::chain::NodeId;
use crate::chain::cost::NodeCost;
use crate::device::{DeviceReport, DeviceRequest};
use crate::work::devices::DeviceView;
use crate::work::export::StageSeconds;
use base::declared::TS;

/// Magnitude responses for the plot.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ResponseView {
    /// The frequencies in hertz, logarithmically spaced.
    pub frequency_hz: Vec<f64>,
    /// The response of the whole chain in dB; null where it is minus infinity.
    pub chain_db: Vec<Option<f64>>,
    /// The responses of the linear effects in dB.
    pub nodes: Vec<(NodeId, Vec<Option<f64>>)>,
}

/// The cost of each node and the device that the chain runs on.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ChainReport {
    /// The device of previews, and why.
    pub preview: DeviceReport,
    /// The cost of each node.
    pub nodes: Vec<NodeReport>,
    /// The latency of the chain in frames. Playback and export compensate for it.
    pub latency_frames: u64,
}

/// The cost of a node.
#[derive(Clone, Debug, Serialize, TS)]
pub struct NodeReport {
    /// The cost.
    #[serde(flatten)]
    pub cost: NodeCost,
    /// For effects whose gain depends on the level: the static curve, as pairs of input and output level in dB.
    pub transfer_db: Option<Vec<[f64; 2]>>,
}

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
