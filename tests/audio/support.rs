//! The parts of `tests/support` that this program uses.

#![allow(dead_code, reason = "each program uses a part of them")]

#[path = "../support/aac.rs"]
pub mod aac;
#[path = "../support/files.rs"]
pub mod files;
#[path = "../support/flac.rs"]
pub mod flac;
#[path = "../support/mp4.rs"]
pub mod mp4;
#[path = "../support/mpeg.rs"]
pub mod mpeg;
#[path = "../support/opening.rs"]
pub mod opening;
#[path = "../support/wave64.rs"]
pub mod wave64;

pub use files::reference;
