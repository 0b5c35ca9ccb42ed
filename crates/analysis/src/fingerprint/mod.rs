//! Audio fingerprints: compact data that identify a recording.
//!
//! ```text
//! planar f32 -> front (mono, 11,025 Hz) -> chromaprint -> u32 items, text like fpcalc
//!                                       -> landmark    -> peaks in time and pitch, bytes -> index of many tracks
//! ```
//!
//! [`chromaprint`] is the widely used format: one `u32` every 0.124 s, equal to the output of `fpcalc`, so that
//! fingerprints can be compared with those computed elsewhere. It survives transcoding, but no change of speed or
//! pitch. [`landmark`] is specific to this program. It survives noise, cuts, transcoding, filters and changes of speed,
//! pitch and tempo, measures how much each was changed, and finds a clip of a few seconds among thousands of tracks.
//! [`Listener`] computes both in one pass over a stream.

pub mod chromaprint;
mod front;
pub mod landmark;
mod listener;
mod overlapping;

pub use front::{Front, RATE_HZ, SourceFormat};
pub use listener::{Fingerprints, Listener};
