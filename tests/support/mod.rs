//! Shared by several test programs: signals, references, fixtures. The programs of the crates name the parts that they
//! use in their `support.rs`.

#![allow(dead_code, reason = "each program uses a part of it")]

pub mod aac;
pub mod codec_models;
pub mod files;
pub mod flac;
pub mod gpu;
pub mod library;
pub mod models;
pub mod mpeg;
pub mod noise;
pub mod opening;
pub mod server;
pub mod signal;
pub mod songs;
pub mod tagged;
pub mod terminal;

#[allow(unused_imports, reason = "each program uses a part of it")]
pub use files::{reference, repository};
