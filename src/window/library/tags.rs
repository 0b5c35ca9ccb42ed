//! Tags of originals: the preview, writing what it showed, and undoing it, as jobs.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use super::LibraryPage;
use super::table::question;
use super::types::{TagAction, TagFileView, TagRunView, TagWriteView, TrackListQuery};
use crate::error::{Error, Result};
use crate::library::Library;
use crate::library::answers::{
    TagFile, TagOutcome, TagReport, TagWish, TrackScope, preview_tags, undo_tags, write_tags,
};
use crate::library::tags::{FileState, TagField, Write};
use crate::lock::lock;
use crate::progress::Progress;
use crate::window::excerpt::{PAGE_CHARACTERS, ROW_CHARACTERS, excerpt};
use crate::window::jobs::{JobId, JobPurpose};
use crate::window::workspace::open_document::file_name;

/// The most files to return at a time.
const MAX_FILES: usize = 1000;

/// A preview, write or undo of tags that has ended.
pub struct TagRun {
    id: u32,
    action: TagAction,
    fields: Vec<TagField>,
    /// The request; `None` for an undo.
    wish: Option<TagWish>,
    report: TagReport,
    files: Vec<TagFile>,
}

impl LibraryPage {
    pub(in crate::window) fn preview_tags(
        &self,
        query: TrackListQuery,
        tracks: Option<Vec<i64>>,
        mut fields: Vec<TagField>,
        only_missing: bool,
    ) -> Result<JobId> {
        let (query, _) = question(&query)?;
        fields.sort_unstable();
        fields.dedup();
        let only = tracks.map(|tracks| tracks.into_iter().collect());
        let wish = TagWish {
            scope: TrackScope { query, only },
            fields,
            only_missing,
            agreed: None,
            in_use: self.open_files(),
        };
        let wanted = (wish.fields.clone(), Some(wish));
        self.start_tags(TagAction::Preview, "Preview tags", wanted, |library, wish, progress, tell| {
            preview_tags(library, asked(wish)?, progress, tell)
        })
    }

    pub(in crate::window) fn write_tags(&self, preview: u32) -> Result<JobId> {
        let shown = lock(&self.tags).clone();
        let shown = shown.filter(|run| run.id == preview && run.action == TagAction::Preview);
        let Some((run, wish)) = shown.as_ref().and_then(|run| Some((run, run.wish.clone()?))) else {
            return Err(Error::NotFound { what: "preview of tags", name: preview.to_string() });
        };
        let changed = run.files.iter().filter(|file| file.outcome == TagOutcome::Changes);
        // Only the changes that were shown are written, whatever the query finds now.
        let agreed: HashMap<_, _> = changed.filter_map(|file| Some((file.id?, file.changes.clone()))).collect();
        let only = Some(agreed.keys().copied().collect());
        let scope = TrackScope { only, ..wish.scope };
        let wish = TagWish { scope, agreed: Some(agreed), in_use: self.open_files(), ..wish };
        let wanted = (wish.fields.clone(), Some(wish));
        self.start_tags(TagAction::Write, "Write tags", wanted, |library, wish, progress, tell| {
            write_tags(library, asked(wish)?, progress, tell)
        })
    }

    pub(in crate::window) fn undo_tags(&self, write: i64) -> Result<JobId> {
        let writes = self.opened()?.tag_writes()?;
        let in_use = self.open_files();
        let fields = writes.iter().find(|known| known.id == write).map(fields_of).unwrap_or_default();
        self.start_tags(TagAction::Undo, "Undo written tags", (fields, None), move |library, _, progress, tell| {
            undo_tags(library, Some(write), &in_use, progress, tell)
        })
    }

