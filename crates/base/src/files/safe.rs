//! Writes files safely: to a temporary file next to the target, renamed to the target once complete.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;

use super::Protected;
use crate::error::{Error, Result};
use crate::lock::lock;

/// The prefix of the names of unfinished files. They are hidden on Unix.
pub const UNFINISHED_PREFIX: &str = ".undertone-unfinished-";

/// A file being written for `target`. It has another name in the same folder, is renamed by [`SafeFile::commit`], and
/// is removed when dropped.
///
/// The unfinished file is locked as long as its writer lives. The next writer in that folder can therefore recognise
/// and remove the leftovers of a killed writer.
#[derive(Debug)]
pub struct SafeFile {
    target: PathBuf,
    overwrite: bool,
    inputs: Protected,
    temporary: NamedTempFile,
    /// The number of bytes that may still be written.
    room: u64,
}

impl SafeFile {
    /// Creates a file that will be renamed to `target`.
    ///
    /// # Errors
    /// [`Error::Refused`] if `target` is one of `inputs` by any path or link, exists and may not be overwritten, or is
    /// not a regular file.
    pub fn create(target: &Path, overwrite: bool, inputs: impl Into<Protected>) -> Result<Self> {
        let inputs = inputs.into();
        check_target(target, overwrite, &inputs)?;
        let folder = folder_of(target);
        if !folder.is_dir() {
            return Err(Error::Io {
                action: "write into the folder",
                path: folder.to_path_buf(),
                source: io::Error::new(io::ErrorKind::NotFound, "no such folder"),
            });
        }
        sweep(folder);
        let mut builder = tempfile::Builder::new();
        builder.prefix(UNFINISHED_PREFIX);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let temporary =
            builder.tempfile_in(folder).map_err(|source| Error::io("write into the folder", folder, source))?;
        // Without support for locks, a killed writer's file stays behind. Nothing else depends on the lock.
        let _ = temporary.as_file().try_lock();
        Ok(Self { target: target.to_path_buf(), overwrite, inputs, temporary, room: u64::MAX })
    }

    /// Makes writes fail after `bytes` more bytes as on a full disk, so that tests see what becomes of the file.
    pub fn fail_after(&mut self, bytes: u64) {
        self.room = bytes;
    }

    /// Returns the target's folder.
    pub fn folder(&self) -> &Path {
        folder_of(&self.target)
    }

    /// Appends `bytes`.
    pub fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.take_room(bytes.len() as u64)
            .and_then(|()| self.temporary.as_file_mut().write_all(bytes))
            .map_err(|e| self.failed(e))
    }

    /// Overwrites the bytes at `offset`. Later writes append at the end.
    pub fn patch(&mut self, offset: u64, bytes: &[u8]) -> Result<()> {
        let file = self.temporary.as_file_mut();
        let patched = file
            .seek(SeekFrom::Start(offset))
            .and_then(|_| file.write_all(bytes))
            .and_then(|()| file.seek(SeekFrom::End(0)));
        patched.map(drop).map_err(|e| self.failed(e))
    }

    /// Moves all bytes from `offset` on by `distance` bytes towards the end.
    pub fn make_room(&mut self, offset: u64, distance: u64) -> Result<()> {
        let moved = self.take_room(distance).and_then(|()| {
            let file = self.temporary.as_file_mut();
            let mut end = file.seek(SeekFrom::End(0))?;
            let mut piece = vec![0; 1 << 20];
            while end > offset {
                let start = end.saturating_sub(piece.len() as u64).max(offset);
                let piece = &mut piece[..(end - start) as usize];
                file.seek(SeekFrom::Start(start))?;
                file.read_exact(piece)?;
                file.seek(SeekFrom::Start(start + distance))?;
                file.write_all(piece)?;
                end = start;
            }
            file.seek(SeekFrom::End(0))
        });
        moved.map(drop).map_err(|e| self.failed(e))
    }

    /// Completes the file: syncs it, renames it to the target and syncs the folder. Returns the size in bytes.
    ///
    /// # Errors
    /// [`Error::Refused`] if a file has appeared at the target in the meantime. No file is left behind.
    pub fn commit(self) -> Result<u64> {
        let Self { target, overwrite, inputs, temporary, .. } = self;
        let failed = |source| Error::io("write", &target, source);
        temporary.as_file().sync_all().map_err(failed)?;
        let bytes = temporary.as_file().metadata().map_err(failed)?.len();
        check_target(&target, overwrite, &inputs)?;
        if let Ok(existing) = fs::metadata(&target) {
            // The permissions of the replaced file are kept, if the system allows it.
            let _ = fs::set_permissions(temporary.path(), existing.permissions());
        }
        if overwrite {
            temporary.persist(&target).map_err(|e| Error::io("rename", &target, e.error))?;
        } else {
            persist_new(temporary, &target)?;
        }
        sync_folder(folder_of(&target));
        Ok(bytes)
    }

    /// Takes room for `bytes` more bytes.
    fn take_room(&mut self, bytes: u64) -> io::Result<()> {
        self.room = self.room.checked_sub(bytes).ok_or(io::ErrorKind::StorageFull)?;
        Ok(())
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::io("write", &self.target, source)
    }
}

/// Writes a whole file. On failure, an existing file stays unchanged.
pub fn write(target: &Path, overwrite: bool, bytes: &[u8]) -> Result<()> {
    let mut file = SafeFile::create(target, overwrite, Protected::default())?;
    file.append(bytes)?;
    file.commit().map(drop)
}

