//! The parts of `tests/support` that this program uses.

#![allow(dead_code, reason = "each program uses a part of them")]

#[path = "../support/features.rs"]
pub mod features;
#[path = "../support/files.rs"]
pub mod files;
#[path = "../support/gpu.rs"]
pub mod gpu;
#[path = "../support/lone_gpu.rs"]
pub mod lone_gpu;
#[path = "../support/noise.rs"]
pub mod noise;
#[path = "../support/songs.rs"]
pub mod songs;

pub use files::{reference, repository};
