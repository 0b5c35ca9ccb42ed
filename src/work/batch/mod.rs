//! Batches: many files through one chain. Finds inputs, names outputs, skips finished files, and does the work. The
//! command line and the window share these functions; each does the reporting itself.
//!
//! ```text
//! words, dropped folders -> inputs -> targets (naming) -> run (some files at a time) -> journal of what is finished
//! ```

pub mod inputs;
pub mod journal;
pub mod naming;
pub mod run;
pub mod targets;
