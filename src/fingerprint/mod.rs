//! Fingerprints: numbers by which one recording is known again.
//!
//! ```text
//! planar f32 -> front (mono, 11,025 Hz) -> chromaprint -> u32s, text as fpcalc's
//!                                       -> landmark    -> peaks in time and pitch, bytes -> index of many tracks
//! ```
//!
//! [`chromaprint`] is the world's common one: a number every 0.124 s, equal to those of `fpcalc`, for comparing with
//! what others computed. It survives transcoding, but no change of speed or pitch. [`landmark`] is this program's own:
//! it survives noise, cuts, transcoding, filters and changes of speed, pitch and tempo, says by how much each was
//! changed, and finds a clip of seconds among thousands of tracks. [`Listener`] takes both in one pass over a stream.

pub mod chromaprint;
mod front;
pub mod landmark;
mod listener;

pub use front::{Front, RATE_HZ, Source};
pub use listener::{Fingerprints, Listener};
