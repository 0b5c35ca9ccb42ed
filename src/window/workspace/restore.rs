//! Restores the documents of the last session, except those that ended the program.
//!
//! A document is marked in the session before its recording is opened, and unmarked when its waveform has been read. A
//! document that is still marked at startup was being opened when the program ended. If there is one such document, it
//! is shown but not opened until the user asks for it. If there are several, they are opened one at a time, so that
//! another crash identifies the document that caused it.

use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::Duration;

use super::open_document::OpenDocument;
use super::types::{DocumentId, DocumentView};
use super::{Workspace, warning};
use crate::document::open_files;
use crate::document::session::{Attempt, DocumentKey, Session, StoredDocument};
use crate::error::Result;
use crate::lock::lock;
use crate::window::App;

/// Why a recording is not opened again after the program ended while opening it.
const ENDED: &str = "The program crashed while opening it last time, so it was not opened";
/// How often to check whether a waveform is finished.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The documents of a session that are not opened, or opened alone.
#[derive(Debug, Default, PartialEq)]
struct Plan {
    /// Documents that are not opened.
    failed: Vec<DocumentKey>,
    /// Documents that are opened one at a time, before the others.
    alone: Vec<DocumentKey>,
}

impl Plan {
    fn of(documents: &[StoredDocument], active: Option<DocumentKey>) -> Self {
        let noted = |attempt| move |document: &&StoredDocument| document.attempt == Some(attempt);
        let keys = |attempt| -> Vec<DocumentKey> {
            documents.iter().filter(noted(attempt)).map(|document| document.key).collect()
        };
        let (mut failed, ended, mut alone) = (keys(Attempt::Failed), keys(Attempt::Alone), keys(Attempt::WithOthers));
        match (ended.is_empty(), alone.len()) {
            // Documents that were still waiting for their turn did not cause the crash.
            (false, _) => alone.clear(),
            (true, 1) => failed.append(&mut alone),
            (true, _) => {}
        }
        failed.extend(ended);
        // The active document comes first, because the user sees and hears it first.
        alone.sort_by_key(|key| Some(*key) != active);
        Self { failed, alone }
    }
}

impl Workspace {
    /// Restores the documents of the last session.
    pub(in crate::window) fn restore_documents(self: &Arc<Self>) -> Result<()> {
        let (stored, notices, active, plan) = {
            let mut session = self.session();
            let (documents, notices) = session.documents()?;
            let active = session.active()?;
            let plan = Plan::of(&documents, active);
            session.note_attempts(&plan.failed, Attempt::Failed)?;
            let opened = documents.iter().map(|document| document.key).filter(|key| !plan.failed.contains(key));
            session.note_attempts(&opened.collect::<Vec<_>>(), Attempt::WithOthers)?;
            (documents, notices, active, plan)
        };
        self.state().notices.extend(notices.into_iter().map(warning));
        let (mut first, mut others) = (Vec::new(), Vec::new());
        for document in stored {
            let (id, key) = (DocumentId(self.fresh()), document.key);
            let failed = plan.failed.contains(&key);
            let alone = plan.alone.iter().position(|suspect| *suspect == key);
            let now = document.history.document();
            let files = if failed {
                now.sources.iter().map(|_| Err(ENDED.to_owned())).collect()
            } else if alone.is_some() {
                self.session().note_attempts(&[key], Attempt::Alone)?;
                let files = open_files(now);
                self.session().note_attempts(&[key], Attempt::WithOthers)?;
                files
            } else {
                open_files(now)
            };
            let open = OpenDocument::restored(id, document, files, &self.permission);
            let mut state = self.state();
            if failed {
                let message = format!("{}: {ENDED}. Try again, or close it.", open.name());
                state.notices.push(warning(message));
            }
            if active == Some(key) {
                state.active = Some(id);
            }
            state.documents.insert(id, open);
            state.keys.insert(id, key);
            state.order.push(id);
            match alone {
                Some(place) => first.push((place, id)),
                None if !failed => others.push(id),
                None => {}
            }
        }
        {
            let mut state = self.state();
            if state.active.is_none() {
                state.active = state.order.last().copied();
            }
        }
        if first.is_empty() {
            others.into_iter().for_each(|id| self.start_waveform(id));
            return Ok(());
        }
        first.sort_unstable();
        let first = first.into_iter().map(|(_, id)| id).collect();
        let workspace = Arc::downgrade(self);
        self.in_background("Reading the documents of the last session", move || one_by_one(&workspace, first, others));
        Ok(())
    }

    /// Marks in the session that the recording of a document is about to be opened.
    pub(in crate::window) fn note_attempt(&self, id: DocumentId, attempt: Attempt) -> Result<()> {
        let key = self.state().keys.get(&id).copied();
        key.map_or(Ok(()), |key| self.session().note_attempts(&[key], attempt))
    }

