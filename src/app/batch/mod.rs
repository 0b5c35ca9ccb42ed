//! Many files through one chain: which they are, what their outputs are called, what was done before, and the work
//! itself. Plain functions that the command line and the window share; what either says of it is its own.
//!
//! ```text
//! words, dropped folders -> inputs -> targets (naming) -> run (some files at a time) -> journal of what is finished
//! ```

pub mod inputs;
pub mod journal;
pub mod naming;
pub mod run;
pub mod targets;
