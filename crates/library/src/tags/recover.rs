//! Puts in order what a killed process left: every file is either the original or the one with the new tags, and the
//! journal says which.

use std::fs;

use serde::Serialize;

use super::TagWriter;
use super::journal::{FileState, WrittenFile};
use super::replace::hash;
use crate::files::stamp;
use crate::store::found::is_gone;
use base::error::Result;

/// The outcome of a recovery, in numbers of files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Recovered {
    /// Files that a killed process had replaced without noting it.
    pub completed: usize,
    /// Files that it had not replaced. Its unfinished copies are removed.
    pub given_up: usize,
    /// Files that cannot be read now. They are looked at again next time.
    pub unreachable: usize,
}

impl TagWriter<'_> {
    pub(super) fn recover(&self) -> Result<Recovered> {
        let mut recovered = Recovered::default();
        for file in self.journal.open_files()? {
            self.recover_file(&file, &mut recovered)?;
        }
        self.journal.remove_empty_writes()?;
        Ok(recovered)
    }

    fn recover_file(&self, file: &WrittenFile, recovered: &mut Recovered) -> Result<()> {
        // The file now at the path decides. A drive that is not connected decides nothing.
        let found = match hash(&file.path) {
            Ok(hash) => Some(hash),
            Err(_) if is_gone(&file.path) && file.path.parent().is_some_and(std::path::Path::is_dir) => None,
            Err(_) => {
                recovered.unreachable += 1;
                return Ok(());
            }
        };
        match fs::remove_file(&file.temporary) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                recovered.unreachable += 1;
                return Ok(());
            }
            _ => {}
        }
        let is = |hash: [u8; 32]| found == Some(hash);
        match file.state {
            FileState::Ready if is(file.new.hash) => {
                self.journal.written(file.id)?;
                self.tell(file, (file.old.bytes, file.old.modified_ns));
                recovered.completed += 1;
            }
            FileState::Undoing if is(file.old.hash) => {
                self.journal.undone(file.id)?;
                self.tell(file, (file.new.bytes, file.new.modified_ns));
                recovered.completed += 1;
            }
            FileState::Undoing => {
                self.journal.written(file.id)?;
                recovered.given_up += 1;
            }
            _ => {
                self.journal.remove(file.id)?;
                recovered.given_up += 1;
            }
        }
        Ok(())
    }

    fn tell(&self, file: &WrittenFile, was: (u64, i64)) {
        if let Ok(metadata) = fs::metadata(&file.path) {
            self.note(file.track, was, stamp(&metadata), &file.path);
        }
    }
}
