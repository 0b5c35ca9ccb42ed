//! Writes tags to the tracks of a question: a preview, or the write itself, file by file.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::TrackScope;
use crate::tags::{Albums, Plan, Recovered, TagChange, TagField, TagValue, Unplanned, Write, plan};
use crate::{Library, SortKey};
use base::declared::TS;
use base::error::{Error, Failure, Result};
use base::progress::Progress;

/// The fields to write, and the tracks to write them to.
#[derive(Clone, Debug)]
pub struct TagWish {
    /// The tracks.
    pub scope: TrackScope,
    /// The fields to write.
    pub fields: Vec<TagField>,
    /// Whether existing values are kept.
    pub only_missing: bool,
    /// The agreed changes, by track; a file that would get other changes is refused. `None` allows any changes.
    pub agreed: Option<HashMap<i64, Vec<TagChange>>>,
    /// Files that are in use, with links resolved; they are refused.
    pub in_use: BTreeSet<PathBuf>,
}

/// The outcome for a file; in a preview, the expected one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum TagOutcome {
    /// Its tags would change.
    Changes,
    /// Its tags already have these values.
    Unchanged,
    /// Its tags were written.
    Written,
    /// Nothing could be written.
    Skipped,
    /// The write failed, and the file is unchanged.
    Failed,
    /// Its original was restored.
    Restored,
}

/// A file and its tags.
#[derive(Debug, Serialize)]
pub struct TagFile {
    /// The track; `None` for a file that is restored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<i64>,
    /// The file.
    #[serde(flatten, serialize_with = "base::files::json::as_path")]
    pub path: PathBuf,
    /// The outcome.
    pub outcome: TagOutcome,
    /// The changes.
    pub changes: Vec<TagChange>,
    /// The tags of the chosen fields whose values are kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<TagValue>,
    /// Why the file was skipped, or its album tags were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
}

/// The numbers of files by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TagCounts {
    /// Files whose tags would change.
    pub changes: usize,
    /// Files whose tags already have these values.
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

/// The result of writing tags, or of undoing a write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TagReport {
    /// The number of the write, with which it can be undone; `None` if no file was written.
    pub write: Option<i64>,
    /// The numbers of files.
    pub counts: TagCounts,
    /// The files that a killed process had left unfinished.
    pub recovered: Recovered,
    /// Whether it was cancelled, after the files that are counted.
    pub cancelled: bool,
}

/// Calls `tell` with the changes that would be written to each track, sorted by path. Writes nothing. Progress counts
/// tracks.
///
/// # Errors
/// The errors of single files go to `tell`.
pub fn preview_tags(
    library: &Library,
    wish: &TagWish,
    progress: &Progress,
    tell: impl FnMut(TagFile),
) -> Result<TagReport> {
    each_track(library, wish, progress, tell, |_| Ok(TagOutcome::Changes))
}

/// Writes to the tracks, sorted by path, and calls `tell` with each. Progress counts tracks. A file that fails is left
/// unchanged, and the others continue.
///
/// # Errors
/// [`Error::Refused`] while another process writes tags. The errors of single files go to `tell`.
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
    act: impl Fn(&Plan) -> Result<TagOutcome>,
) -> Result<TagReport> {
    let ids = wish.scope.ids(library, &[SortKey::up("path")])?;
    progress.set_total(ids.len() as u64);
    let mut report = TagReport::default();
    let mut albums = Albums::new(library);
    for id in &ids {
        if progress.advance(1).is_err() {
            report.cancelled = true;
            break;
        }
        let track = match library.track(*id) {
            Ok(track) => track,
            // The track was removed in the meantime.
            Err(Error::NotFound { .. }) => continue,
            Err(error) => return Err(error),
        };
        let mut file = TagFile {
            id: Some(*id),
            path: track.path.clone(),
            outcome: TagOutcome::Unchanged,
            changes: Vec::new(),
            kept: Vec::new(),
            reason: None,
            error: None,
        };
        let outcome = match plan(&track, &wish.fields, wish.only_missing, &mut albums, &progress.uncounted()) {
            Ok(plan) => {
                file.changes.clone_from(&plan.changes);
                file.kept.clone_from(&plan.kept);
                file.reason = plan.left_out;
                if plan.changes.is_empty() {
                    Ok(TagOutcome::Unchanged)
                } else {
                    check_agreed(&plan, wish)
                        .and_then(|()| check_unused(plan.target(), &wish.in_use))
                        .and_then(|()| act(&plan))
                }
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

/// Refuses a file that would get other changes than agreed.
fn check_agreed(plan: &Plan, wish: &TagWish) -> Result<()> {
    match &wish.agreed {
        Some(agreed) if agreed.get(&plan.id) != Some(&plan.changes) => {
            let reason = "What would be written has changed since the preview. Preview it again".to_owned();
            Err(Error::Refused { reason, path: plan.path.clone() })
        }
        _ => Ok(()),
    }
}

/// Refuses a file that is in use: a document identifies its recording by the bytes of the file.
fn check_unused(path: &Path, in_use: &BTreeSet<PathBuf>) -> Result<()> {
    if in_use.contains(path) {
        let reason = "The file is open in the editor. Close it there first".to_owned();
        return Err(Error::Refused { reason, path: path.to_path_buf() });
    }
    Ok(())
}

/// Counts and reports a file. Returns `None` if the work was cancelled.
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

/// Restores the originals of a write, or of the latest write that has any, and calls `tell` with each file. Files that
/// are `in_use`, named with links resolved, are refused. Progress counts files.
///
/// # Errors
/// [`Error::Impossible`] if no `write` is named and none can be undone; [`Error::Refused`] while another process writes
/// tags. The errors of single files go to `tell`.
pub fn undo_tags(
    library: &Library,
    write: Option<i64>,
    in_use: &BTreeSet<PathBuf>,
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
            kept: Vec::new(),
            reason: None,
            error: None,
        };
        let undone = check_unused(&file.path, in_use).and_then(|()| writer.undo(file));
        let _ = finish(told, undone.map(|()| TagOutcome::Restored), &mut report.counts, &mut tell);
    }
    Ok(report)
}
