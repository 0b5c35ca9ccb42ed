//! Many files through one chain: which they are, what their outputs are called, and what was done before.

pub mod inputs;
pub mod journal;
pub mod naming;
pub mod targets;
