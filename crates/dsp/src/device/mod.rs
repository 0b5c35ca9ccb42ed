//! The devices on which work can run: the user's request, the list of devices, the choice between them by measured
//! cost, and the report that accompanies every result.

pub mod bench;
mod caches;
mod choice;
mod devices;
mod fallback;
mod filters;
mod job;
mod measure;
mod placement;
mod repeat;
mod report;
mod request;
pub mod trials;
mod turns;
mod verify;

pub use caches::Cache;
pub use choice::{DeviceChoice, DeviceId, FilterWork, NetworkWork, Rates, RunPurpose, SpectraWork, Workload};
pub use choice::{PIECE_SAMPLES, PIECES};
pub use devices::{DeviceEntry, Devices, SharedEngine};
pub use fallback::ChosenDevice;
pub use fallback::{Fallback, Recovery};
pub use job::DeviceJob;
pub use placement::Placement;
pub use report::DeviceReport;
pub use request::DeviceRequest;
pub use verify::{KernelCheck, SIZES as VERIFIED_SIZES, kernel_checks, verify_kernels};
