//! Hostile input of every kind: grammar-based generators with extreme lengths and counts, and mutants of real files. No
//! case may panic, hang or exceed its memory limit.
//!
//! `UNDERTONE_FUZZ_SECONDS` is the time per target (default a few seconds), `UNDERTONE_FUZZ_CASES` a number of cases
//! instead. `UNDERTONE_FUZZ_SEED` selects the cases. `UNDERTONE_FUZZ_KEEP` is a folder to which every case is written
//! before it runs, so that the cause of a crash is kept. `UNDERTONE_FUZZ_CASE` is such a case to repeat.
//! `node scripts/fuzz.mjs --hours N` runs all targets for hours.

#![allow(clippy::unwrap_used, reason = "a test says what it expects by failing")]
#![allow(clippy::trivially_copy_pass_by_ref, reason = "the names of boxes and frames are byte strings")]

mod aac;
mod bytes;
mod chain;
mod child;
mod chunked;
mod database;
#[path = "../support/ebml.rs"]
mod ebml;
mod faces;
mod flac;
mod harness;
mod id3;
mod ipc;
mod joined;
mod markers;
mod matroska;
mod mp4;
mod mpeg;
mod ogg;
mod opus;
mod project;
mod session;
mod structure;
#[path = "../support/mod.rs"]
mod support;
#[path = "../support/torch_file.rs"]
mod torch_file;
mod vorbis;
#[path = "../support/wave64.rs"]
mod wave64;
mod weights;

use support::{library as library_support, opening as opening_support};
