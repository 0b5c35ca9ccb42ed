//! Writes tags to the tracks of a question: a preview, or the writing itself, file by file.

use std::path::PathBuf;

use serde::Serialize;

use crate::error::{Error, Failure, Result};
use crate::library::tags::{Recovered, TagChange, TagField, Unplanned, Write, plan};
use crate::library::{Library, SortKey, TrackQuery};
use crate::progress::Progress;

/// What to write, and to which tracks.
#[derive(Clone, Debug)]
pub struct TagWish {
    /// The tracks.
    pub query: TrackQuery,
    /// What to write.
    pub fields: Vec<TagField>,
    /// Whether tags that have a value keep it.
    pub only_missing: bool,
}

/// What happened to a file, or would.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TagOutcome {
    /// Its tags would change.
    Changes,
    /// Its tags say so already.
    Unchanged,
    /// Its tags were written.
    Written,
    /// There is nothing that could be written.
    Skipped,
    /// It could not be written, and is as it was.
    Failed,
    /// Its original was restored.
    Restored,
}

/// A file and its tags.
#[derive(Debug, Serialize)]
pub struct TagFile {
    /// The track; `None` for what was written before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<i64>,
    /// The file.
    #[serde(flatten, serialize_with = "crate::files::json::as_path")]
    pub path: PathBuf,
    /// What happened.
    pub outcome: TagOutcome,
    /// The changes.
    pub changes: Vec<TagChange>,
    /// Why it was skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
}

/// The numbers of files by what happened to them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TagCounts {
    /// Files whose tags would change.
    pub changes: usize,
    /// Files whose tags say so already.
    pub unchanged: usize,
    /// Files that were written.
    pub written: usize,
    /// Files without anything to write.
    pub skipped: usize,
    /// Files that failed.
    pub failed: usize,
    /// Files that were restored.
    pub restored: usize,
}

impl TagCounts {
    fn count(&mut self, outcome: TagOutcome) {
        *match outcome {
            TagOutcome::Changes => &mut self.changes,
            TagOutcome::Unchanged => &mut self.unchanged,
            TagOutcome::Written => &mut self.written,
            TagOutcome::Skipped => &mut self.skipped,
            TagOutcome::Failed => &mut self.failed,
            TagOutcome::Restored => &mut self.restored,
        } += 1;
    }
}

/// The result of writing tags, or of undoing it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TagReport {
    /// The number of the write, by which it can be undone; `None` if no file was written.
    pub write: Option<i64>,
    /// The numbers of files.
    pub counts: TagCounts,
    /// What an earlier, killed process had left.
    pub recovered: Recovered,
    /// Whether it was cancelled, after the files that are counted.
    pub cancelled: bool,
}

/// Calls `tell` with what would be written to each track, sorted by path. Nothing is written. Progress counts tracks.
///
/// # Errors
/// [`Error::Stored`]. The errors of single files are told.
pub fn preview_tags(
    library: &Library,
    wish: &TagWish,
    progress: &Progress,
    tell: impl FnMut(TagFile),
) -> Result<TagReport> {
    each_track(library, wish, progress, tell, |_| Ok(TagOutcome::Changes))
}

/// Writes to the tracks, sorted by path, and calls `tell` with each. Progress counts tracks. A file that fails is as it
/// was, and the others go on.
///
/// # Errors
/// [`Error::Refused`] while another process writes tags; [`Error::Stored`]. The errors of single files are told.
pub fn write_tags(
    library: &Library,
    wish: &TagWish,
    progress: &Progress,
    tell: impl FnMut(TagFile),
) -> Result<TagReport> {
    let (writer, recovered) = library.tag_writer()?;
    let write = writer.begin(&wish.fields)?;
    let done = each_track(library, wish, progress, tell, |plan| {
        writer.write(write, plan, &progress.uncounted())?;
        Ok(TagOutcome::Written)
    });
    writer.end(write)?;
    let done = done?;
    Ok(TagReport { write: (done.counts.written > 0).then_some(write), recovered, ..done })
}

