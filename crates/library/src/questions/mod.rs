//! Questions about a library: which tracks are similar, which are the same recording, which copy is the best, how a
//! track compares with the others; text queries; export to a file.
//!
//! ```text
//! features of tracks -> table -> scale -> similar: nearest tracks with reasons
//!                                      -> map: positions in the plane
//!                   -> percentiles: rank of a value in the library
//! fingerprints -> duplicates: groups of the same recording -> encodings: the best copy of a group
//! text -> query -> SQL condition over the database's columns
//! rows of the database -> export: CSV, JSON, Parquet
//! ```
//!
//! Everything here works on plain tables and functions supplied by the caller. Nothing opens a database or a file,
//! except `export`, which writes one.

pub mod duplicates;
pub mod export;
pub mod map;
pub mod percentiles;
pub mod playlists;
pub mod query;
pub mod scale;
pub mod similar;
pub mod table;
