//! Writing results of the analysis to the tags of originals.

use serde::Serialize;

use crate::error::Failure;
use crate::library::answers::{TagCounts, TagOutcome};
use crate::library::tags::{TagChange, TagField};
use base::declared::TS;

/// An action on tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum TagAction {
    /// Finds out what would be written.
    Preview,
    /// Writes tags to originals.
    Write,
    /// Restores originals.
    Undo,
}

/// The result of a preview, write or undo of tags, with a range of its files.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct TagRunView {
    /// Its number, with which a preview can be written.
    pub id: u32,
    /// The action.
    pub action: TagAction,
    /// The fields.
    pub fields: Vec<TagField>,
    /// The number of the write that it made or undid.
    pub write: Option<i64>,
    /// The numbers of files.
    #[ts(type = "Record<TagOutcome, number>")]
    pub counts: TagCounts,
    /// The number of files that a killed process had left unfinished and that are in order now.
    pub recovered: usize,
    /// Whether it was cancelled, after the files that are counted.
    pub cancelled: bool,
    /// The number of files with the requested outcome.
    pub total: usize,
    /// A range of these files.
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
    /// The tags of the chosen fields that stay unchanged, named as in Vorbis comments, with their values.
    pub kept: Vec<(String, String)>,
    /// Why the file was skipped, or its album tags were left out.
    pub reason: Option<String>,
    /// Why it failed.
    pub failure: Option<Failure>,
}

/// A past write of tags.
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
