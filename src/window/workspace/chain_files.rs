//! The files that the chains of open documents name: which of them the user allows to be read, whether the chains can
//! run with them, and which files no output may overwrite.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::Workspace;
use super::types::{DocumentId, DocumentView};
use crate::chain::{Chain, Node, NodeId, edit};
use crate::document::Document;
use crate::error::{Error, ErrorCode, Failure, Result};
use crate::files::{self, Protected, Protection};
use crate::library::answers::only_copies_at;
use crate::library::{FILE_NAME, Place};
use crate::lock::lock;
use crate::models::ModelKind;
use crate::window::App;
use crate::window::event::Event;

/// The name of the file with the list of allowed files, in the data folder.
const FILE: &str = "allowed-files.json";
/// The largest accepted size of that file, in bytes.
const MAX_BYTES: u64 = 4 << 20;
/// The greatest number of files to remember; the oldest are dropped.
const MAX_FILES: usize = 4096;
/// How long a command waits for files that a chain reads. A disk answers sooner; an unreachable network share may never
/// answer.
const PATIENCE: Duration = Duration::from_millis(400);

/// The allowed files, and the chains that are being checked.
pub struct ChainFiles {
    workspace: Arc<Workspace>,
    path: PathBuf,
    allowed: Mutex<Vec<String>>,
    /// Chains whose files could not be read within [`PATIENCE`].
    slow: Mutex<BTreeSet<String>>,
}

impl ChainFiles {
    /// Loads the files that earlier sessions allowed.
    pub fn new(workspace: Arc<Workspace>) -> Self {
        let path = workspace.directories.data().join(FILE);
        let bytes = files::read(&path, "list of allowed files", MAX_BYTES).unwrap_or_default();
        let allowed: Vec<String> = serde_json::from_slice(&bytes).unwrap_or_else(|error| {
            // The user is asked about the files again.
            if !bytes.is_empty() {
                tracing::warn!("the list of allowed files cannot be read: {error}: {}", path.display());
            }
            Vec::new()
        });
        workspace.permission.allow(&allowed);
        let models = workspace.state().settings.models.clone();
        ModelKind::ALL.into_iter().for_each(|kind| workspace.permission.confirm(kind, models.has_confirmed(kind)));
        Self { workspace, path, allowed: Mutex::new(allowed), slow: Mutex::default() }
    }

    /// Allows effects to read these files, in this and later sessions.
    pub fn allow(&self, files: &[String]) -> Result<()> {
        self.workspace.permission.allow(files);
        let text = {
            let mut allowed = lock(&self.allowed);
            allowed.retain(|known| !files.contains(known));
            allowed.extend_from_slice(files);
            let surplus = allowed.len().saturating_sub(MAX_FILES);
            allowed.drain(..surplus);
            serde_json::to_vec(&*allowed).map_err(|error| Error::Internal(error.to_string()))?
        };
        files::write(&self.path, true, &text)
    }
}

impl App {
    pub(in crate::window) fn answer_files(
        &self,
        document: DocumentId,
        files: Vec<String>,
        allow: bool,
    ) -> Result<DocumentView> {
        if allow {
            self.chain_files.allow(&files)?;
        }
        {
            let mut state = self.workspace.state();
            let open = state.document_mut(document)?;
            if !allow {
                let changed = open.document().clone().with_chains(|chain| without(chain, &files))?;
                let label = if files.len() == 1 { "Leave out a file" } else { "Leave out files" };
                open.history.apply(label, None, changed);
            }
            // The current display was computed without the files.
            open.revision += 1;
        }
        self.changed(document)
    }
}

/// Returns the chain without the effects that name one of these files.
fn without(mut chain: Chain, files: &[String]) -> Result<Chain> {
    let names = |node: &Node| node.named_files().any(|file| files.iter().any(|asked| asked == file));
    let found: Vec<NodeId> = chain.walk().filter(|node| names(node)).map(|node| node.id).collect();
    for node in found {
        chain = edit::remove(&chain, node)?;
    }
    Ok(chain)
}

impl Workspace {
    /// Returns the files that no output may overwrite: the recordings and projects of open documents, what their
    /// chains read, and the library's only copies of tracks.
    pub fn protected(&self) -> Protected {
        self.protected_files(None)
    }

