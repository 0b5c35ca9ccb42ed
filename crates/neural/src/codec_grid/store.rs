//! The folder of a grid: a file for each finished cell, so that a stopped run continues where it was.
//!
//! A cell's file appears under its name only when it is complete. It is valid while the recording, the codec's recipe
//! and the settings are unchanged.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::cell::Measured;
use crate::codecs::Codec;
use analysis::compare::{Measure, Request};
use base::error::{Error, Result};
use base::files::stored_path;
use base::files::{self, Stamp};

/// The file that marks the folder of a grid. A run locks it.
const MARK: &str = ".undertone-codecs";
const CELLS: &str = "cells";
/// The largest accepted file of a cell, in bytes.
const MAX_CELL_BYTES: u64 = 1 << 20;

/// The folder of a grid, used by this run alone.
pub struct Store {
    folder: PathBuf,
    /// Its lock ends with the process, however that ends.
    _mark: File,
}

/// The file of a cell.
#[derive(Serialize, Deserialize)]
struct Stored {
    #[serde(with = "stored_path")]
    input: PathBuf,
    read: Stamp,
    recipe: String,
    is_aligned: bool,
    #[serde(default)]
    is_matched: bool,
    decoded: Option<Decoded>,
    measured: Measured,
}

/// A decoded sound that was kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decoded {
    /// The path relative to the grid's folder.
    #[serde(with = "stored_path")]
    pub path: PathBuf,
    made: Stamp,
}

impl Decoded {
    /// Records the current state of a file in the grid's folder.
    pub fn of(folder: &Path, path: PathBuf) -> Result<Self> {
        let made = Stamp::of(&folder.join(&path));
        let made = made.ok_or_else(|| Error::Internal(format!("no decoded sound at {}", path.display())))?;
        Ok(Self { path, made })
    }
}

impl Store {
    /// Opens the folder of a grid, or makes it.
    ///
    /// # Errors
    /// [`Error::Refused`] for a folder with other things in it; [`Error::Impossible`] while another run uses it.
    pub fn open(folder: &Path) -> Result<Self> {
        std::fs::create_dir_all(folder).map_err(|error| Error::io("make the folder", folder, error))?;
        let mark = folder.join(MARK);
        if !mark.exists() {
            let mut entries = std::fs::read_dir(folder).map_err(|error| Error::io("read", folder, error))?;
            if entries.next().is_some() {
                let reason =
                    "The folder has other things in it. Give a new one, an empty one, or that of an earlier run";
                return Err(Error::Refused { reason: reason.to_owned(), path: folder.to_path_buf() });
            }
        }
        let file = files::open_with(OpenOptions::new().create(true).truncate(false).read(true).write(true), &mark)?;
        // Where locks are not supported, cells are still written whole.
        if matches!(files::try_lock(&file), Ok(false)) {
            return Err(Error::impossible(format!(
                "Another run is working in this folder. Wait for it, or give another folder: {}",
                folder.display()
            )));
        }
        let cells = folder.join(CELLS);
        std::fs::create_dir_all(&cells).map_err(|error| Error::io("make the folder", &cells, error))?;
        Ok(Self { folder: folder.to_path_buf(), _mark: file })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns what an earlier run found for a cell, if it still counts.
    pub fn found(
        &self,
        input: &Path,
        codec: &dyn Codec,
        request: &Request,
        is_kept: bool,
    ) -> Option<(Measured, Option<PathBuf>)> {
        let bytes = files::read(&self.path(input, codec), "result of a cell", MAX_CELL_BYTES).ok()?;
        let stored: Stored = serde_json::from_slice(&bytes).ok()?;
        let is_whole = |decoded: &Decoded| Stamp::of(&self.folder.join(&decoded.path)) == Some(decoded.made);
        let decoded = stored.decoded.filter(is_whole).map(|decoded| decoded.path);
        let counts = stored.input == absolute(input)
            && Some(stored.read) == Stamp::of(input)
            && stored.recipe == codec.recipe()
            && stored.is_aligned == request.align
            && stored.is_matched == request.match_level
            && (!is_kept || decoded.is_some());
        let measured = stored.measured;
        // More measures than requested do no harm.
        let has = |measure: &&'static Measure| measured.value(measure).is_some();
        (counts && request.measures.iter().all(has)).then_some((measured, decoded))
    }

    /// Stores the result of a cell. `read` is the state of the recording's file from before it was read.
    pub fn keep(
        &self,
        input: &Path,
        read: Stamp,
        codec: &dyn Codec,
        request: &Request,
        (measured, decoded): (&Measured, Option<Decoded>),
    ) -> Result<()> {
        let stored = Stored {
            input: absolute(input),
            read,
            recipe: codec.recipe(),
            is_aligned: request.align,
            is_matched: request.match_level,
            decoded,
            measured: measured.clone(),
        };
        let bytes = serde_json::to_vec(&stored).map_err(|error| Error::Internal(error.to_string()))?;
        files::write(&self.path(input, codec), true, &bytes)
    }

    fn path(&self, input: &Path, codec: &dyn Codec) -> PathBuf {
        self.folder.join(CELLS).join(format!("{}.json", key(input, codec)))
    }
}

/// Returns the key of a cell: of the recording's path and the codec's name.
pub fn key(input: &Path, codec: &dyn Codec) -> String {
    let mut hash = blake3::Hasher::new();
    hash.update(absolute(input).as_os_str().as_encoded_bytes()).update(b"\0").update(codec.name().as_bytes());
    hash.finalize().to_hex().as_str()[..32].to_owned()
}

fn absolute(path: &Path) -> PathBuf {
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_path_buf())
}
