//! The parts of `tests/support` that this program uses.

#![allow(dead_code, reason = "each program uses a part of them")]

#[path = "../support/alone.rs"]
pub mod alone;
#[path = "../support/cascade.rs"]
pub mod cascade;
#[path = "../support/chain_runs.rs"]
pub mod chain_runs;
#[path = "../support/double_double.rs"]
pub mod double_double;
#[path = "../support/effects_table.rs"]
pub mod effects_table;
#[path = "../support/files.rs"]
pub mod files;
#[path = "../support/gpu.rs"]
pub mod gpu;
#[path = "../support/lone_gpu.rs"]
pub mod lone_gpu;
#[path = "../support/signal.rs"]
pub mod signal;
#[path = "../support/streamed.rs"]
pub mod streamed;

pub use files::reference;
