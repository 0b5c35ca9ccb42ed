//! What a batch has finished, one line a file, appended when the file stands complete under its name. A run that was cut
//! off at any point goes on from there: a line that was torn is no line.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use crate::document::stored_path;
use crate::error::{Error, Result};
use crate::files;

/// The most that a list may hold: some half a million files.
const MOST_BYTES: u64 = 256 << 20;

/// The list's name in the output folder.
pub const NAME: &str = ".undertone-batch.jsonl";

/// What a file was made of and is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Line {
    /// Below the output folder.
    #[serde(with = "stored_path")]
    output: PathBuf,
    made: Stamp,
    #[serde(with = "stored_path")]
    input: PathBuf,
    read: Stamp,
    /// Of chain and settings.
    recipe: String,
}

/// By which a file's content is known to be the same: its size and the time it was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    bytes: u64,
    /// Nanoseconds since 1970.
    changed: u64,
}

impl Stamp {
    /// That of a file, if there is one.
    pub fn of(path: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(path).ok()?;
        let changed = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(Self { bytes: metadata.len(), changed: changed.as_nanos() as u64 })
    }
}

/// The list of a folder.
#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    path: PathBuf,
    lines: HashMap<PathBuf, Line>,
    file: Mutex<File>,
}

impl Journal {
    /// Reads what there is and opens the list for more.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn open(folder: &Path) -> Result<Self> {
        let path = folder.join(NAME);
        let text = match files::read(&path, "list of finished files", MOST_BYTES) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error),
        };
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok());
        let lines = lines.map(|line| (line.output.clone(), line)).collect();
        let mut file = files::open_with(OpenOptions::new().create(true).append(true), &path)?;
        if !text.is_empty() && !text.ends_with('\n') {
            // What comes next is not to be a part of a torn line.
            file.write_all(b"\n").map_err(|error| Error::io("write", &path, error))?;
        }
        Ok(Self { folder: folder.to_path_buf(), path, lines, file: Mutex::new(file) })
    }

    /// Whether `output` stands as it was made, of `input` as it is now, by `recipe`.
    pub fn has(&self, input: &Path, output: &Path, recipe: &str) -> bool {
        self.lines.get(self.below(output)).is_some_and(|line| {
            line.recipe == recipe
                && line.input == absolute(input)
                && Stamp::of(input) == Some(line.read)
                && Stamp::of(output) == Some(line.made)
        })
    }

    /// Whether a file is one that this list has as made: not an input.
    pub fn made(&self, path: &Path) -> bool {
        let (path, folder) = (absolute(path), absolute(&self.folder));
        path.strip_prefix(folder).is_ok_and(|below| self.lines.contains_key(below))
    }

    /// Adds a finished file. `read` is the input's stamp from before it was read.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn add(&self, input: &Path, read: Stamp, output: &Path, recipe: &str) -> Result<()> {
        let Some(made) = Stamp::of(output) else { return Ok(()) };
        let output = self.below(output).to_path_buf();
        let line = Line { output, made, input: absolute(input), read, recipe: recipe.to_owned() };
        let mut text = serde_json::to_vec(&line).map_err(|error| Error::Internal(error.to_string()))?;
        text.push(b'\n');
        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
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
        // A line that was cut off by a crash.
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
