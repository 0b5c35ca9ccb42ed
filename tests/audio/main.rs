//! Reading and writing audio files.

#![allow(clippy::unwrap_used, reason = "a test says what it expects by failing")]

mod aac;
mod containers;
mod encode;
mod encode_lossy;
mod flac;
mod joined;
mod layouts;
mod matroska;
mod mpeg;
mod opening;
mod refused;
mod support;
mod tag_chunks;
mod tag_edits;
mod tag_faults;
mod tag_round_trips;