    pub(in crate::window) fn tag_run(
        &self,
        outcome: Option<TagOutcome>,
        offset: usize,
        limit: usize,
    ) -> Result<Option<TagRunView>> {
        let Some(run) = lock(&self.tags).clone() else { return Ok(None) };
        let is_asked = |file: &&TagFile| outcome.is_none_or(|outcome| file.outcome == outcome);
        Ok(Some(TagRunView {
            id: run.id,
            action: run.action,
            fields: run.fields.clone(),
            write: run.report.write,
            counts: run.report.counts,
            recovered: run.report.recovered.completed + run.report.recovered.given_up,
            cancelled: run.report.cancelled,
            total: run.files.iter().filter(is_asked).count(),
            files: run.files.iter().filter(is_asked).skip(offset).take(limit.min(MAX_FILES)).map(file_view).collect(),
        }))
    }

    pub(in crate::window) fn tag_writes(&self) -> Result<Vec<TagWriteView>> {
        Ok(self.opened()?.tag_writes()?.iter().map(write_view).collect())
    }

    pub(in crate::window) fn forget_tags(&self, write: i64) -> Result<Vec<TagWriteView>> {
        self.opened()?.tag_writer()?.0.forget(write)?;
        self.tag_writes()
    }

    /// Returns the files of the recordings of all open documents, with links resolved.
    fn open_files(&self) -> BTreeSet<PathBuf> {
        let state = self.workspace.state();
        let documents = state.documents.values();
        let paths: Vec<PathBuf> =
            documents.flat_map(|open| open.document().sources.iter().map(|source| source.path.clone())).collect();
        drop(state);
        paths.iter().filter_map(|path| std::fs::canonicalize(path).ok()).collect()
    }

    /// Starts a job and keeps its report on each file. One runs at a time.
    fn start_tags(
        &self,
        action: TagAction,
        title: &str,
        (fields, wish): (Vec<TagField>, Option<TagWish>),
        work: impl FnOnce(&Library, Option<&TagWish>, &Progress, &mut dyn FnMut(TagFile)) -> Result<TagReport>
        + Send
        + 'static,
    ) -> Result<JobId> {
        let library = self.opened()?;
        let path = library.path().to_path_buf();
        let (kept, id) = (Arc::clone(&self.tags), self.workspace.fresh());
        let started = self.jobs.start_alone(JobPurpose::Tags, title.to_owned(), move |progress| {
            let mut files = Vec::new();
            let report = work(&library, wish.as_ref(), progress, &mut |file| files.push(file))?;
            *lock(&kept) = Some(Arc::new(TagRun { id, action, fields, wish, report, files }));
            Ok(None)
        });
        started.map_err(|_| Error::Refused {
            reason: "Tags are being read or written. Wait until that has finished, or cancel it".to_owned(),
            path,
        })
    }
}

fn asked(wish: Option<&TagWish>) -> Result<&TagWish> {
    wish.ok_or_else(|| Error::Internal("tags without a wish".into()))
}

fn file_view(file: &TagFile) -> TagFileView {
    let mut changes = file.changes.clone();
    for text in changes.iter_mut().flat_map(|change| [&mut change.old, &mut change.new]) {
        *text = text.take().map(|text| excerpt(&text, ROW_CHARACTERS));
    }
    let kept = file.kept.iter().map(|kept| (kept.tag.clone(), excerpt(&kept.value, ROW_CHARACTERS)));
    let failure = file.error.clone().map(|mut failure| {
        failure.message = excerpt(&failure.message, PAGE_CHARACTERS);
        failure
    });
    TagFileView {
        id: file.id,
        name: file_name(&file.path),
        folder: file.path.parent().map_or_else(String::new, |folder| folder.display().to_string()),
        outcome: file.outcome,
        changes,
        kept: kept.collect(),
        reason: file.reason.map(str::to_owned),
        failure,
    }
}

/// Returns the fields of a write. Fields of a later version have no name here and are left out.
fn fields_of(write: &Write) -> Vec<TagField> {
    write.fields.split(',').filter_map(|name| name.parse().ok()).collect()
}

fn write_view(write: &Write) -> TagWriteView {
    TagWriteView {
        id: write.id,
        begun_at: write.begun_at,
        fields: fields_of(write),
        files: write.files.len(),
        undoable: write.files.iter().filter(|file| file.undoable).count(),
        undone: write.files.iter().filter(|file| file.state == FileState::Undone).count(),
        kept_bytes: write.kept_bytes,
    }
}
