//! Closes documents with their whole state, and reopens them: the last one by command, others by their file.

use std::path::{Path, PathBuf};

use super::open_document::{OpenDocument, file_name};
use super::types::{DocumentId, Opened};
use super::{Workspace, warning};
use crate::document::project::{self, Project};
use crate::document::session::StoredDocument;
use crate::document::{Document, SourceState, open_files};
use crate::error::{Error, Result};
use crate::window::App;

impl App {
    /// Closes a document. Returns the name of the document that would be opened again.
    pub(in crate::window) fn close_document(&self, document: DocumentId) -> Result<Option<String>> {
        self.playback.forget(document);
        self.spectrograms.forget(document);
        self.loudness.forget(document);
        self.measurements.forget(document);
        self.waveforms.forget(document);
        let (key, closed) = {
            let mut state = self.workspace.state();
            state.document(document)?;
            let closed = state.documents.remove(&document);
            let place = state.order.iter().position(|&id| id == document).unwrap_or(0);
            state.order.retain(|&id| id != document);
            if state.active == Some(document) {
                state.active = state.order.get(place.min(state.order.len().saturating_sub(1))).copied();
            }
            (state.keys.remove(&document), closed)
        };
        let path = closed.as_ref().map(OpenDocument::closed_path);
        // Dropping the document ends its threads, which must not happen under the state lock.
        drop(closed);
        if let Some(key) = key {
            self.workspace.session().close(key, &path.unwrap_or_default())?;
        }
        self.workspace.last_closed()
    }

    /// Reopens the document that was closed last; empty if there is none.
    pub(in crate::window) fn reopen_closed(&self) -> Result<Opened> {
        let found = self.workspace.session().last_closed(None)?;
        let documents = match found {
            Some(document) => vec![self.activated(self.workspace.reopened(document)?)?],
            None => Vec::new(),
        };
        Ok(Opened { documents, failures: Vec::new(), last_closed: self.workspace.last_closed()? })
    }
}

impl Workspace {
    /// Returns the name of the document that was closed last.
    pub(in crate::window) fn last_closed(&self) -> Result<Option<String>> {
        Ok(self.session().last_closed_path()?.map(|path| file_name(&path)))
    }

    /// Reopens the document that was closed as this file, if the file has not changed since: the same recording, or the
    /// project as last saved. Otherwise returns `None` and, unless the closed document was untouched, tells the user
    /// how to get it back.
    pub(in crate::window) fn reopened_as(&self, path: &Path, project: Option<&Project>) -> Result<Option<DocumentId>> {
        let Some(closed) = self.session().last_closed(Some(path))? else { return Ok(None) };
        let now = closed.history.document();
        let is_same = match (project, &closed.project) {
            (Some(project), Some(known)) => project.history.document().work_key() == known.saved,
            (None, None) => now.sources.iter().all(|source| source.state() == SourceState::Present),
            _ => false,
        };
        if is_same {
            return self.reopened(closed).map(Some);
        }
        if !is_untouched(&closed) {
            let message = format!(
                "{} was changed since it was closed, so it was opened as it is now. Reopen closed brings back what you had.",
                file_name(path)
            );
            self.notify(warning(message));
        }
        Ok(None)
    }

    /// Reopens a closed document with its whole state.
    fn reopened(&self, closed: StoredDocument) -> Result<DocumentId> {
        self.session().reopen(&closed)?;
        let id = DocumentId(self.fresh());
        let key = closed.key;
        let files = open_files(closed.history.document());
        let open = OpenDocument::restored(id, closed, files, &self.permission);
        {
            let mut state = self.state();
            state.documents.insert(id, open);
            state.keys.insert(id, key);
            state.order.push(id);
        }
        self.start_waveform(id);
        Ok(id)
    }
}

/// Returns whether a recording was only looked at, not edited.
fn is_untouched(closed: &StoredDocument) -> bool {
    let plain = |document: &Document| {
        document.is_whole() && document.chain.nodes.is_empty() && document.resting.nodes.is_empty()
    };
    closed.project.is_none() && closed.history.steps().0.len() == 1 && plain(closed.history.document())
}

impl OpenDocument {
    /// Returns the file that opens this document: its project, or its recording. The recordings of a document with a
    /// title are only parts of it.
    pub(in crate::window) fn path(&self) -> Option<PathBuf> {
        let plain = || Some(self.document()).filter(|document| document.title.is_empty());
        let source = || plain()?.sources.first().map(|source| source.path.clone());
        self.project.as_ref().map(|project| project.path.clone()).or_else(source)
    }

    /// Returns the path under which the closed document is stored: the file that opens it, or otherwise its name, which
    /// is not the path of a file.
    fn closed_path(&self) -> PathBuf {
        self.path().unwrap_or_else(|| PathBuf::from(self.name()))
    }

    /// Returns whether a file opens this document.
    pub(in crate::window) fn is_of(&self, path: &Path) -> bool {
        match &self.project {
            Some(project) => project.path == path,
            None => self.is_only(path),
        }
    }
}

impl Workspace {
    /// Returns the open document that a file opens. A recording that has changed since no longer belongs to that
    /// document.
    pub(in crate::window) fn open_as(&self, path: &Path) -> Option<DocumentId> {
        let (id, sources) = {
            let state = self.state();
            let open = state.documents.values().find(|open| open.is_of(path))?;
            let lost = open.files.iter().any(Result::is_err) && open.project.is_none();
            (open.id, if lost { open.document().sources.clone() } else { Vec::new() })
        };
        sources.iter().all(|source| source.state() != SourceState::Changed).then_some(id)
    }

    /// Reads a file to be opened, if it is a project.
    pub(in crate::window) fn read_project(path: &Path) -> Result<Option<Project>> {
        if project::is_project(path) { project::read(path).map(Some) } else { Ok(None) }
    }
}

/// Returns a path that has the same meaning at a later start.
pub(in crate::window) fn lasting(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).map_err(|source| Error::io("open", path, source))
}
