//! GPU adapters, and the engine that executes recordings on one of them.
//!
//! Work is first described as a [`Recording`]: uploads, dispatches, copies and readbacks on virtual buffers, as plain
//! data. An [`Engine`] then executes it; only the engine and its parts talk to wgpu. An engine fails with
//! [`base::Error::GpuUnavailable`], [`base::Error::GpuOutOfMemory`] or [`base::Error::GpuLost`]; the caller then
//! retries with smaller chunks, rebuilds the engine or moves to the CPU.

pub mod adapters;
mod arrivals;
mod batcher;
mod binding;
mod clock;
mod constants;
mod context;
mod copies;
mod engine;
pub mod faults;
mod finished;
mod learning;
mod lifetimes;
mod pace;
mod pipeline_store;
mod pipelines;
mod pool;
mod read_pace;
mod recording;
pub mod shaders;
mod signal;
mod spread;
mod staging;
mod steps;
mod submissions;
mod taken;
mod timing;
mod unified;

pub use adapters::{Adapter, AdapterInfo, AdapterKind, Adapters, PciId, Tier, TierRefusal};
pub use batcher::{BatcherCounts, SubmissionBatcher};
pub use copies::copy_shared;
pub use engine::{Engine, MAX_BINDING_BYTES};
pub use finished::Finished;
pub use pool::PoolCounts;
pub use recording::{Buffer, Command, Constant, Dispatch, ReadbackId, Recording, View};
pub use signal::Signal;
pub(crate) use spread::Spread;
pub use timing::{EntrySeconds, GpuSeconds};
