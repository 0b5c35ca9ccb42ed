//! Comparison of two versions of a recording: alignment, measures, pairing.

mod alignment;
mod versions;
