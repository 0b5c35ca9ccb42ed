//! A GPU for tests that inject faults. These are armed for the whole process, so that one test at a time uses it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use undertone::device::{DeviceId, Devices};
use undertone::gpu::faults::{self, Faults};

/// A GPU, software adapters included, for this test alone.
pub struct Gpu {
    pub devices: Arc<Devices>,
    _alone: MutexGuard<'static, ()>,
}

impl Drop for Gpu {
    fn drop(&mut self) {
        faults::arm(Faults::default());
    }
}

/// None, loudly, where there is none and none is required.
pub fn gpu() -> Option<Gpu> {
    static ALONE: Mutex<()> = Mutex::new(());
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    faults::arm(Faults::default());
    let devices = Arc::new(Devices::new(None));
    if devices.list().iter().any(|device| device.id == DeviceId::Gpu(0) && device.problem.is_none()) {
        return Some(Gpu { devices, _alone: alone });
    }
    assert!(std::env::var("UNDERTONE_REQUIRE_GPU").as_deref() != Ok("1"), "no GPU adapter, though one is required");
    eprintln!("SKIPPED: no GPU adapter; set UNDERTONE_REQUIRE_GPU=1 to make this a failure");
    None
}
