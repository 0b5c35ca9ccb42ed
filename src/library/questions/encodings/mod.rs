//! Different encodings of one recording: up to where each really has sound, whether a lossless file was made from a lossy
//! one, and which copy is the best.
//!
//! All is read out of a long-term mean power spectrum, such as [`crate::measure::spectrum::mean_spectrum`]'s: what
//! an encoder threw away is missing from it, whatever kind of file the sound was put into later.

mod bandwidth;
mod ranking;
mod verdict;

pub use bandwidth::{Bandwidth, Cliff, bandwidth};
pub use ranking::{Copy, Ranked, ranked};
pub use verdict::{Origin, Verdict, verdict};

#[cfg(test)]
mod tests;
