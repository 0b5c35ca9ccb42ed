//! The list of finished files of a batch: one line per file, appended when the complete file has its final name. An
//! interrupted run continues from there; an incomplete line is ignored.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::files::{self, Stamp};
use crate::lock::lock;
use base::files::stored_path;

/// The largest accepted list, in bytes: about half a million files.
const MAX_BYTES: u64 = 256 << 20;

/// The file name of the list in the output folder.
pub const NAME: &str = ".undertone-batch.jsonl";

/// A line of the list: an output, its input, and the state of both files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    /// The path relative to the output folder.
    #[serde(with = "stored_path")]
    output: PathBuf,
    made: Stamp,
    #[serde(with = "stored_path")]
    input: PathBuf,
    read: Stamp,
    /// The hash of chain and settings.
    recipe: String,
}

/// The list of finished files in an output folder.
#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    path: PathBuf,
    lines: HashMap<PathBuf, Entry>,
    file: Mutex<File>,
}

impl Journal {
    /// Reads an existing list and opens it for appending.
    pub fn open(folder: &Path) -> Result<Self> {
        let path = folder.join(NAME);
        let text = match files::read(&path, "list of finished files", MAX_BYTES) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Entry>(line).ok());
        let lines = lines.map(|line| (line.output.clone(), line)).collect();
        let mut file = files::open_with(OpenOptions::new().create(true).append(true), &path)?;
        if !text.is_empty() && !text.ends_with('\n') {
            // Keeps the next line separate from an incomplete one.
            file.write_all(b"\n").map_err(|error| Error::io("write", &path, error))?;
        }
        Ok(Self { folder: folder.to_path_buf(), path, lines, file: Mutex::new(file) })
    }

    /// Whether `output` is unchanged since it was made from the current `input` by `recipe`.
    pub fn has(&self, input: &Path, output: &Path, recipe: &str) -> bool {
        self.lines.get(self.below(output)).is_some_and(|line| {
            line.recipe == recipe
                && line.input == absolute(input)
                && Stamp::of(input) == Some(line.read)
                && Stamp::of(output) == Some(line.made)
        })
    }

    /// Whether the list contains this file as an output, so that it is not an input.
    pub fn made(&self, path: &Path) -> bool {
        let (path, folder) = (absolute(path), absolute(&self.folder));
        path.strip_prefix(folder).is_ok_and(|below| self.lines.contains_key(below))
    }

    /// Appends a finished file. `read` is the input's stamp from before it was read.
    pub fn add(&self, input: &Path, read: Stamp, output: &Path, recipe: &str) -> Result<()> {
        let Some(made) = Stamp::of(output) else { return Ok(()) };
        let output = self.below(output).to_path_buf();
        let line = Entry { output, made, input: absolute(input), read, recipe: recipe.to_owned() };
        let mut text = serde_json::to_vec(&line).map_err(|error| Error::Internal(error.to_string()))?;
        text.push(b'\n');
        let mut file = lock(&self.file);
        file.write_all(&text).and_then(|()| file.sync_data()).map_err(|error| Error::io("write", &self.path, error))
    }

    fn below<'a>(&self, output: &'a Path) -> &'a Path {
        output.strip_prefix(&self.folder).unwrap_or(output)
    }
}

fn absolute(path: &Path) -> PathBuf {
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_finished_is_known_until_something_of_it_changes() {
        let folder = tempfile::tempdir().unwrap();
        let (input, output) = (folder.path().join("in.wav"), folder.path().join("sub/out.wav"));
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        std::fs::write(&input, "sound").unwrap();
        std::fs::write(&output, "made").unwrap();
        let journal = Journal::open(folder.path()).unwrap();
        assert!(!journal.has(&input, &output, "a"));
        journal.add(&input, Stamp::of(&input).unwrap(), &output, "a").unwrap();
        // A line that a crash cut off.
        let mut file = OpenOptions::new().append(true).open(folder.path().join(NAME)).unwrap();
        file.write_all(b"{\"output\":\"sub/o").unwrap();
        let journal = Journal::open(folder.path()).unwrap();
        assert!(journal.has(&input, &output, "a"));
        assert!(journal.made(&output) && !journal.made(&input));
        assert!(!journal.has(&input, &output, "b"), "another recipe");
        journal.add(&input, Stamp::of(&input).unwrap(), &output, "b").unwrap();
        let journal = Journal::open(folder.path()).unwrap();
        assert!(journal.has(&input, &output, "b") && !journal.has(&input, &output, "a"));
        std::fs::write(&input, "other sound").unwrap();
        assert!(!journal.has(&input, &output, "b"), "another input");
        std::fs::write(&input, "sound").unwrap();
        std::fs::remove_file(&output).unwrap();
        assert!(!journal.has(&input, &output, "b"), "no output");
    }
}
