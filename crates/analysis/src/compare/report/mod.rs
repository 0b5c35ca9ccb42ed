//! Comparisons as others read them: JSON, CSV and Markdown. The command line and the window write the same.

mod json;
mod tables;

pub use json::Document;
pub use tables::{alignment_cells, csv, markdown, unit};

use super::Comparison;
use base::error::Failure;

/// Two versions by their names or paths, and how they compare.
#[derive(Clone, Copy, Debug)]
pub struct Compared<'a> {
    /// The name of the reference.
    pub reference: &'a str,
    /// The name of the other.
    pub other: &'a str,
    /// The comparison, or why it failed.
    pub result: Result<&'a Comparison, &'a Failure>,
    /// The warnings from reading the files.
    pub warnings: &'a [String],
    /// The conditions that make it fail.
    pub failed: &'a [String],
}

impl<'a> Compared<'a> {
    /// Returns a result without warnings and conditions.
    pub fn new(reference: &'a str, other: &'a str, result: Result<&'a Comparison, &'a Failure>) -> Self {
        Self { reference, other, result, warnings: &[], failed: &[] }
    }
}
