//! A GPU for tests that inject faults. These are armed for the whole process, so that one test at a time uses it.

use std::sync::Arc;

use undertone::chain::Placement;
use undertone::device::{DeviceId, DeviceRequest, Devices, RunPurpose};
use undertone::gpu::faults::{self, Faults};

use super::gpu::Turn;

/// A GPU, software adapters included, for this test alone.
pub struct Gpu {
    pub devices: Arc<Devices>,
    _turn: Turn,
}

impl Gpu {
    /// Places work on a device by its name, for this purpose.
    pub fn placement(&self, request: &str, purpose: RunPurpose) -> Placement {
        Placement::new(DeviceRequest::from(request.to_owned()), Arc::clone(&self.devices), purpose)
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        faults::arm(Faults::default());
    }
}

/// None, loudly, where there is none and none is required.
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
