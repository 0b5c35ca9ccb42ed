//! Where work runs, and why: the request a user makes, the devices there are, the choice between them by measured cost,
//! and the report that every result carries.

pub mod bench;
mod choice;
mod devices;
mod fallback;
mod filters;
mod job;
mod measure;
mod report;
mod request;

pub use choice::{DeviceChoice, DeviceId, FilterWork, Rates, RunPurpose, SpectraWork, Workload};
pub use devices::{DeviceEntry, Devices, SharedEngine};
pub use fallback::{Fallback, Recovery};
pub use job::DeviceJob;
pub use report::DeviceReport;
pub use request::DeviceRequest;
