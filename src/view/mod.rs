//! What the window draws: the peaks pyramid.

pub mod peaks;
