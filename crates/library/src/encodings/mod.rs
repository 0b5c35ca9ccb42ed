//! Compares encodings of one recording: the real bandwidth of each, whether a lossless file was made from a lossy one,
//! and which copy is the best.
//!
//! All results come from a long-term mean power spectrum, such as that of [`dsp::measure::spectrum::mean_spectrum`].
//! Frequencies that an encoder removed are missing from it, whatever format the sound was converted to later.

mod bandwidth;
mod ranking;
mod verdict;

pub use bandwidth::{Bandwidth, Cliff, bandwidth};
pub use ranking::{Copy, Ranked, ranked};
pub use verdict::{Origin, Verdict, verdict};

#[cfg(test)]
mod tests;
