//! Playback for real: into a private `PulseAudio` server's null sinks, whose monitors are recorded.
//!
//! Skipped, loudly, where there is no `PulseAudio`; a failure there when `UNDERTONE_REQUIRE_SOUND=1` is set.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod audition;
mod capture;
mod no_alloc;
mod pulse;
mod real;
mod resources;
mod signal;
mod soak;
