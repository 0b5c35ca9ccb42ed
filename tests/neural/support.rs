//! The parts of `tests/support` that this program uses.

#![allow(dead_code, reason = "each program uses a part of them")]

#[path = "../support/alone.rs"]
pub mod alone;
#[path = "../support/codec_models.rs"]
pub mod codec_models;
#[path = "../support/files.rs"]
pub mod files;
#[path = "../support/gpu.rs"]
pub mod gpu;
#[path = "../support/models.rs"]
pub mod models;
#[path = "../support/songs.rs"]
pub mod songs;
#[path = "../support/torch_file.rs"]
pub mod torch_file;

pub use files::reference;
