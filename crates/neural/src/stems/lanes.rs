//! The devices on which several recordings are split at the same time.

use super::Separation;
use dsp::device::Placement;
use dsp::device::{DeviceReport, DeviceRequest};

/// The channels and the length in seconds assumed when a device is chosen before a recording is opened.
pub const USUAL_RECORDING: (usize, f64) = (2, 180.0);

impl Separation {
    /// Returns a placement for each device that works on separate recordings, at least one, and notices about requested
    /// devices that cannot be used. For a network, these are the usable requested devices, or all GPUs equal to the one
    /// that `auto` or `gpu` chooses. The quick split uses the whole CPU for each recording.
    pub fn lanes(&self, placement: &Placement) -> (Vec<Placement>, Vec<String>) {
        let alone = || vec![placement.clone()];
        if !matches!(self, Self::Network { .. }) {
            return (alone(), Vec::new());
        }
        let parts = match &placement.request {
            DeviceRequest::Several(parts) => parts.clone(),
            DeviceRequest::Auto | DeviceRequest::Gpu => {
                match self.device(USUAL_RECORDING.0, USUAL_RECORDING.1, placement) {
                    Ok(report) => placement.devices.alike(&report.used),
                    Err(_) => Vec::new(),
                }
            }
            _ => Vec::new(),
        };
        if parts.is_empty() {
            return (alone(), Vec::new());
        }
        let (mut lanes, mut used, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            let lane = Placement { request: part.clone(), ..placement.clone() };
            match self.device(USUAL_RECORDING.0, USUAL_RECORDING.1, &lane) {
                Ok(DeviceReport { fallback: true, reason, .. }) => {
                    refused.push(format!("{part} is not used: {reason}"));
                }
                Ok(report) if used.contains(&report.used) => {}
                Ok(report) => {
                    used.push(report.used);
                    lanes.push(lane);
                }
                Err(error) => refused.push(format!("{part} is not used: {error}")),
            }
        }
        // A single device is returned as it was requested.
        let is_one = lanes.len() < 2 && !matches!(placement.request, DeviceRequest::Several(_));
        if lanes.is_empty() || is_one {
            return (alone(), refused);
        }
        // The one that a single recording would take comes first.
        if let Ok(report) = self.device(USUAL_RECORDING.0, USUAL_RECORDING.1, placement)
            && let Some(first) = used.iter().position(|used| *used == report.used)
        {
            lanes.swap(0, first);
        }
        (lanes, refused)
    }
}
