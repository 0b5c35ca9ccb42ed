//! A GPU for tests that inject faults. Faults apply to the whole process, so one test at a time uses it.

use std::sync::Arc;

use dsp::device::Placement;
use dsp::device::{DeviceId, DeviceRequest, Devices, RunPurpose};
use dsp::gpu::faults::{self, Faults};

use super::gpu::Turn;

/// A GPU (or software adapter) reserved for this test.
pub struct Gpu {
    pub devices: Arc<Devices>,
    _turn: Turn,
}

impl Gpu {
    /// Places work on a device, given by name, for a purpose.
    pub fn placement(&self, request: &str, purpose: RunPurpose) -> Placement {
        Placement::new(DeviceRequest::from(request.to_owned()), Arc::clone(&self.devices), purpose)
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        faults::arm(Faults::default());
    }
}

/// Returns `None`, with a message, if there is no GPU and none is required.
pub fn gpu() -> Option<Gpu> {
    let turn = Turn::take();
    faults::arm(Faults::default());
    let devices = Arc::new(Devices::new(None));
    if devices.list().iter().any(|device| device.id == DeviceId::Gpu(0) && device.problem.is_none()) {
        return Some(Gpu { devices, _turn: turn });
    }
    assert!(std::env::var("UNDERTONE_REQUIRE_GPU").as_deref() != Ok("1"), "no GPU adapter, though one is required");
    eprintln!("SKIPPED: no GPU adapter; set UNDERTONE_REQUIRE_GPU=1 to make this a failure");
    None
}
