//! The base of every page: documents, settings, the session on disk, devices and the host, with their locks.
//!
//! Two locks are taken in this order: the session database, then the state. The state lock is never held while waiting:
//! code that needs a file, a database, a dialog, an event or the end of a thread copies what it needs and releases the
//! lock first. Debug builds panic otherwise ([`crate::blocking`]). To store an edit, a thread locks the session, takes
//! the change from the state, then writes. Writes therefore happen in the order of the edits, and other commands can
//! run meanwhile.

pub mod chain_files;
pub mod closing;
pub mod commands;
pub mod copied;
pub mod documents;
pub mod made_files;
pub mod open_document;
pub mod projects;
pub mod restore;
pub mod types;

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use self::open_document::OpenDocument;
use self::types::DocumentId;
use super::host::{FileChoice, Host, Unlocked};
use crate::audio::Picture;
use crate::blocking::{NoBlocking, may_block};
use crate::device::{DeviceReport, Devices};
use crate::document::session::{DocumentKey, Session};
use crate::effects::Permission;
use crate::error::{Error, Result};
use crate::library::{Address, Password, Place};
use crate::lock::lock;
use crate::view::peaks::Waveform;
use crate::window::event::{Event, Notice, NoticeLevel};
use crate::window::jobs::JobId;
use crate::window::workspace::copied::CopiedSound;
use crate::window::workspace::types::{CoverId, TargetId};
use crate::work::Directories;
use crate::work::export::{ExportForecast, StageSeconds};
use crate::work::settings::{self, Settings};
use crate::work::verify::Verification;

/// The notice in a second window.
const FURTHER_WINDOW: &str = "Undertone is already open in another window. This one has its own documents. When both \
    are closed, the next start shows the documents of both.";

/// The state that the pages of the app share. It does not depend on the pages.
pub struct Workspace {
    pub host: Arc<dyn Host>,
    pub directories: Directories,
    pub devices: Arc<Devices>,
    /// The files and models that the user has allowed to the chains of this window.
    pub permission: Permission,
    session: Arc<Mutex<Session>>,
    state: Mutex<State>,
    /// Held while the settings change in memory and on disk, so that changes do not interleave.
    settings_turn: Mutex<()>,
    /// Held while a project is written, so that the remembered state of the file is its actual content.
    saving_turn: Mutex<()>,
    next_id: AtomicU32,
}

/// The state that commands read and change.
#[derive(Default)]
pub struct State {
    /// The open documents by handle.
    pub documents: BTreeMap<DocumentId, OpenDocument>,
    /// The documents' keys in the session database.
    pub keys: BTreeMap<DocumentId, DocumentKey>,
    /// The order of the tabs.
    pub order: Vec<DocumentId>,
    /// The active document.
    pub active: Option<DocumentId>,
    /// The settings.
    pub settings: Settings,
    /// The sound that was cut or copied last.
    pub copied: Option<Arc<CopiedSound>>,
    /// Files that the user chose to write to.
    pub targets: BTreeMap<TargetId, ChosenFile>,
    /// The files of exports by job.
    pub exported: BTreeMap<JobId, PathBuf>,
    /// The last forecast of an export.
    pub forecast: Option<Forecasting>,
    /// Pictures that the user chose as covers.
    pub covers: BTreeMap<CoverId, Arc<Picture>>,
    /// The device and timings of the last job.
    pub last_job: Option<(DeviceReport, StageSeconds)>,
    /// The last verification of the devices since the program started.
    pub verification: Option<Verification>,
    /// The device of the last spectrogram tile or picture, and why.
    pub spectrogram_device: Option<DeviceReport>,
    /// The password that the user gave for a library's server, until the program ends.
    pub library_password: Option<(Address, Password)>,
    /// Notices that the window receives at startup.
    pub notices: Vec<Notice>,
}

/// A file that the user chose to write to.
#[derive(Clone, Debug)]
pub struct ChosenFile {
    /// The path, with an extension.
    pub path: PathBuf,
    /// Whether the user agreed to replace an existing file.
    pub may_replace: bool,
}

/// A forecast of an export, running or done.
pub struct Forecasting {
    /// The job that measures.
    pub job: JobId,
    /// The result, once it is done.
    pub found: Arc<Mutex<Option<ExportForecast>>>,
}

