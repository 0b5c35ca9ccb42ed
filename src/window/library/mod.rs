//! The library page: its views, commands, and events.
//!
//! ```text
//! folders, scan, watching -> the database -> table, track, likeness, duplicates, map, identify -> the window
//!                               `-> keeper: events of the scan and of changes, by whatever process
//! bin, export, playlist, tags -> files
//! ```
//!
//! The database is opened on first use. Queries that need all of it in memory share a cache that lasts until the
//! library's content changes. Long work runs as jobs, which store their results here.

pub mod audition;
mod away;
mod bin;
pub mod commands;
mod duplicates;
mod export;
mod folders;
mod identify;
mod keeper;
mod knowledge;
mod likeness;
mod map;
mod passwords;
mod playlist;
mod rows;
mod scan;
mod scan_part;
mod scan_view;
mod table;
mod tags;
mod track;
pub mod types;
mod watching;

use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, Weak};

use self::away::Away;
use self::duplicates::FoundDuplicates;
use self::keeper::Message;
use self::knowledge::CachedFeatures;
use self::playlist::KeptPlaylist;
use self::scan::Scanning;
use self::tags::TagRun;
use self::types::IdentifiedView;
use super::jobs::Jobs;
use super::workspace::Workspace;
use crate::error::Result;
use crate::library::Library;
use crate::library::watch::Watch;
use crate::lock::lock;
use crate::window::event::{Notice, NoticeLevel};

/// The library page.
pub struct LibraryPage {
    /// A pointer to itself, for the thread that keeps the window up to date.
    this: Weak<Self>,
    workspace: Arc<Workspace>,
    jobs: Arc<Jobs>,
    opened: Mutex<Opened>,
    scanning: Mutex<Scanning>,
    /// Held while the library is read for the window, so that the order of the views is that of their content.
    viewing: Mutex<()>,
    /// The watcher of the folders, while watching is on.
    watch: Mutex<Option<Watch>>,
    /// The features of the open library. The inner lock is held while they are loaded.
    kept: Mutex<Arc<Mutex<CachedFeatures>>>,
    /// The folders of a shared library that are on this machine.
    away: Away,
    /// The result of the last search for duplicates.
    duplicates: Arc<Mutex<Option<Arc<FoundDuplicates>>>>,
    /// The result of the last identification.
    identified: Arc<Mutex<Option<IdentifiedView>>>,
    /// The last playlist.
    playlist: Arc<Mutex<KeptPlaylist>>,
    /// The last preview, write or undo of tags.
    tags: Arc<Mutex<Option<Arc<TagRun>>>>,
}

/// The library that the settings name. Its lock is never held while waiting for a server.
#[derive(Default)]
struct Opened {
    library: Option<OpenLibrary>,
    /// Held by the thread that opens the library. Each library that the settings name gets a new lock.
    turn: Arc<Mutex<()>>,
}

/// The open library.
struct OpenLibrary {
    library: Arc<Library>,
    /// Sends to the thread that reports changes to the window; the thread ends when this is dropped.
    keeper: Sender<Message>,
}

impl LibraryPage {
    /// Creates the page. The library is opened on first use.
    pub fn new(workspace: Arc<Workspace>, jobs: Arc<Jobs>) -> Arc<Self> {
        Arc::new_cyclic(|this| Self {
            this: Weak::clone(this),
            workspace,
            jobs,
            opened: Mutex::default(),
            scanning: Mutex::default(),
            viewing: Mutex::default(),
            watch: Mutex::default(),
            kept: Mutex::default(),
            away: Away::default(),
            duplicates: Arc::default(),
            identified: Arc::default(),
            playlist: Arc::default(),
            tags: Arc::default(),
        })
    }

    /// Stops watching and scanning. A scan ends with all its results written.
    pub fn stop(&self) {
        lock(&self.watch).take();
        let scan = lock(&self.scanning).close();
        // Dropping the handle waits for the scan to end, which takes up to 200 ms.
        drop(scan);
        if let Some(opened) = lock(&self.opened).library.as_ref() {
            let _ = opened.keeper.send(Message::Stop);
        }
    }

    /// Sends a message to the thread that keeps the window up to date.
    fn tell_keeper(&self, message: Message) {
        if let Some(opened) = lock(&self.opened).library.as_ref() {
            let _ = opened.keeper.send(message);
        }
    }

    /// Closes the library because the settings name another one, which the next call opens. Does not wait: a scan ends
    /// in the background, with all its results written.
    pub(in crate::window) fn close(&self) {
        let left = std::mem::take(&mut *lock(&self.opened)).library;
        let watch = lock(&self.watch).take();
        let scan = lock(&self.scanning).leave();
        *lock(&self.kept) = Arc::default();
        *lock(&self.duplicates) = None;
        *lock(&self.identified) = None;
        *lock(&self.playlist) = KeptPlaylist::default();
        *lock(&self.tags) = None;
        if let Some(opened) = &left {
            let _ = opened.keeper.send(Message::Stop);
        }
        self.workspace.in_background("Closing the library", move || drop((scan, watch, left)));
    }

    /// Returns the library, which is opened on first use. Notices from opening it are shown to the user. If the
    /// settings name another one in the meantime, opens that one.
    ///
    /// # Errors
    /// If the library cannot be opened, the next call tries again.
    pub fn opened(&self) -> Result<Arc<Library>> {
        loop {
            let turn = {
                let opened = lock(&self.opened);
                if let Some(opened) = &opened.library {
                    return Ok(Arc::clone(&opened.library));
                }
                Arc::clone(&opened.turn)
            };
            let _opening = lock(&turn);
            if self.is_open_or_left(&turn) {
                continue;
            }
            let found = Library::open_at(self.workspace.library_place()?);
            if self.is_open_or_left(&turn) {
                continue;
            }
            let (library, notices) = found?;
            library.listen();
            let library = Arc::new(library);
            let keeper = keeper::start(Weak::clone(&self.this))?;
            {
                let mut opened = lock(&self.opened);
                if !Arc::ptr_eq(&opened.turn, &turn) {
                    continue;
                }
                opened.library = Some(OpenLibrary { library: Arc::clone(&library), keeper });
            }
            for message in notices {
                self.workspace.notify(Notice { level: NoticeLevel::Warning, message });
            }
            if self.workspace.state().settings.library.watch {
                self.watch(&library);
            }
            return Ok(library);
        }
    }

    /// Whether another caller has opened the library, or the settings name another one than when `turn` was taken.
    fn is_open_or_left(&self, turn: &Arc<Mutex<()>>) -> bool {
        let opened = lock(&self.opened);
        opened.library.is_some() || !Arc::ptr_eq(&opened.turn, turn)
    }
}
