//! The parts of `tests/support` that this program uses.

#![allow(dead_code, reason = "each program uses a part of them")]

#[path = "../support/gpu.rs"]
pub mod gpu;
#[path = "../support/lone_gpu.rs"]
pub mod lone_gpu;