fn each_track(
    library: &Library,
    wish: &TagWish,
    progress: &Progress,
    mut tell: impl FnMut(TagFile),
    act: impl Fn(&crate::library::tags::Plan) -> Result<TagOutcome>,
) -> Result<TagReport> {
    let ids = library.track_ids(&wish.query, &[SortKey::up("path")])?;
    progress.set_total(ids.len() as u64);
    let mut report = TagReport::default();
    for id in ids.iter() {
        if progress.advance(1).is_err() {
            report.cancelled = true;
            break;
        }
        let track = match library.track(*id) {
            Ok(track) => track,
            // It was removed meanwhile.
            Err(Error::NotFound { .. }) => continue,
            Err(error) => return Err(error),
        };
        let mut file = TagFile {
            id: Some(*id),
            path: track.path.clone(),
            outcome: TagOutcome::Unchanged,
            changes: Vec::new(),
            reason: None,
            error: None,
        };
        let outcome = match plan(&track, &wish.fields, wish.only_missing, &progress.uncounted()) {
            Ok(plan) if plan.changes.is_empty() => Ok(TagOutcome::Unchanged),
            Ok(plan) => {
                file.changes.clone_from(&plan.changes);
                act(&plan)
            }
            Err(Unplanned::Nothing(reason)) => {
                file.reason = Some(reason);
                Ok(TagOutcome::Skipped)
            }
            Err(Unplanned::Failed(error)) => Err(error),
        };
        if finish(file, outcome, &mut report.counts, &mut tell).is_none() {
            report.cancelled = true;
            break;
        }
    }
    Ok(report)
}

/// Counts and tells a file. Returns `None` if it was cancelled.
fn finish(
    mut file: TagFile,
    outcome: Result<TagOutcome>,
    counts: &mut TagCounts,
    tell: &mut impl FnMut(TagFile),
) -> Option<()> {
    file.outcome = match outcome {
        Ok(outcome) => outcome,
        Err(Error::Cancelled) => return None,
        Err(error) => {
            file.error = Some(Failure::from(&error));
            TagOutcome::Failed
        }
    };
    counts.count(file.outcome);
    tell(file);
    Some(())
}

/// Restores the originals of a write, or of the latest one of which there are any, and calls `tell` with each file.
/// Progress counts files.
///
/// # Errors
/// [`Error::NotFound`] if there is no such write; [`Error::Refused`] while another process writes tags;
/// [`Error::Stored`]. The errors of single files are told.
pub fn undo_tags(
    library: &Library,
    write: Option<i64>,
    progress: &Progress,
    mut tell: impl FnMut(TagFile),
) -> Result<TagReport> {
    let (writer, recovered) = library.tag_writer()?;
    let writes = library.tag_writes()?;
    let is_asked = |known: &&Write| match write {
        Some(id) => known.id == id,
        None => known.files.iter().any(|file| file.undoable),
    };
    let Some(found) = writes.iter().find(is_asked) else {
        let Some(id) = write else {
            return Err(Error::impossible("No tags were written that could be undone."));
        };
        let known = writes.iter().map(|write| write.id.to_string()).collect::<Vec<_>>().join(", ");
        let known = if known.is_empty() { "; none is kept".to_owned() } else { format!("; kept are {known}") };
        return Err(Error::NotFound { what: "write of tags", name: format!("number {id}{known}") });
    };
    let mut report = TagReport { write: Some(found.id), recovered, ..TagReport::default() };
    let files: Vec<_> = found.files.iter().filter(|file| file.undoable).collect();
    progress.set_total(files.len() as u64);
    for file in files.into_iter().rev() {
        if progress.advance(1).is_err() {
            report.cancelled = true;
            break;
        }
        let back = |change: &TagChange| TagChange {
            tag: change.tag.clone(),
            old: change.new.clone(),
            new: change.old.clone(),
        };
        let told = TagFile {
            id: None,
            path: file.path.clone(),
            outcome: TagOutcome::Restored,
            changes: file.changes.iter().map(back).collect(),
            reason: None,
            error: None,
        };
        let _ = finish(told, writer.undo(file).map(|()| TagOutcome::Restored), &mut report.counts, &mut tell);
    }
    Ok(report)
}
