//! Walks folders for recordings, links followed.
//!
//! A folder or file that can be had by several paths is found once: by its own path where that lies in one of the roots,
//! else by the first link to it. So links in a circle end, and no file shows up as a duplicate of itself.

use std::collections::{HashSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use walkdir::{DirEntry, WalkDir};

use super::kinds::{Kind, kind_of};
use crate::error::Result;

/// What is walked.
#[derive(Clone, Copy, Debug, Default)]
pub struct WalkOptions {
    /// Also what the system hides.
    pub hidden: bool,
    /// Also moving pictures, for their sound.
    pub video: bool,
}

/// A recording that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFile {
    /// Where.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// Its time of change in nanoseconds since 1970; 0 where the system does not say.
    pub modified_ns: i64,
}

/// A place that could not be looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The folder, file or link.
    pub path: PathBuf,
    /// Why.
    pub reason: String,
}

/// What a walk comes upon.
#[derive(Clone, Debug)]
pub enum Found {
    /// A recording.
    File(FoundFile),
    /// A place that could not be looked at: what lies beneath it is not known, not gone.
    Unread(Unread),
}

/// What a walk of one root came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// Why the root itself could not be walked.
    pub unreachable: Option<String>,
    /// Files and folders in it, of any kind.
    pub entries: u64,
    /// Recordings.
    pub files: u64,
    /// Hidden files and folders that were left out.
    pub hidden: u64,
    /// Moving pictures that were left out.
    pub video: u64,
}

/// The length and time of change of a file's metadata, as [`FoundFile`] has them.
pub(crate) fn stamp(metadata: &fs::Metadata) -> (u64, i64) {
    let modified = metadata.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    (metadata.len(), modified.map_or(0, |since| since.as_nanos() as i64))
}

/// Walks each of `starts` - folders or single files - and calls `visit` with the number of the start and what was
/// found; `roots` are all folders of the library, inside or outside of the starts.
///
/// # Errors
/// Those of `visit`, which end the walk.
pub fn walk(
    starts: &[PathBuf],
    roots: &[PathBuf],
    options: WalkOptions,
    mut visit: impl FnMut(usize, Found) -> Result<()>,
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
                visit(start, Found::Unread(Unread { path: link, reason }))?;
            }
        }
    }
    Ok(walk.walked)
}

struct Walk {
    options: WalkOptions,
    /// The roots by their real paths.
    roots: Vec<PathBuf>,
    /// Real paths of folders, and of files that links led to, that were visited.
    seen: HashSet<PathBuf>,
    /// Links that are still to be followed.
    links: VecDeque<(usize, PathBuf)>,
    walked: Vec<Walked>,
}

impl Walk {
    /// Walks what is at `path`, whose real path is `canonical`, putting links aside.
    fn tree(
        &mut self,
        start: usize,
        path: &Path,
        canonical: &Path,
        visit: &mut impl FnMut(usize, Found) -> Result<()>,
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
                    visit(start, Found::Unread(Unread { path: place, reason }))?;
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

    fn file(&mut self, start: usize, path: &Path, visit: &mut impl FnMut(usize, Found) -> Result<()>) -> Result<()> {
        match kind_of(path) {
            Kind::Other => return Ok(()),
            Kind::Video if !self.options.video => {
                self.walked[start].video += 1;
                return Ok(());
            }
            _ => {}
        }
        match fs::metadata(path) {
            // Pipes, sockets and devices are no files of a library.
            Ok(metadata) if !metadata.is_file() => Ok(()),
            Ok(metadata) => {
                let (bytes, modified_ns) = stamp(&metadata);
                self.walked[start].files += 1;
                visit(start, Found::File(FoundFile { path: path.to_path_buf(), bytes, modified_ns }))
            }
            Err(error) => visit(start, Found::Unread(Unread { path: path.to_path_buf(), reason: error.to_string() })),
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
