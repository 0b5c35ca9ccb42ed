//! What several need to know of a signal: peak, RMS, loudness; and rate conversion.

pub mod levels;
pub mod loudness;
#[cfg(test)]
mod memory;
pub mod resample;
