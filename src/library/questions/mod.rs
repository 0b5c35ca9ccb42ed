//! What can be asked of a library: which tracks are alike, which are the same, which copy is the best, where a track
//! stands among the others; text queries; the whole as a file.
//!
//! ```text
//! features of tracks -> table -> scale -> similar: nearest tracks with reasons
//!                                      -> map: places in a picture
//!                   -> percentiles: where one stands among the others
//! fingerprints -> duplicates: groups of the same recording -> encodings: the best copy of a group
//! text -> query -> SQL condition over the database's columns
//! rows of the database -> export: CSV, JSON, Parquet
//! ```
//!
//! Everything here works on plain tables and functions that the caller hands in; nothing opens a database or a file
//! but `export`, which writes one.

pub mod duplicates;
pub mod encodings;
pub mod export;
pub mod map;
pub mod percentiles;
pub mod query;
pub mod scale;
pub mod similar;
pub mod table;
