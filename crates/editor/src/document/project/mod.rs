//! Project files (`.undertone`): a document as versioned JSON. Recordings stay where they are and are named by their
//! path, relative to the file where that survives moving both ([`paths`]).
//!
//! ```json
//! {"undertone": "project", "version": 5, "program": "0.1.0",
//!  "sources": [{"path": "song.wav", "content": "9f3c...", "bytes": 4410044, "container": "WAV", "codec": "PCM 16 bit",
//!      "format": {"rate": 44100, "channels": 2}, "frames": 1102500}],
//!  "document": {"tracks": [{"clips": [{"source": 0, "start_frame": 0, "end_frame": 1102500}],
//!      "rack": "a", "chains": {"a": {"nodes": []}, "b": {"nodes": []}}}], "selection": null, "band": null,
//!      "markers": [{"id": 1, "start_frame": 44100, "end_frame": null, "name": "Verse"}]},
//!  "cursor_frame": 0, "view": [0.0, 1102500.0]}
//! ```
//!
//! With its history, the file also has the states before and after the present one.

mod format;
mod paths;

use std::path::{Path, PathBuf};

use super::session::ViewState;
use super::{Clip, ContentKey, Document, EditList, History};
use audio::FileKind;
use base::error::{Error, Result};
use base::files::{self, Protected, SafeFile};

/// The name, media type and extension of a project file.
pub const FILE_KIND: FileKind = FileKind {
    name: "Undertone project",
    media_types: &["application/x-undertone"],
    extensions: &["undertone"],
    is_video: false,
};

/// The version that is written, and the latest version that is read. Version 1 had no markers; version 2 had one track;
/// in version 3 no track was a stem; in version 4 all channels were chosen.
pub const VERSION: u32 = 5;

/// The largest accepted file in bytes. A usual one has a few kilobytes; a long history has megabytes.
const MAX_BYTES: u64 = 64 << 20;

/// The contents of a project file.
#[derive(Clone, Debug)]
pub struct Project {
    /// The document and its history; a single state if the file has no history.
    pub history: History,
    /// The cursor and the visible range.
    pub place: ViewState,
    /// The version of the program that wrote the file.
    pub program: String,
}

/// The project file that a document belongs to.
#[derive(Clone, Debug, PartialEq)]
pub struct ProjectFile {
    /// The file.
    pub path: PathBuf,
    /// The key of the document as saved in the file ([`Document::work_key`]).
    pub saved: ContentKey,
}

/// Returns whether a file is a project, by its extension.
pub fn is_project(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| FILE_KIND.extensions.iter().any(|known| extension.eq_ignore_ascii_case(known)))
}

/// Returns the path with the extension of a project, and whether that is the path given.
pub fn named(path: PathBuf) -> (PathBuf, bool) {
    if is_project(&path) {
        return (path, true);
    }
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".");
    name.push(FILE_KIND.extensions[0]);
    (path.with_file_name(name), false)
}

/// Reads a project. Opens none of the files that it names.
///
/// # Errors
/// [`Error::Unsupported`] if a newer version wrote the project; [`Error::Limit`] beyond 64 MiB.
pub fn read(path: &Path) -> Result<Project> {
    let bytes = files::read(path, "project", MAX_BYTES)?;
    format::parsed(&bytes, &folder(path)?, path)
}

/// Writes a project. An existing file is left unchanged on failure. Returns the project file that the document belongs
/// to from then on.
///
/// # Errors
/// [`Error::Refused`] if `target` is one of `inputs`, or exists and `overwrite` is not set; [`Error::Limit`] if the
/// project exceeds 64 MiB, and so could not be read again.
pub fn write(
    target: &Path,
    overwrite: bool,
    inputs: Protected,
    history: &History,
    place: ViewState,
    with_history: bool,
) -> Result<ProjectFile> {
    let path = std::path::absolute(target).map_err(|source| Error::io("write", target, source))?;
    let folder = folder(&path)?;
    let text = format::text(history, place, with_history, &folder)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(Error::Limit {
            what: "size of the project".into(),
            got: format!("{} bytes", text.len()),
            limit: format!("{MAX_BYTES} bytes; save it without its history"),
        });
    }
    // A project that could not be read again is not written.
    let read = format::parsed(text.as_bytes(), &folder, &path)?;
    let mut file = SafeFile::create(&path, overwrite, inputs)?;
    file.append(text.as_bytes())?;
    file.commit()?;
    Ok(ProjectFile { path, saved: read.history.document().work_key() })
}

fn folder(path: &Path) -> Result<PathBuf> {
    let path = std::path::absolute(path).map_err(|source| Error::io("open", path, source))?;
    Ok(path.parent().map(Path::to_path_buf).unwrap_or_default())
}

impl Document {
    /// Returns a key of the saved work: the recordings and their paths, the tracks with their edits and racks, and the
    /// markers. The selection is not part of it.
    pub fn work_key(&self) -> ContentKey {
        let mut parts = Vec::new();
        if !self.markers.is_empty() {
            parts.push(self.markers.key().to_owned());
        }
        let add_clips = |parts: &mut Vec<String>, edits: &EditList| {
            for clip in &edits.clips {
                // Its source, however it is counted.
                let source = clip.source.and_then(|source| self.sources.get(source));
                parts.push(source.map_or_else(String::new, |source| source.path.to_string_lossy().into_owned()));
                parts.push(source.map_or_else(String::new, |source| source.content_key.as_str().to_owned()));
                let clip = Clip { source: clip.source.map(|_| 0), ..clip.clone() };
                parts.push(serde_json::to_string(&clip).unwrap_or_default());
            }
        };
        if self.tracks.is_plain() {
            let racks = serde_json::to_string(&(self.rack, &self.chain, &self.resting));
            parts.push(racks.unwrap_or_default());
            add_clips(&mut parts, &self.edits);
        } else {
            let (chain, resting, rack) = self.sum_racks();
            parts.push(serde_json::to_string(&(rack, chain, resting)).unwrap_or_default());
            for track in self.tracks() {
                let racks = serde_json::to_string(&(track.strip, track.rack, track.chain, track.resting));
                parts.push(racks.unwrap_or_default());
                add_clips(&mut parts, track.edits);
            }
        }
        ContentKey::of_parts(parts.iter().map(String::as_str))
    }
}
