//! The GPU: which adapters there are, and an engine that runs recordings on one of them.
//!
//! Work is first written down as a [`Recording`] - uploads, dispatches, copies and readbacks on virtual buffers, plain
//! data without any GPU in it - and then given to an [`Engine`], the only place that talks to wgpu. An engine fails with
//! [`crate::Error::GpuUnavailable`], [`crate::Error::GpuOutOfMemory`] or [`crate::Error::GpuLost`], and leaves it to the
//! caller to halve, to rebuild or to go to the CPU.

pub mod adapters;
mod binding;
mod clock;
mod constants;
mod context;
mod convoy;
mod engine;
pub mod faults;
mod pool;
mod recording;
pub mod shaders;
mod signal;
mod staging;
mod submissions;
mod taken;
mod timing;

pub use adapters::{Adapter, AdapterInfo, AdapterKind, Adapters, PciId, Tier, TierRefusal};
pub use convoy::{Convoy, ConvoyCounts};
pub use engine::{Engine, Finished, MAX_BINDING_BYTES};
pub use pool::PoolCounts;
pub use recording::{Buffer, Command, Constant, Dispatch, Recording, Ticket, View};
pub use signal::Signal;
pub use timing::GpuSeconds;
