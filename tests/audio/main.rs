//! Reading, writing and exporting audio files.

mod encode;
mod encode_lossy;
mod export;
mod opening;
#[path = "../support/mod.rs"]
mod support;