    /// Removes the mark of an attempt.
    pub(in crate::window) fn end_attempt(&self, id: DocumentId) {
        let key = self.state().keys.get(&id).copied();
        if let Some(key) = key {
            end_attempt(&self.shared_session(), key);
        }
    }
}

/// Reads the waveforms of `first` one at a time, then starts those of `others` together.
fn one_by_one(workspace: &Weak<Workspace>, first: Vec<DocumentId>, others: Vec<DocumentId>) {
    for id in first {
        let begun = workspace.upgrade().is_some_and(|workspace| {
            let noted = workspace.note_attempt(id, Attempt::Alone);
            workspace.start_waveform(id);
            noted.is_ok()
        });
        while begun && is_read(workspace, id) == Some(false) {
            thread::sleep(LOOK_EVERY);
        }
        if let Some(workspace) = workspace.upgrade() {
            workspace.end_attempt(id);
        }
    }
    for id in others {
        if let Some(workspace) = workspace.upgrade() {
            workspace.start_waveform(id);
        }
    }
}

/// Returns whether a document's waveform has been read; `None` if the document is closed.
fn is_read(workspace: &Weak<Workspace>, id: DocumentId) -> Option<bool> {
    let workspace = workspace.upgrade()?;
    let state = workspace.state();
    Some(lock(&state.document(id).ok()?.peaks).as_ref()?.is_finished())
}

/// Removes the mark of an attempt. A failure is only logged: if the program is then killed, the document is suspected
/// at the next start.
pub(in crate::window) fn end_attempt(session: &Mutex<Session>, key: DocumentKey) {
    if let Err(error) = lock(session).end_attempt(key) {
        tracing::warn!("{error}");
    }
}

impl App {
    /// Tries again to open the recordings of a document that could not be read.
    pub(in crate::window) fn retry_document(&self, document: DocumentId) -> Result<DocumentView> {
        let workspace = &self.workspace;
        let now = workspace.state().document(document)?.history.shared();
        workspace.note_attempt(document, Attempt::Alone)?;
        let files = open_files(&now);
        let former = {
            let mut state = workspace.state();
            let open = state.document_mut(document)?;
            open.revision += 1;
            (std::mem::replace(&mut open.files, files), std::mem::take(&mut open.source_peaks))
        };
        drop(former);
        // The processed side is rendered again from the recordings that can be read now.
        self.waveforms.forget(document);
        workspace.start_waveform(document);
        self.view(document)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::session::ViewState;
    use crate::document::{Document, DocumentMarkers, EditList, History, Rack};

    fn plan(attempts: &[Option<Attempt>], active: usize) -> (Vec<usize>, Vec<usize>) {
        let folder = tempfile::tempdir().unwrap();
        let (mut session, _) = Session::open(folder.path()).unwrap();
        let empty = || Document {
            title: String::new(),
            sources: Vec::new(),
            edits: EditList { clips: Vec::new() },
            chain: crate::chain::Chain::default(),
            rack: Rack::A,
            resting: crate::chain::Chain::default(),
            tracks: crate::document::Tracks::default(),
            selection: None,
            band: None,
            channels: None,
            markers: DocumentMarkers::default(),
        };
        let documents: Vec<StoredDocument> = attempts
            .iter()
            .map(|attempt| {
                let history = History::new(empty());
                let key = session.add(&history, ViewState::default()).unwrap();
                StoredDocument { key, history, place: ViewState::default(), project: None, attempt: *attempt }
            })
            .collect();
        let found = Plan::of(&documents, documents.get(active).map(|document| document.key));
        let places = |keys: &[DocumentKey]| {
            keys.iter().map(|key| documents.iter().position(|document| document.key == *key).unwrap()).collect()
        };
        (places(&found.failed), places(&found.alone))
    }

    #[test]
    fn one_is_to_blame_several_are_tried_one_by_one() {
        use Attempt::{Alone, Failed, WithOthers};
        assert_eq!(plan(&[None, None], 0), (vec![], vec![]));
        assert_eq!(plan(&[None, Some(WithOthers)], 0), (vec![1], vec![]));
        assert_eq!(plan(&[Some(WithOthers), None, Some(WithOthers), Some(WithOthers)], 2), (vec![], vec![2, 0, 3]));
        assert_eq!(plan(&[Some(WithOthers), Some(Alone), Some(WithOthers)], 0), (vec![1], vec![]));
        assert_eq!(plan(&[Some(Failed), Some(WithOthers), None], 0), (vec![0, 1], vec![]));
        assert_eq!(plan(&[Some(Failed), Some(WithOthers), Some(WithOthers)], 0), (vec![0], vec![1, 2]));
    }
}
