//! The models that this program knows, and which of them a file contains.

mod listing;

pub use listing::{Found, Model, ModelKind, find, recognise};
