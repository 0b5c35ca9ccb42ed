//! FIR filters and convolution: compared with f64 sums and `SciPy`'s taps, in chunks, after seeks, with missing or
//! invalid files, and in chains.

mod convolutions;
mod files;
mod filters;
mod rendered;
mod support;
use crate::support::effects_table as table;
