//! The thread that keeps the window up to date: it reports the progress of scans, and changes of the library by any
//! process.
//!
//! ```text
//! a scan that runs              -> Event::Scan four times a second, and at its end
//! another version of the database -> Event::LibraryChanged, once a second at the most, and at a scan's end
//! changes in watched folders    -> a scan of them, after the one that runs
//! ```

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use super::LibraryPage;
use super::scan_part::ScanPart;
use super::types::LibraryCounts;
use crate::error::{Error, Result};
use crate::library::Library;
use crate::library::watch::Change;
use crate::lock::lock;
use crate::window::event::{Event, Notice, NoticeLevel};

/// The interval of scan events.
const SCAN_EVERY: Duration = Duration::from_millis(250);
/// The shortest interval between change events, and the interval of checking for changes.
const CHANGES_EVERY: Duration = Duration::from_secs(1);
/// The interval of retrying a scan that another process prevents.
const TRY_EVERY: Duration = Duration::from_secs(2);

/// A message to the thread.
pub enum Message {
    /// Check for changes now.
    Look,
    /// Something changed in a watched folder.
    Changed(Change),
    /// End the thread.
    Stop,
}

/// Starts the thread. It ends when its sender or the app is dropped.
pub fn start(page: Weak<LibraryPage>) -> Result<Sender<Message>> {
    let (sender, messages) = channel();
    let spawned = thread::Builder::new().name("library keeper".to_owned()).spawn(move || run(&page, &messages));
    spawned.map_err(|error| Error::Internal(format!("no thread to keep the library: {error}")))?;
    Ok(sender)
}

fn run(page: &Weak<LibraryPage>, messages: &Receiver<Message>) {
    let mut keeper = Keeper::default();
    let mut wait = Duration::ZERO;
    loop {
        let message = messages.recv_timeout(wait);
        let Some(page) = page.upgrade() else { return };
        match message {
            Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return,
            Ok(Message::Changed(Change::Places(places))) => {
                lock(&page.scanning).add_next(ScanPart::Places(places));
            }
            Ok(Message::Changed(Change::Everything(why))) => {
                tracing::info!("the whole library is looked through: {why}");
                lock(&page.scanning).add_next(ScanPart::Everything);
            }
            Ok(Message::Look) | Err(RecvTimeoutError::Timeout) => {}
        }
        wait = match page.opened() {
            Ok(library) => keeper.look(&page, &library),
            Err(_) => CHANGES_EVERY,
        };
    }
}

/// The state of the library that was last sent to the window, and when.
#[derive(Default)]
struct Keeper {
    version: Option<i64>,
    changes_told: Option<Instant>,
    scan_told: Option<Instant>,
    tried: Option<Instant>,
    counts: LibraryCounts,
    scanned_elsewhere: bool,
}

impl Keeper {
    /// Checks for changes, sends events, and returns the time until the next check.
    fn look(&mut self, page: &Arc<LibraryPage>, library: &Library) -> Duration {
        let collected = lock(&page.scanning).collect();
        if let Some(Err(error)) = &collected {
            page.workspace.notify(Notice {
                level: NoticeLevel::Error,
                message: format!("The scan stopped. {}", error.sentences()),
            });
        }
        self.begin_next(page);
        let (scan, is_running) = {
            let scanning = lock(&page.scanning);
            (scanning.view(), scanning.is_running())
        };
        let has_ended = collected.is_some();
        if let Some(scan) = scan.filter(|_| has_ended || (is_running && is_due(self.scan_told, SCAN_EVERY))) {
            self.scan_told = Some(Instant::now());
            if has_ended || is_due(self.changes_told, CHANGES_EVERY) {
                self.counts = super::folders::counts(library).unwrap_or(self.counts);
            }
            page.workspace.host.emit(Event::Scan { scan, counts: self.counts });
        }
        self.tell_changes(page, library, has_ended);
        if is_running { SCAN_EVERY } else { CHANGES_EVERY }
    }

    /// Starts the pending scan, unless another one is still running.
    fn begin_next(&mut self, page: &Arc<LibraryPage>) {
        if !is_due(self.tried, TRY_EVERY) {
            return;
        }
        let Some(part) = lock(&page.scanning).take_next() else { return };
        let failed = page.scan_when_possible(part).err();
        let waits_still = !lock(&page.scanning).is_running();
        self.tried = waits_still.then(Instant::now);
        if let Some(error) = failed.filter(|error| !matches!(error, Error::Cancelled)) {
            page.workspace.notify(Notice {
                level: NoticeLevel::Warning,
                message: format!("Changes in the library's folders could not be scanned. {}", error.sentences()),
            });
        }
    }

    fn tell_changes(&mut self, page: &Arc<LibraryPage>, library: &Library, at_once: bool) {
        let Ok(version) = library.version() else { return };
        let Some(known) = self.version else {
            // At the first check the window has just loaded everything.
            self.version = Some(version);
            self.scanned_elsewhere = page.view_of(library).is_ok_and(|view| view.scanned_elsewhere.is_some());
            return;
        };
        let is_new = known != version || self.scanned_elsewhere;
        let is_time = at_once || (is_new && is_due(self.changes_told, CHANGES_EVERY));
        if !is_time {
            return;
        }
        self.changes_told = Some(Instant::now());
        match page.view_of(library) {
            Ok(view) => {
                self.version = Some(version);
                let was_elsewhere = std::mem::replace(&mut self.scanned_elsewhere, view.scanned_elsewhere.is_some());
                // While another process scans, the only change may be that it has finished.
                if at_once || known != version || was_elsewhere != self.scanned_elsewhere {
                    page.workspace.host.emit(Event::LibraryChanged { library: view });
                }
            }
            Err(error) => tracing::warn!("the window was not told of a change of the library: {error}"),
        }
    }
}

fn is_due(last: Option<Instant>, every: Duration) -> bool {
    last.is_none_or(|last| last.elapsed() >= every)
}
