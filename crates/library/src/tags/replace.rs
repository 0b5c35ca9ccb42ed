//! Replaces a file by another one in the same folder, at once and for good, with its permissions and attributes.

use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};

use super::plan::refused;
use base::error::{Error, Result};
use base::files::UNFINISHED_PREFIX;

/// A moment of a replacement after which a kill or a fault may come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The journal has an entry; nothing is on disk.
    Begun,
    /// The copy is made.
    Copied,
    /// The copy has the new tags.
    Edited,
    /// The copy is verified and on disk.
    Verified,
    /// The journal has the delta.
    Ready,
    /// The file is replaced.
    Renamed,
}

/// Returns a name for the copy of a file, in its folder and with its extension. It is hidden on Unix, and scans skip
/// it.
pub(super) fn temporary_for(target: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(format!("{UNFINISHED_PREFIX}{:016x}", RandomState::new().hash_one(target)));
    if let Some(extension) = target.extension() {
        name.push(".");
        name.push(extension);
    }
    target.with_file_name(name)
}

/// Locks a copy as long as its writer lives, so that others that tidy up leave it alone; see
/// [`base::files::SafeFile`]. On Windows a locked file cannot be read by others, not even here.
pub(super) fn hold(path: &Path) -> Option<File> {
    if cfg!(windows) {
        return None;
    }
    let file = File::open(path).ok()?;
    file.try_lock().ok().map(|()| file)
}

/// Gives `copy` the permissions, the owner and the extended attributes of `original`.
///
/// # Errors
/// [`Error::Refused`] if the copy would belong to someone else, or would lose attributes.
pub(super) fn keep_attributes(original: &Path, copy: &Path) -> Result<()> {
    let metadata = fs::metadata(original).map_err(|source| Error::io("read", original, source))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let found = fs::metadata(copy).map_err(|source| Error::io("read", copy, source))?;
        if (found.uid(), found.gid()) != (metadata.uid(), metadata.gid())
            && std::os::unix::fs::chown(copy, Some(metadata.uid()), Some(metadata.gid())).is_err()
        {
            return refused(
                "The file belongs to another user or group, to whom a new one could not be given",
                original,
            );
        }
    }
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    extended::keep(original, copy)?;
    fs::set_permissions(copy, metadata.permissions()).map_err(|source| Error::io("write", copy, source))
}

/// Renames `copy` to `target`, which it replaces, and makes that durable.
///
/// # Errors
/// After an error, the target is as it was.
pub(super) fn rename(copy: &Path, target: &Path) -> Result<()> {
    fs::rename(copy, target).map_err(|source| Error::io("replace", target, source))?;
    #[cfg(unix)]
    if let Some(folder) = target.parent().and_then(|folder| File::open(folder).ok()) {
        // Some network file systems refuse to sync a folder; the file itself is synced.
        let _ = folder.sync_all();
    }
    Ok(())
}

/// Writes all of a file to disk.
pub(super) fn sync(path: &Path) -> Result<()> {
    let file = File::options().write(true).open(path).and_then(|file| file.sync_all());
    file.map_err(|source| Error::io("write", path, source))
}

/// Returns the hash of all bytes of a file.
pub(super) fn hash(path: &Path) -> Result<[u8; 32]> {
    let mut hasher = blake3::Hasher::new();
    let read = std::io::copy(&mut base::files::open(path)?, &mut hasher);
    read.map_err(|source| Error::io("read", path, source))?;
    Ok(*hasher.finalize().as_bytes())
}

/// Extended attributes, such as access lists and the comments and colours of file managers.
#[cfg(any(target_os = "linux", target_os = "macos"))]
mod extended {
    use std::path::Path;

    use rustix::fs::{XattrFlags, getxattr, listxattr, setxattr};
    use rustix::io::Errno;

    use super::refused;
    use base::error::{Error, Result};

    /// Linux's limits on the bytes of all names, and of one value.
    const MOST: usize = 64 << 10;

    pub(super) fn keep(original: &Path, copy: &Path) -> Result<()> {
        let failed = |source: Errno| Error::io("read", original, source.into());
        let mut names = vec![0; MOST];
        let count = match listxattr(original, &mut names[..]) {
            Ok(count) => count,
            Err(Errno::NOTSUP) => return Ok(()),
            Err(error) => return Err(failed(error)),
        };
        let mut value = vec![0; MOST];
        for name in names[..count].split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
            let Ok(bytes) = getxattr(original, name, &mut value[..]) else {
                return lost(original);
            };
            let kept = setxattr(copy, name, &value[..bytes], XattrFlags::empty()).is_ok();
            // The system labels files itself.
            if !kept && !name.starts_with(b"security.") && !name.starts_with(b"com.apple.") {
                return lost(original);
            }
        }
        Ok(())
    }

    fn lost(original: &Path) -> Result<()> {
        refused("The file has extended attributes that a new one could not be given", original)
    }
}

/// Ends the work here, as a kill or a fault would, if a test wants it.
#[cfg(test)]
pub(super) fn at(step: Step) -> Result<()> {
    super::tests::fault(step)
}

/// Ends the work here if a test wants it.
#[cfg(not(test))]
#[allow(clippy::unnecessary_wraps, reason = "faults are injected in tests")]
pub(super) fn at(_step: Step) -> Result<()> {
    Ok(())
}

/// Whether a test has killed the process, which then tidies nothing up.
pub(super) fn is_killed() -> bool {
    #[cfg(test)]
    return super::tests::is_killed();
    #[cfg(not(test))]
    false
}
