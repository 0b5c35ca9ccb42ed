//! FIR filters and convolution as effects: against sums in f64 and `SciPy`'s taps, in chunks, after jumps, with files that
//! are missing or wrong, and in chains.

mod convolutions;
mod files;
mod filters;
mod rendered;
mod support;
use crate::support::effects_table as table;
