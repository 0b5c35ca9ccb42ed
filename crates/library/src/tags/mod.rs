//! Writes what the analysis found into the tags of the originals, and undoes it. Nothing else in this program writes to
//! originals.
//!
//! ```text
//! plan: old and new values of a file   (values, heard, albums)
//!   -> copy beside the file -> edit (audio::tags) -> verify -> delta -> journal -> rename   (write, replace)
//! journal -> the original from the new file and the delta -> rename                         (undo)
//! journal -> what a killed process left                                                     (recover)
//! ```
//!
//! The original is kept as a [`delta`]: the bytes by which it differs from the new file. Since both have the same
//! audio, a delta takes some kilobytes, and a library of any size can be undone without a second copy of it. A file is
//! replaced only once the original has been rebuilt from the new file and the delta, compared by hash, and the delta is
//! on disk.

mod albums;
mod delta;
mod heard;
mod journal;
mod plan;
mod recover;
mod replace;
mod structure;
#[cfg(test)]
mod tests;
mod undo;
mod values;
mod verify;
mod write;

use std::fs::File;
use std::path::PathBuf;

pub use albums::Albums;
pub use journal::{FileState, Write, WrittenFile};
pub use plan::{Plan, Unplanned, plan};
pub use recover::Recovered;
pub use values::{TagChange, TagField, TagValue};

use self::journal::Journal;
use super::Library;
use base::error::{Error, Result};
use base::files;
use base::progress::Progress;

/// The writes of tags to the files of a library: the journal, and the right to write, which one process has at a time.
#[derive(Debug)]
pub struct TagWriter<'a> {
    library: &'a Library,
    journal: Journal,
    /// Locked until it is closed.
    _lock: File,
}

impl Library {
    /// Returns the path of the journal of the tags that were written.
    fn tag_journal_path(&self) -> PathBuf {
        let mut name = self.path().file_stem().unwrap_or_default().to_os_string();
        name.push("-tags.sqlite");
        self.path().with_file_name(name)
    }

    /// Returns all writes of tags, the latest first, with their files.
    pub fn tag_writes(&self) -> Result<Vec<Write>> {
        let path = self.tag_journal_path();
        if path.exists() { Journal::open(&path)?.writes() } else { Ok(Vec::new()) }
    }

    /// Begins to write tags: takes the right to, and puts in order what a killed process left.
    ///
    /// # Errors
    /// [`Error::Refused`] while another process writes tags; [`Error::Impossible`] if the library is only read, since
    /// it could not be told of the new tags.
    pub fn tag_writer(&self) -> Result<(TagWriter<'_>, Recovered)> {
        self.check_writable()?;
        let path = self.tag_journal_path();
        let lock_path = path.with_extension("writing");
        let failed = |source| Error::io("open", &lock_path, source);
        // The first process that needs the folder of a server's library makes it.
        if let Some(folder) = lock_path.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let lock = File::options().create(true).truncate(false).write(true).open(&lock_path).map_err(failed)?;
        // Without locks two processes could replace one file at once, each with a separate journal entry.
        if !files::try_lock(&lock).map_err(|source| Error::io("lock", &lock_path, source))? {
            let reason = "Another process is writing tags of this library. Wait until it has finished".to_owned();
            return Err(Error::Refused { reason, path: self.path().to_path_buf() });
        }
        let writer = TagWriter { library: self, journal: Journal::open(&path)?, _lock: lock };
        let recovered = writer.recover()?;
        Ok((writer, recovered))
    }
}

impl TagWriter<'_> {
    /// Begins a write, to which files are added one by one by [`TagWriter::write`]. Returns its number.
    pub fn begin(&self, fields: &[TagField]) -> Result<i64> {
        self.journal.begin_write(fields)
    }

    /// Writes the planned changes of one file. On failure the file is as it was.
    ///
    /// # Errors
    /// [`Error::Refused`] if the file must not be replaced, has changed, or would lose something.
    pub fn write(&self, write: i64, plan: &Plan, progress: &Progress) -> Result<()> {
        let now = write::write(&self.journal, write, plan, progress)?;
        self.note(plan.id, (plan.bytes, plan.modified_ns), now, &plan.target);
        Ok(())
    }

    /// Deletes a write without files.
    pub fn end(&self, write: i64) -> Result<()> {
        self.journal.end_write(write)
    }

    /// Restores the original of one file of a write, byte for byte, with its time of modification.
    ///
    /// # Errors
    /// [`Error::Refused`] if the file has been changed since.
    pub fn undo(&self, file: &WrittenFile) -> Result<()> {
        let (was, now) = undo::undo(&self.journal, file)?;
        self.note(file.track, was, now, &file.path);
        Ok(())
    }

    /// Deletes what is kept for the undo of a write. Returns the number of files that can no longer be undone.
    pub fn forget(&self, write: i64) -> Result<u64> {
        self.journal.forget(write)
    }

    /// Tells the library that a file has new tags, so that the next scan need not look at it. If that fails, the scan
    /// recognises the file by its audio.
    fn note(&self, track: i64, was: (u64, i64), now: (u64, i64), path: &std::path::Path) {
        if let Err(error) = self.library.retagged(track, was, now, path) {
            tracing::warn!("the library was not told of new tags: {error}: {}", path.display());
        }
    }
}
