//! Walks folders for recordings, following links.
//!
//! A folder or file that can be reached by several paths is found once: by its own path if that is within one of the
//! roots, otherwise by the first link to it. Therefore circular links end, and no file is a duplicate of itself.

use std::collections::{HashSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use walkdir::{DirEntry, WalkDir};

use super::kinds::{Kind, kind_of};
use base::error::Result;

/// Options of a walk.
#[derive(Clone, Copy, Debug, Default)]
pub struct WalkOptions {
    /// Whether to include hidden files and folders.
    pub hidden: bool,
    /// Whether to include video files, for their sound.
    pub video: bool,
}

/// A recording found by a walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFile {
    /// Its path.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its modification time in nanoseconds since 1970; 0 if unknown.
    pub modified_ns: i64,
}

/// A path that could not be examined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The folder, file or link.
    pub path: PathBuf,
    /// The reason.
    pub reason: String,
}

/// An item found by a walk.
#[derive(Clone, Debug)]
pub enum WalkItem {
    /// A recording.
    File(FoundFile),
    /// A path that could not be examined. Anything below it is unknown, not deleted.
    Unread(Unread),
}

/// The result of walking one start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// The reason why the start itself could not be walked.
    pub unreachable: Option<String>,
    /// Number of files and folders in it, of any kind.
    pub entries: u64,
    /// Number of recordings.
    pub files: u64,
    /// Number of hidden files and folders that were skipped.
    pub hidden: u64,
    /// Number of video files that were skipped.
    pub video: u64,
}

/// Returns length and modification time from a file's metadata, in the units of [`FoundFile`].
pub fn stamp(metadata: &fs::Metadata) -> (u64, i64) {
    let modified = metadata.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    (metadata.len(), modified.map_or(0, |since| since.as_nanos() as i64))
}

/// Walks each of `starts` (folders or single files) and calls `visit` with the index of the start and each item found.
/// `roots` are all folders of the library, inside or outside the starts.
pub fn walk(
    starts: &[PathBuf],
    roots: &[PathBuf],
    options: WalkOptions,
    mut visit: impl FnMut(usize, WalkItem) -> Result<()>,
) -> Result<Vec<Walked>> {
    let mut walk = Walk {
        options,
        roots: roots.iter().filter_map(|root| fs::canonicalize(root).ok()).collect(),
        seen: HashSet::new(),
        links: VecDeque::new(),
        walked: vec![Walked::default(); starts.len()],
    };
    for (start, path) in starts.iter().enumerate() {
        let reached =
            fs::metadata(path).and_then(|kind| if kind.is_dir() { fs::read_dir(path).map(drop) } else { Ok(()) });
        match reached.and_then(|()| fs::canonicalize(path)) {
            Ok(canonical) => walk.tree(start, path, &canonical, &mut visit)?,
            Err(error) => walk.walked[start].unreachable = Some(error.to_string()),
        }
    }
    while let Some((start, link)) = walk.links.pop_front() {
        match fs::canonicalize(&link) {
            Ok(target) if walk.roots.iter().any(|root| target.starts_with(root)) => {}
            Ok(target) => walk.tree(start, &link, &target, &mut visit)?,
            Err(error) => {
                let reason = format!("the link leads nowhere: {error}");
                visit(start, WalkItem::Unread(Unread { path: link, reason }))?;
            }
        }
    }
    Ok(walk.walked)
}

struct Walk {
    options: WalkOptions,
    /// The canonical paths of the roots.
    roots: Vec<PathBuf>,
    /// Canonical paths of visited folders, and of visited files that links led to.
    seen: HashSet<PathBuf>,
    /// Links still to be followed.
    links: VecDeque<(usize, PathBuf)>,
    walked: Vec<Walked>,
}

impl Walk {
    /// Walks `path`, whose canonical path is `canonical`, and queues links for later.
    fn tree(
        &mut self,
        start: usize,
        path: &Path,
        canonical: &Path,
        visit: &mut impl FnMut(usize, WalkItem) -> Result<()>,
    ) -> Result<()> {
        if !self.seen.insert(canonical.to_path_buf()) {
            return Ok(());
        }
        let mut entries = WalkDir::new(path).sort_by_file_name().into_iter();
        while let Some(entry) = entries.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let place = error.path().unwrap_or(path).to_path_buf();
                    let reason = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
                    visit(start, WalkItem::Unread(Unread { path: place, reason }))?;
                    continue;
                }
            };
            let is_folder = entry.file_type().is_dir();
            if entry.depth() > 0 {
                if !self.options.hidden && is_hidden(&entry) {
                    self.walked[start].hidden += 1;
                    if is_folder {
                        entries.skip_current_dir();
                    }
                    continue;
                }
                self.walked[start].entries += 1;
                if entry.path_is_symlink() {
                    self.links.push_back((start, entry.into_path()));
                    continue;
                }
            }
            let is_start = entry.depth() == 0;
            if is_start && canonical.is_dir() {
                continue;
            }
            if is_folder {
                let within = entry.path().strip_prefix(path).unwrap_or(Path::new(""));
                if !self.seen.insert(canonical.join(within)) {
                    entries.skip_current_dir();
                }
                continue;
            }
            self.file(start, entry.path(), visit)?;
        }
        Ok(())
    }

    fn file(&mut self, start: usize, path: &Path, visit: &mut impl FnMut(usize, WalkItem) -> Result<()>) -> Result<()> {
        match kind_of(path) {
            Kind::Other => return Ok(()),
            Kind::Video if !self.options.video => {
                self.walked[start].video += 1;
                return Ok(());
            }
            _ => {}
        }
        match fs::metadata(path) {
            // Pipes, sockets and devices do not belong to a library.
            Ok(metadata) if !metadata.is_file() => Ok(()),
            Ok(metadata) => {
                let (bytes, modified_ns) = stamp(&metadata);
                self.walked[start].files += 1;
                visit(start, WalkItem::File(FoundFile { path: path.to_path_buf(), bytes, modified_ns }))
            }
            Err(error) => {
                visit(start, WalkItem::Unread(Unread { path: path.to_path_buf(), reason: error.to_string() }))
            }
        }
    }
}

fn is_hidden(entry: &DirEntry) -> bool {
    #[cfg(windows)]
    if entry.metadata().is_ok_and(|metadata| std::os::windows::fs::MetadataExt::file_attributes(&metadata) & 2 != 0) {
        return true;
    }
    entry.file_name().as_encoded_bytes().first() == Some(&b'.')
}