    /// Like [`Workspace::protected`], without the document's project, which it may overwrite.
    pub fn protected_from(&self, document: DocumentId) -> Protected {
        self.protected_files(Some(document))
    }

    fn protected_files(&self, except: Option<DocumentId>) -> Protected {
        let data = self.directories.data();
        let library = self.library_place().unwrap_or_else(|_| Place::File(data.join(FILE_NAME)));
        let (documents, projects): (Vec<Arc<Document>>, Vec<PathBuf>) = {
            let state = self.state();
            let others = state.documents.values().filter(|open| Some(open.id) != except);
            let projects =
                others.filter_map(|open| open.project.as_ref()).map(|project| project.path.clone()).collect();
            (state.documents.values().map(|open| open.history.shared()).collect(), projects)
        };
        let sources = documents.iter().flat_map(|document| document.sources.iter().map(|source| source.path.clone()));
        let read = documents
            .iter()
            .flat_map(|document| document.all_chains().flat_map(Chain::named_files).collect::<Vec<_>>());
        Protected::default()
            .and(Protection::OpenRecording, sources)
            .and(Protection::OpenProject, projects)
            .and(Protection::ReadByChain, read)
            .guarded(only_copies_at(library))
    }
}

impl ChainFiles {
    /// Returns a document as the window shows it. Whether its chain can run is checked without holding a lock. If the
    /// check reads files that do not answer in time, the view says so, and an event brings the result later.
    pub fn view(self: &Arc<Self>, id: DocumentId) -> Result<DocumentView> {
        let (view, document) = self.unchecked(id)?;
        let reads = document.chain.named_files().iter().any(|file| self.workspace.permission.is_allowed(file));
        Ok(if reads { self.checked_aside(view, document) } else { Outcome::of(&document).put_into(view) })
    }

    fn unchecked(&self, id: DocumentId) -> Result<(DocumentView, Arc<Document>)> {
        let state = self.workspace.state();
        let open = state.document(id)?;
        Ok((open.view(), open.history.shared()))
    }

    fn checked_aside(self: &Arc<Self>, view: DocumentView, document: Arc<Document>) -> DocumentView {
        if lock(&self.slow).contains(&view.chain_text) {
            return waiting(view);
        }
        let (send, outcome) = sync_channel(0);
        let files = Arc::clone(self);
        let (id, text) = (view.id, view.chain_text.clone());
        std::thread::spawn(move || {
            let found = Outcome::of(&document);
            let late = send.send(found).err();
            lock(&files.slow).remove(&text);
            // The caller has timed out, so an event tells the window.
            if let (Some(late), Ok((now, _))) = (late, files.unchecked(id))
                && now.chain_text == text
            {
                files.workspace.host.emit(Event::Document { document: late.0.put_into(now) });
            }
        });
        match outcome.recv_timeout(PATIENCE) {
            Ok(found) => found.put_into(view),
            Err(RecvTimeoutError::Disconnected) => {
                let problem = Error::Internal("checking the chain ended abnormally".into());
                Outcome { problem: Some(problem.into()), length_ratio: 1.0 }.put_into(view)
            }
            Err(RecvTimeoutError::Timeout) => {
                // Must happen before the receiver is dropped, because the other thread waits for that.
                lock(&self.slow).insert(view.chain_text.clone());
                waiting(view)
            }
        }
    }
}

fn waiting(mut view: DocumentView) -> DocumentView {
    view.chain_problem = Some(Failure {
        code: ErrorCode::Io,
        message: "A file of the chain does not answer yet. The chain runs as soon as it does.".to_owned(),
        detail: None,
        notation: None,
    });
    view
}

/// Whether a chain can run, and the ratio of its output length to its input length.
struct Outcome {
    problem: Option<Failure>,
    length_ratio: f64,
}

impl Outcome {
    fn of(document: &Document) -> Self {
        let Ok(format) = document.format() else { return Self { problem: None, length_ratio: 1.0 } };
        match document.chain.check(format) {
            Ok(()) => Self { problem: None, length_ratio: document.chain.length_ratio(format) },
            Err(error) => Self { problem: Some(Failure::from(error)), length_ratio: 1.0 },
        }
    }

    fn put_into(self, view: DocumentView) -> DocumentView {
        DocumentView { chain_problem: self.problem, length_ratio: self.length_ratio, ..view }
    }
}