fn folder_of(target: &Path) -> &Path {
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Refuses a target if writing to it would harm a file, as [`SafeFile::create`] does.
pub fn check_target(target: &Path, overwrite: bool, inputs: &Protected) -> Result<()> {
    let refused = |reason: &str| Err(Error::Refused { reason: reason.to_owned(), path: target.to_path_buf() });
    if target.file_name().is_none() {
        return refused("The output has no file name. Give it one");
    }
    if cfg!(windows) && super::open::is_windows_device(target) {
        return refused("The output is the name of a device. Choose another name");
    }
    let found = match fs::symlink_metadata(target) {
        Ok(found) => found,
        Err(_) => return Ok(()),
    };
    if found.is_dir() {
        return refused("This is a folder. Give a file name");
    }
    // A link is replaced and its target is left alone. A device or pipe must not be replaced by a file.
    if !found.is_file() && !found.is_symlink() {
        return refused("The output is not a regular file. Choose another name");
    }
    if let Some(reason) = inputs.refusal(target) {
        return Err(Error::Refused { reason, path: target.to_path_buf() });
    }
    if overwrite { Ok(()) } else { refused("The file exists. Choose another name, or allow overwriting") }
}

/// Renames the file without replacing one that may have appeared. File systems that do not support this atomically get
/// a check and a plain rename.
fn persist_new(temporary: NamedTempFile, target: &Path) -> Result<()> {
    let failed = match temporary.persist_noclobber(target) {
        Ok(_) => return Ok(()),
        Err(failed) => failed,
    };
    if failed.error.kind() == io::ErrorKind::AlreadyExists {
        return Err(Error::Refused {
            reason: "A file of this name has appeared meanwhile. Choose another name, or allow overwriting".into(),
            path: target.to_path_buf(),
        });
    }
    check_target(target, false, &Protected::default())?;
    failed.file.persist(target).map(drop).map_err(|e| Error::io("rename", target, e.error))
}

/// Makes the rename durable against power cuts. Windows has no such call and needs none.
fn sync_folder(folder: &Path) {
    #[cfg(unix)]
    if let Ok(folder) = File::open(folder) {
        // Some network file systems refuse to sync a folder; the file itself is synced.
        let _ = folder.sync_all();
    }
    #[cfg(not(unix))]
    let _ = folder;
}

/// Folders with the time of their last sweep, so that a folder with thousands of outputs is not listed for each of
/// them.
static SWEPT: Mutex<BTreeMap<PathBuf, Instant>> = Mutex::new(BTreeMap::new());
const MAX_SWEPT: usize = 256;

/// The minimum age of unfinished files that are removed. A new file may not be locked yet. It is also the minimum
/// interval between sweeps of a folder.
const AGE: Duration = Duration::from_mins(1);

fn was_swept(folder: &Path) -> bool {
    let mut swept = lock(&SWEPT);
    if swept.get(folder).is_some_and(|at| at.elapsed() < AGE) {
        return true;
    }
    if swept.len() >= MAX_SWEPT {
        swept.clear();
    }
    swept.insert(folder.to_path_buf(), Instant::now());
    false
}

/// Removes unfinished files of killed writers: those whose lock is free.
fn sweep(folder: &Path) {
    if was_swept(folder) {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_old = entry.file_name().to_str().is_some_and(|name| name.starts_with(UNFINISHED_PREFIX))
            && entry.file_type().is_ok_and(|kind| kind.is_file())
            && entry.metadata().and_then(|m| m.modified()).is_ok_and(|at| at.elapsed().is_ok_and(|age| age >= AGE));
        let Some(file) = is_old.then(|| super::open(&entry.path()).ok()).flatten() else { continue };
        // Removed while the lock is held. On Windows, a file opened by `std` can be removed while it is open; it
        // disappears when it is closed.
        if file.try_lock().is_ok() {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    fn aged(path: &Path) {
        let file = File::options().write(true).open(path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_mins(2)).unwrap();
    }

    #[test]
    fn what_a_killed_writer_left_is_removed_and_what_is_being_written_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let left = folder.path().join(format!("{UNFINISHED_PREFIX}left"));
        fs::write(&left, "half").unwrap();
        aged(&left);
        let mut living = SafeFile::create(&folder.path().join("living"), false, Protected::default()).unwrap();
        assert!(!left.exists());
        living.append(b"whole").unwrap();
        aged(living.temporary.path());
        SWEPT.lock().unwrap().clear();
        write(&folder.path().join("other"), false, b"other").unwrap();
        assert_eq!(living.commit().unwrap(), 5);
        assert_eq!(fs::read(folder.path().join("living")).unwrap(), b"whole");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_whole_file_replaces_another_only_if_it_may() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write(&path, false, b"first").unwrap();
        assert!(matches!(write(&path, false, b"second"), Err(Error::Refused { .. })));
        write(&path, true, b"third").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"third");
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_refused_as_an_output_and_is_never_waited_for_among_the_inputs() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let inputs = Protected::new([&pipe]);
        assert!(matches!(SafeFile::create(&pipe, true, &inputs), Err(Error::Refused { .. })));
        SafeFile::create(&folder.path().join("out"), true, &inputs).unwrap().commit().unwrap();
    }
}
