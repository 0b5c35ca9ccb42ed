//! The library: what is known of many recordings, and what can be asked of them.

pub mod questions;
