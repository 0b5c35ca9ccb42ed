//! What the app holds, and how its parts find each other.
//!
//! Two locks are taken in this order: the session's database, then the state. The state is held for memory only: whoever
//! wants a file, a database, a dialog, an event or the end of a thread takes a copy of what it needs and lets go first.
//! Debug builds panic where that is not so ([`crate::waiting`]). An edit is kept by taking the session, then the change
//! from the state, then writing: so writes happen in the order of the edits, and other commands go on meanwhile.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::api::{DocumentId, Event, LastJob, Notice, NoticeLevel, Settings, TargetId};
use super::batch_page::BatchPage;
use super::chain_files::ChainFiles;
use super::directories::Directories;
use super::host::{Host, Unlocked};
use super::jobs::Jobs;
use super::library_page::LibraryPage;
use super::loudness::LoudnessTracks;
use super::open_document::OpenDocument;
use super::settings;
use super::spectrograms::SpectrogramTiles;
use super::transport::Transport;
use crate::device::Devices;
use crate::document::session::{DocumentKey, Session};
use crate::error::{Error, Result};
use crate::view::FileCache;
use crate::view::peaks::Peaks;
use crate::waiting::{NoWaiting, may_wait};

/// What a window says that is not the first.
const FURTHER_WINDOW: &str = "Undertone is open in another window already. This one has documents of its own; when both \
    are closed, the next start shows the documents of both.";

/// Everything the app holds; shared with its threads.
pub struct Shared {
    pub host: Arc<dyn Host>,
    pub directories: Directories,
    pub devices: Arc<Devices>,
    pub jobs: Jobs,
    pub transport: Transport,
    pub spectrograms: SpectrogramTiles,
    pub loudness: LoudnessTracks,
    pub library: LibraryPage,
    pub batch: BatchPage,
    pub chain_files: ChainFiles,
    session: Arc<Mutex<Session>>,
    state: Mutex<State>,
    /// Held while the settings change, in memory and on disk, so that changes take turns.
    settings_turn: Mutex<()>,
    next_id: AtomicU32,
}

/// What commands read and change.
#[derive(Default)]
pub struct State {
    /// Documents by handle.
    pub documents: BTreeMap<DocumentId, OpenDocument>,
    /// Their places in the session's database.
    pub keys: BTreeMap<DocumentId, DocumentKey>,
    /// Their tabs' order.
    pub order: Vec<DocumentId>,
    /// The one in front.
    pub active: Option<DocumentId>,
    /// The settings.
    pub settings: Settings,
    /// Files the user chose to write to, and whether the user agreed to replace what stands there.
    pub targets: BTreeMap<TargetId, (PathBuf, bool)>,
    /// What the last job ran on.
    pub last_job: Option<LastJob>,
    /// What the window is told at its start.
    pub notices: Vec<Notice>,
}

impl Shared {
    /// Takes up the last session.
    ///
    /// # Errors
    /// [`Error::Io`] or [`Error::Stored`] when nothing can be kept.
    pub fn new(host: Arc<dyn Host>, directories: Directories) -> Result<Arc<Self>> {
        let host: Arc<dyn Host> = Arc::new(Unlocked(host));
        let (settings, settings_notice) = settings::load(directories.config())?;
        let (session, session_notices) = Session::open(directories.data())?;
        let chain_files = ChainFiles::new(directories.data());
        let further = session.is_further().then(|| FURTHER_WINDOW.to_owned());
        let devices = Arc::new(Devices::new(Some(directories.config().to_path_buf())));
        let notices = settings_notice
            .into_iter()
            .chain(session_notices)
            .chain(further)
            .map(|message| warning(message, None))
            .collect();
        let shared = Arc::new(Self {
            jobs: Jobs::new(Arc::clone(&host)),
            transport: Transport::new(Arc::clone(&host), &settings),
            spectrograms: SpectrogramTiles::new(FileCache::new(
                &directories.data().join("spectrograms"),
                "tiles",
                u64::from(settings.cache_mib) << 20,
            )),
            loudness: LoudnessTracks::default(),
            library: LibraryPage::default(),
            batch: BatchPage::default(),
            chain_files,
            host,
            directories,
            devices,
            session: Arc::new(Mutex::new(session)),
            settings_turn: Mutex::new(()),
            state: Mutex::new(State { settings, notices, ..State::default() }),
            next_id: AtomicU32::new(1),
        });
        shared.restore_documents()?;
        Ok(shared)
    }

    /// The state, for one command at a time. Nothing that waits is done while it is held.
    pub fn state(&self) -> HeldState<'_> {
        may_wait("the state");
        HeldState { state: lock(&self.state), _no_waiting: NoWaiting::begin() }
    }

    /// The session's database.
    pub fn session(&self) -> MutexGuard<'_, Session> {
        may_wait("the session");
        lock(&self.session)
    }

    /// The session's database, for threads that must not keep the rest alive.
    pub fn shared_session(&self) -> Arc<Mutex<Session>> {
        Arc::clone(&self.session)
    }

    /// The turn to change the settings, held from reading the former ones until the new ones are written.
    pub fn settings_turn(&self) -> MutexGuard<'_, ()> {
        may_wait("the settings");
        lock(&self.settings_turn)
    }

    /// A number that no handle has had.
    pub fn fresh(&self) -> u32 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// The waveform of a document.
    ///
    /// # Errors
    /// [`Error::NotFound`] without such a document, or when its recording cannot be read.
    pub fn waveform(&self, id: DocumentId) -> Result<Arc<Peaks>> {
        let state = self.state();
        let document = state.document(id)?;
        document.peaks.clone().ok_or_else(|| Error::NotFound { what: "recording", name: document.name() })
    }

    /// Tells the user something.
    pub fn notify(&self, notice: Notice) {
        self.host.emit(Event::Notice { notice });
    }

    /// Ends what runs.
    pub fn shut_down(&self) {
        self.transport.shut_down();
        self.spectrograms.stop_all();
        self.loudness.stop_all();
        self.library.stop();
        self.jobs.stop_all();
        // What is still being opened has not ended the program.
        if let Err(error) = self.session().end_attempts() {
            tracing::warn!("{error}");
        }
    }
}

/// The state, while one command has it.
pub struct HeldState<'a> {
    state: MutexGuard<'a, State>,
    _no_waiting: NoWaiting,
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
    /// An open document.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub fn document(&self, id: DocumentId) -> Result<&OpenDocument> {
        self.documents.get(&id).ok_or_else(|| unknown(id))
    }

    /// An open document, to change.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub fn document_mut(&mut self, id: DocumentId) -> Result<&mut OpenDocument> {
        self.documents.get_mut(&id).ok_or_else(|| unknown(id))
    }
}

fn unknown(id: DocumentId) -> Error {
    Error::NotFound { what: "document", name: id.0.to_string() }
}

/// A warning to the user.
pub fn warning(message: String, document: Option<DocumentId>) -> Notice {
    Notice { level: NoticeLevel::Warning, message, document }
}

/// Locks what a panicking thread may have left; every change under these locks is small and whole.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
