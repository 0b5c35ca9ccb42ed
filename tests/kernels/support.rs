//! The parts of `tests/support` that this program uses.

#![allow(dead_code, reason = "each program uses a part of them")]

#[path = "../support/alone.rs"]
pub mod alone;
#[path = "../support/cascade.rs"]
pub mod cascade;
#[path = "../support/cascade_f32.rs"]
pub mod cascade_f32;
#[path = "../support/dft.rs"]
pub mod dft;
#[path = "../support/double_double.rs"]
pub mod double_double;
#[path = "../support/features.rs"]
pub mod features;
#[path = "../support/files.rs"]
pub mod files;
#[path = "../support/gpu.rs"]
pub mod gpu;
#[path = "../support/opening.rs"]
pub mod opening;

pub use files::repository;
