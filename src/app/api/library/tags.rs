//! Writing what the analysis found into the tags of originals.

use serde::{Deserialize, Serialize};

use super::tracks::TrackListQuery;
use crate::app::library::{TagCounts, TagOutcome};
use crate::error::Failure;
use crate::library::tags::{Recovered, TagChange, TagField, TagValue};
use base::declared::TS;

/// The fields to write, and the tracks to write them to.
#[derive(Clone, Debug, PartialEq, Deserialize, TS)]
pub struct TagRequest {
    /// The query whose tracks are meant.
    pub query: TrackListQuery,
    /// The IDs to which they are limited; `None` for all tracks of the query.
    pub tracks: Option<Vec<i64>>,
    /// The fields to write.
    pub fields: Vec<TagField>,
    /// Whether tags that have a value keep it.
    pub only_missing: bool,
}

/// An action on tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum TagAction {
    /// It is found out what would be written.
    Preview,
    /// Tags are written to originals.
    Write,
    /// Originals are restored.
    Undo,
}

/// A preview, write or undo of tags, with a part of its files.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct TagRunView {
    /// Its number, by which a preview is written.
    pub id: u32,
    /// The action.
    pub action: TagAction,
    /// The fields.
    pub fields: Vec<TagField>,
    /// The number of the write that it made or undid.
    pub write: Option<i64>,
    /// The numbers of files.
    pub counts: TagCounts,
    /// The files that a killed process had left unfinished.
    pub recovered: Recovered,
    /// Whether it was cancelled, after the files that are counted.
    pub cancelled: bool,
    /// The number of files with the outcome that was asked for.
    pub total: usize,
    /// The index of the first of `files` among them.
    pub offset: usize,
    /// A part of them.
    pub files: Vec<TagFileView>,
}

/// A file, and its tags.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct TagFileView {
    /// The track; `None` for a file that is restored.
    pub id: Option<i64>,
    /// The file name.
    pub name: String,
    /// The folder of the file.
    pub folder: String,
    /// The outcome; in a preview, the expected one.
    pub outcome: TagOutcome,
    /// The changes; in a preview, the expected ones.
    pub changes: Vec<TagChange>,
    /// The tags of the chosen fields that stay.
    pub kept: Vec<TagValue>,
    /// Why it was skipped, or the tags of its album left out.
    pub reason: Option<String>,
    /// Why it failed.
    pub failure: Option<Failure>,
}

/// A write of tags that is remembered.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct TagWriteView {
    /// Its number.
    pub id: i64,
    /// When it began, in milliseconds since 1970.
    pub begun_at: i64,
    /// The fields that were written.
    pub fields: Vec<TagField>,
    /// The number of its files.
    pub files: usize,
    /// The number of files whose originals can be restored.
    pub undoable: usize,
    /// The number of files that were restored.
    pub undone: usize,
    /// The size of what is kept for undo, in bytes.
    pub kept_bytes: u64,
}