impl Workspace {
    /// Returns where the library is, with the password that the user gave for its server.
    pub fn library_place(&self) -> Result<Place> {
        let state = self.state();
        let place = settings::library::place(&state.settings.library, self.directories.data())?;
        let given = state.library_password.as_ref().filter(|(address, _)| place.address() == Some(address));
        let given = given.map(|(_, password)| password.clone());
        Ok(place.with_password(given))
    }

    /// Loads the settings and opens the session. Its documents are restored by [`Workspace::restore_documents`].
    pub fn new(host: Arc<dyn Host>, directories: Directories) -> Result<Arc<Self>> {
        let (settings, settings_notice) = settings::load(directories.config())?;
        let (session, session_notices) = Session::open(directories.data())?;
        let further = session.is_further().then(|| FURTHER_WINDOW.to_owned());
        let notices = settings_notice.into_iter().chain(session_notices).chain(further).map(warning).collect();
        Ok(Arc::new(Self {
            host: Arc::new(Unlocked(host)),
            devices: Arc::new(Devices::new(Some(directories.config().to_path_buf()))),
            directories,
            permission: Permission::nothing(),
            session: Arc::new(Mutex::new(session)),
            settings_turn: Mutex::new(()),
            saving_turn: Mutex::new(()),
            state: Mutex::new(State { settings, notices, ..State::default() }),
            next_id: AtomicU32::new(1),
        }))
    }

    /// Locks the state. Nothing may block while the lock is held.
    pub fn state(&self) -> HeldState<'_> {
        may_block("the state");
        HeldState { state: lock(&self.state), _no_waiting: NoBlocking::begin() }
    }

    /// Locks the session database.
    pub fn session(&self) -> MutexGuard<'_, Session> {
        may_block("the session");
        lock(&self.session)
    }

    /// Returns the session database, for threads that must not keep the rest alive.
    pub fn shared_session(&self) -> Arc<Mutex<Session>> {
        Arc::clone(&self.session)
    }

    /// Locks the settings for a change. The lock is held from reading the old settings until the new ones are written.
    pub fn settings_turn(&self) -> MutexGuard<'_, ()> {
        may_block("the settings");
        lock(&self.settings_turn)
    }

    /// Waits until no project is being written, and makes later writers wait.
    pub fn saving_turn(&self) -> MutexGuard<'_, ()> {
        may_block("a project");
        lock(&self.saving_turn)
    }

    /// Returns a number that no handle has used.
    pub fn fresh(&self) -> u32 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// Returns the waveform of a document.
    pub fn waveform(&self, id: DocumentId) -> Result<Waveform> {
        let state = self.state();
        let document = state.document(id)?;
        let peaks = lock(&document.peaks).clone();
        let peaks = peaks.ok_or_else(|| Error::NotFound { what: "recording", name: document.name() })?;
        Ok(Waveform::Edited(peaks))
    }

    /// Lets the user choose a file to write to; `None` if cancelled. A name without an extension gets the first one of
    /// the choice.
    pub fn choose_target(&self, choice: &FileChoice, suggested_name: &str) -> Option<ChosenFile> {
        let mut path = self.host.choose_save(choice, suggested_name)?;
        // The dialog has confirmed the name that it returned, but not the one completed with an extension.
        let may_replace = path.extension().is_some();
        if let Some(extension) = choice.extensions.first().filter(|_| !may_replace) {
            path.set_extension(extension);
        }
        Some(ChosenFile { path, may_replace })
    }

    /// Sends a notice to the window.
    pub fn notify(&self, notice: Notice) {
        self.host.emit(Event::Notice { notice });
    }
}

/// The locked state.
pub struct HeldState<'a> {
    state: MutexGuard<'a, State>,
    _no_waiting: NoBlocking,
}

impl Deref for HeldState<'_> {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}

impl DerefMut for HeldState<'_> {
    fn deref_mut(&mut self) -> &mut State {
        &mut self.state
    }
}

impl State {
    /// Returns an open document.
    pub fn document(&self, id: DocumentId) -> Result<&OpenDocument> {
        self.documents.get(&id).ok_or_else(|| unknown(id))
    }

    /// Returns an open document for changes.
    pub fn document_mut(&mut self, id: DocumentId) -> Result<&mut OpenDocument> {
        self.documents.get_mut(&id).ok_or_else(|| unknown(id))
    }
}

fn unknown(id: DocumentId) -> Error {
    Error::NotFound { what: "document", name: id.0.to_string() }
}

/// Creates a warning for the user.
pub fn warning(message: String) -> Notice {
    Notice { level: NoticeLevel::Warning, message }
}
