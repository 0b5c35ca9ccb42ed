//! Hostile input of every kind: generators that know each format's grammar and put its lengths and counts at their
//! extremes, and mutants of real files. No case may panic, hang or take more memory than its limit.
//!
//! `UNDERTONE_FUZZ_SECONDS` is the time each target gets (a few seconds by default), `UNDERTONE_FUZZ_SEED` chooses the
//! cases, `UNDERTONE_FUZZ_KEEP` is a folder into which every case is written before it runs, so that a crash of the
//! process leaves its cause behind; `UNDERTONE_FUZZ_CASE` is such a case, to be run again.
//! `node scripts/fuzz.mjs --hours N` runs all targets for hours.

#![allow(clippy::unwrap_used, reason = "a test says what it expects by failing")]
#![allow(clippy::trivially_copy_pass_by_ref, reason = "the names of boxes and frames are byte strings")]

mod bytes;
mod chain;
mod child;
mod database;
mod faces;
mod flac;
mod harness;
mod id3;
mod ipc;
mod matroska;
mod mp4;
mod ogg;
mod opus;
mod session;
#[path = "../support/mod.rs"]
mod support;
mod vorbis;

use support::{library as library_support, opening as opening_support};
