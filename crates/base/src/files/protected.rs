//! A set of files that must not be overwritten, identified by the file itself and not by its name, and why.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why a file is never replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// It is read by the same command.
    Input,
    /// It is a recording of an open document.
    OpenRecording,
    /// It is the project of an open document.
    OpenProject,
    /// The chain of an open document reads it.
    ReadByChain,
    /// A project among the inputs is made of it.
    ReadByProject,
    /// It is in the batch list.
    BatchInput,
    /// It is a version that is compared.
    Compared,
    /// The chain of the batch reads it.
    ReadByBatch,
    /// It is the library's only copy of a track.
    OnlyCopy,
}

impl Protection {
    /// Returns the reason in words, as the start of a sentence.
    fn words(self) -> &'static str {
        match self {
            Self::Input => "This is one of the inputs",
            Self::OpenRecording => "This is the open recording",
            Self::OpenProject => "This is the project of an open document",
            Self::ReadByProject => "A project among the inputs reads this file",
            Self::ReadByChain => "The chain of an open document reads this file",
            Self::BatchInput => "This file is in the batch list",
            Self::Compared => "This is one of the versions that are compared",
            Self::ReadByBatch => "The chain of the batch reads this file",
            Self::OnlyCopy => "This is the library's only copy of this track",
        }
    }
}

/// A check beside the set: returns why a path must not be replaced. It is called only for paths that exist.
type Guard = Arc<dyn Fn(&Path) -> Option<Protection> + Send + Sync>;

/// A set of files that an output must never replace: its inputs, and the sources of other documents. Each file is
/// examined once, when it is added, and is not opened on Unix. A folder of thousands of files therefore costs one
/// look-up per file, whatever the number of outputs. Clones share the set.
#[derive(Clone, Default)]
pub struct Protected {
    files: Arc<HashMap<Identity, (Protection, PathBuf)>>,
    guard: Option<Guard>,
}

impl fmt::Debug for Protected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Protected").field("files", &self.files).field("guarded", &self.guard.is_some()).finish()
    }
}

impl Protected {
    /// Creates a set of inputs. Missing files are ignored.
    pub fn new<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Self {
        Self::default().with(paths)
    }

    /// Adds more inputs.
    #[must_use]
    pub fn with<P: AsRef<Path>>(self, paths: impl IntoIterator<Item = P>) -> Self {
        self.and(Protection::Input, paths)
    }

    /// Adds files with the reason. A file that is in the set already keeps its first reason.
    #[must_use]
    pub fn and<P: AsRef<Path>>(mut self, why: Protection, paths: impl IntoIterator<Item = P>) -> Self {
        let more =
            paths.into_iter().filter_map(|path| Some((Identity::of(path.as_ref())?, path.as_ref().to_path_buf())));
        let more: Vec<(Identity, PathBuf)> = more.filter(|(identity, _)| !self.files.contains_key(identity)).collect();
        if !more.is_empty() {
            let files = Arc::make_mut(&mut self.files);
            for (identity, path) in more {
                if let Entry::Vacant(place) = files.entry(identity) {
                    place.insert((why, path));
                }
            }
        }
        self
    }

    /// Adds a check for paths that exist and are not in the set. It may be slow: it runs only before such a file would
    /// be replaced.
    #[must_use]
    pub fn guarded(mut self, guard: impl Fn(&Path) -> Option<Protection> + Send + Sync + 'static) -> Self {
        self.guard = Some(Arc::new(guard));
        self
    }

    /// Returns whether this path leads to a file in the set, by any name, symbolic link or hard link.
    pub fn has(&self, path: &Path) -> bool {
        self.found(path).is_some()
    }

    fn found(&self, path: &Path) -> Option<&(Protection, PathBuf)> {
        if self.files.is_empty() {
            return None;
        }
        self.files.get(&Identity::of(path)?)
    }

    /// Returns why the file at this path must not be replaced, and what to do; `None` if it may be.
    pub fn refusal(&self, path: &Path) -> Option<String> {
        if let Some((why, known)) = self.found(path) {
            let words = why.words();
            // Reached by a link, the file has a name that the user may not connect with it.
            return Some(if is_named(path, known) {
                format!("{words}. Choose another name")
            } else {
                format!("{words}, by a link: {}. Choose another name", name(known))
            });
        }
        let why = self.guard.as_ref().and_then(|guard| guard(path))?;
        Some(format!("{}. Choose another name", why.words()))
    }
}

/// Returns whether a path is the known one, perhaps spelled differently.
fn is_named(path: &Path, known: &Path) -> bool {
    let folder = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        folder.canonicalize().ok()
    };
    path.file_name() == known.file_name() && folder(path) == folder(known)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
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
        let more = files.clone().and(Protection::OnlyCopy, [at("a"), at("b")]);
        assert!(more.has(&at("b")) && more.has(&at("hard")) && !files.has(&at("b")));
        let said = |path: &str| more.refusal(&at(path)).unwrap_or_default();
        assert_eq!(said("./a"), "This is one of the inputs. Choose another name");
        assert_eq!(said("b"), "This is the library's only copy of this track. Choose another name");
        let linked = "This is one of the inputs, by a link: a. Choose another name";
        assert_eq!(said("hard"), linked);
        assert_eq!(said("missing"), "");
        let other = at("other");
        std::fs::write(&other, "o").unwrap();
        let guarded = more.clone().guarded(move |path| (path == other).then_some(Protection::OnlyCopy));
        assert!(guarded.refusal(&at("other")).is_some() && more.refusal(&at("other")).is_none());
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(at("a"), at("link")).unwrap();
            assert!(files.has(&at("link")));
        }
    }
}
