//! A set of files that must not be overwritten, identified by the file itself and not by its name.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A set of files that an output must never replace: its inputs, and the sources of other documents. Each file is
/// examined once, when it is added, and is not opened on Unix. A folder of thousands of files therefore costs one
/// look-up per file, whatever the number of outputs. Clones share the set.
#[derive(Clone, Debug, Default)]
pub struct Protected(Arc<HashSet<Identity>>);

impl Protected {
    /// Creates a set of these files. Missing files are ignored.
    pub fn new<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Self {
        Self(Arc::new(paths.into_iter().filter_map(|path| Identity::of(path.as_ref())).collect()))
    }

    /// Adds more files.
    #[must_use]
    pub fn with<P: AsRef<Path>>(mut self, paths: impl IntoIterator<Item = P>) -> Self {
        let more = paths.into_iter().filter_map(|path| Identity::of(path.as_ref()));
        let more: Vec<Identity> = more.filter(|identity| !self.0.contains(identity)).collect();
        if !more.is_empty() {
            Arc::make_mut(&mut self.0).extend(more);
        }
        self
    }

    /// Adds the files of another set.
    #[must_use]
    pub fn and(mut self, others: &Self) -> Self {
        Arc::make_mut(&mut self.0).extend(others.0.iter().copied());
        self
    }

    /// Returns whether this path leads to a file in the set, by any name, symbolic link or hard link.
    pub fn has(&self, path: &Path) -> bool {
        !self.0.is_empty() && Identity::of(path).is_some_and(|identity| self.0.contains(&identity))
    }
}

impl From<&[PathBuf]> for Protected {
    fn from(paths: &[PathBuf]) -> Self {
        Self::new(paths)
    }
}

impl<const N: usize> From<&[PathBuf; N]> for Protected {
    fn from(paths: &[PathBuf; N]) -> Self {
        Self::new(paths)
    }
}

impl From<&Vec<PathBuf>> for Protected {
    fn from(paths: &Vec<PathBuf>) -> Self {
        Self::new(paths)
    }
}

impl From<Vec<PathBuf>> for Protected {
    fn from(paths: Vec<PathBuf>) -> Self {
        Self::new(paths)
    }
}

impl From<&Self> for Protected {
    fn from(files: &Self) -> Self {
        files.clone()
    }
}

/// The identity of a file, independent of the path.
#[cfg(unix)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Identity {
    device: u64,
    inode: u64,
}

#[cfg(unix)]
impl Identity {
    fn of(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let found = std::fs::metadata(path).ok()?;
        Some(Self { device: found.dev(), inode: found.ino() })
    }
}

/// A hash of the volume and the file number, which Windows reports only for open files.
#[cfg(not(unix))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Identity(u64);

#[cfg(not(unix))]
impl Identity {
    fn of(path: &Path) -> Option<Self> {
        use std::hash::{DefaultHasher, Hash, Hasher};
        // This check ensures that only regular files are opened.
        super::open(path).ok()?;
        let mut hasher = DefaultHasher::new();
        same_file::Handle::from_path(path).ok()?.hash(&mut hasher);
        Some(Self(hasher.finish()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_every_name_it_has() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("a"), "a").unwrap();
        std::fs::write(at("b"), "a").unwrap();
        std::fs::hard_link(at("a"), at("hard")).unwrap();
        let files = Protected::new([at("a"), at("missing")]);
        assert!(files.has(&at("a")) && files.has(&at("hard")) && files.has(&at("./a")));
        assert!(!files.has(&at("b")) && !files.has(&at("missing")) && !files.has(folder.path()));
        let more = files.clone().with([at("b")]);
        assert!(more.has(&at("b")) && more.has(&at("hard")) && !files.has(&at("b")));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(at("a"), at("link")).unwrap();
            assert!(files.has(&at("link")));
        }
    }
}
