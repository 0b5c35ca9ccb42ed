//! Real playback into the null sinks of a private `PulseAudio` server, whose monitors are recorded.
//!
//! Skipped with a message if `PulseAudio` is missing; a failure if `UNDERTONE_REQUIRE_SOUND=1` is set.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod audition;
mod capture;
mod no_alloc;
mod pulse;
mod real;
mod recording;
mod resources;
mod signal;
mod soak;
