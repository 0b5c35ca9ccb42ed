//! Shared by several test programs: signals, references, fixtures, the GPU.

#![allow(dead_code, reason = "each program uses a part of it")]

pub mod cascade;
pub mod cascade_f32;
pub mod chain_runs;
pub mod dft;
pub mod double_double;
pub mod effects_table;
pub mod features;
pub mod flac;
pub mod gpu;
pub mod library;
pub mod lone_gpu;
pub mod mpeg;
pub mod opening;
pub mod server;
pub mod signal;
pub mod songs;
pub mod streamed;
pub mod terminal;
