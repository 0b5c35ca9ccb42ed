//! Where a job runs.

use std::sync::Arc;

use super::{ChosenDevice, DeviceJob, DeviceRequest, Devices, RunPurpose, Workload};
use base::error::Result;

/// The requested device, the purpose, and the available devices.
#[derive(Clone, Debug)]
pub struct Placement {
    /// The devices of this machine.
    pub devices: Arc<Devices>,
    /// The requested device.
    pub request: DeviceRequest,
    /// The purpose of the renderer.
    pub purpose: RunPurpose,
    /// The length of the whole stream in frames, if known and finite. A short stream is not worth starting a GPU for.
    pub frames: Option<u64>,
    /// Whether this is one of several concurrent jobs that share the devices, such as the files of a batch.
    pub shares: bool,
}

impl Placement {
    /// A placement on one of `devices` according to `request`.
    pub fn new(request: DeviceRequest, devices: Arc<Devices>, purpose: RunPurpose) -> Self {
        Self { devices, request, purpose, frames: None, shares: false }
    }

    /// Sets the length of the stream in frames.
    #[must_use]
    pub fn for_frames(mut self, frames: u64) -> Self {
        self.frames = Some(frames);
        self
    }

    /// Makes this one of several concurrent jobs that share the devices: each takes the device that is predicted to
    /// finish it first, given the jobs that the device already has.
    #[must_use]
    pub fn shared(mut self) -> Self {
        self.shares = true;
        self
    }

    /// A placement on the CPU. It does not touch any GPU driver.
    pub fn cpu() -> Self {
        Self::new(DeviceRequest::Cpu, Arc::default(), RunPurpose::Export)
    }

    /// Chooses a device for this work.
    pub fn choose_device(&self, work: &Workload) -> ChosenDevice {
        self.devices.choose_for(&self.request, work, self.purpose, self.shares)
    }

    /// Starts a job of independent pieces on a device that is chosen for all of them.
    pub fn job<G>(&self, work: Workload, lower: impl FnOnce() -> Result<G>) -> Result<DeviceJob<G>> {
        DeviceJob::new(work, |work| self.choose_device(work), &self.devices, lower)
    }
}
