//! Reading, writing and exporting audio files.

#![allow(clippy::unwrap_used, reason = "a test says what it expects by failing")]

mod encode;
mod encode_lossy;
mod export;
mod flac;
mod generate;
mod joined;
mod layouts;
mod markers;
mod mpeg;
mod opening;
#[path = "../support/mod.rs"]
mod support;
