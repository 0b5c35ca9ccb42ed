//! Exports the library to a file that other programs read: CSV, JSON or Parquet.
//!
//! All formats have the same columns, [`columns()`], each with a unit and a description. The 25 features come last, named
//! and defined as in [`analysis::features::dimensions::DIMENSIONS`].
//!
//! | | text | missing | moments | columns' units and meanings |
//! |---|---|---|---|---|
//! | CSV | UTF-8, RFC 4180, a header line | an empty cell | `2026-03-14T12:00:00.000Z` | none |
//! | JSON | one document, one track per line | `null` | the same | `columns` |
//! | Parquet | UTF-8 byte arrays | null | timestamp in milliseconds, UTC | key `undertone.columns` |
//!
//! Numbers are written with enough digits to read back as the same number; values that are not finite are missing. Text
//! is written unchanged, except in CSV: a spreadsheet would interpret a title such as `=1+1` as a formula, so a text
//! that begins with `=`, `+`, `-`, `@`, a tab or a line break is prefixed with an apostrophe (OWASP, CSV Injection).
//! [`export_for`] writes tracks under the names that other programs have for fields.
//!
//! Tracks are streamed. The file is written beside its target and renamed when complete.

mod columns;
mod csv;
mod json;
mod parquet;
mod programs;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::Serialize;

pub use columns::{Cell, Column, ColumnKind, columns};
pub use programs::{Program, TaggedTrack, export_for};

use crate::TrackRow;
use base::declared::TS;
use base::error::{Error, Result};
use base::files::SafeFile;
use base::progress::Progress;

/// Export formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// Comma-separated values.
    Csv,
    /// One JSON document.
    Json,
    /// Apache Parquet.
    Parquet,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Csv, Self::Json, Self::Parquet];

    /// Returns the name, which is also the file extension.
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Parquet => "parquet",
        }
    }

    /// Returns the format for the extension of a path.
    pub fn of_path(path: &Path) -> Option<Self> {
        path.extension()?.to_str()?.parse().ok()
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(name));
        found.ok_or_else(|| Error::invalid("format of an export", name, Self::ALL.map(Self::name).join(", ")))
    }
}

/// The result of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
pub struct WrittenTracks {
    /// The number of tracks in the file.
    pub tracks: u64,
    /// The file size in bytes.
    pub bytes: u64,
}

/// Writes tracks to `target`, which must not be one of `inputs` (the library's database). Progress counts tracks.
///
/// # Errors
/// After an error, the target is unchanged.
pub fn export(
    target: &Path,
    format: Format,
    tracks: impl Iterator<Item = Result<TrackRow>>,
    overwrite: bool,
    inputs: &[PathBuf],
    progress: &Progress,
) -> Result<WrittenTracks> {
    let mut output = Output { file: SafeFile::create(target, overwrite, inputs)?, failed: None };
    let mut count = 0;
    let mut tracks = tracks.map(|track| {
        progress.advance(1)?;
        count += 1;
        track
    });
    let written = match format {
        Format::Csv => csv::write(&mut output, &mut tracks),
        Format::Json => json::write(&mut output, &mut tracks),
        Format::Parquet => parquet::write(&mut output, &mut tracks),
    };
    // The file's error is more precise than the writer's message about it.
    if let Some(failed) = output.failed.take() {
        return Err(failed);
    }
    written?;
    Ok(WrittenTracks { tracks: count, bytes: output.file.commit()? })
}

/// Adapts the file to [`Write`], and keeps its error, which the writers would turn into text.
struct Output {
    file: SafeFile,
    failed: Option<Error>,
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.file.append(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(error) => {
                let message = error.to_string();
                self.failed = Some(error);
                Err(io::Error::other(message))
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Converts an error of a writer itself. Errors of the file are kept by [`Output`].
fn internal(error: impl std::fmt::Display) -> Error {
    Error::Internal(format!("export: {error}"))
}

#[cfg(test)]
mod tests;
