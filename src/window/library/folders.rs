//! The library as a whole, and its folders.

use std::path::PathBuf;

use super::LibraryPage;
use super::rows::name_of;
use super::scan_part::ScanPart;
use super::types::{LibraryCounts, LibraryView};
use crate::error::{Error, Result};
use crate::features::DIMENSIONS;
use crate::library::answers::add_folder;
use crate::library::list::columns;
use crate::library::{Library, LibraryStatus};
use crate::lock::lock;
use crate::window::event::{Notice, NoticeLevel};
use crate::window::moment::Moment;
use crate::window::workspace::open_document::file_name;

impl LibraryPage {
    pub(in crate::window) fn view(&self) -> Result<LibraryView> {
        let library = self.opened()?;
        self.view_of(&library)
    }

    pub(in crate::window) fn add_folders(&self) -> Result<LibraryView> {
        let library = self.opened()?;
        library.check_writable()?;
        let folders = self.workspace.host.choose_folders("Add folders to the library");
        if !folders.is_empty() {
            self.add_and_scan(&library, &folders)?;
        }
        self.view_of(&library)
    }

    pub(in crate::window) fn choose_place(&self, folder: String) -> Result<Option<String>> {
        let title = format!("Where is {} on this computer?", name_of(&folder));
        let Some(path) = self.workspace.host.choose_folders(&title).pop() else { return Ok(None) };
        // Paths in the settings are text.
        let text = path.to_str().ok_or_else(|| {
            Error::impossible("The name of this folder is no Unicode text. Choose a folder above or beside it.")
        })?;
        Ok(Some(text.to_owned()))
    }

    pub(in crate::window) fn remove_folder(&self, folder: i64) -> Result<LibraryView> {
        let library = self.opened()?;
        library.remove_root(folder)?;
        self.watch_again(&library);
        self.view_of(&library)
    }
}

impl LibraryPage {
    /// Adds folders that were dropped on the window or passed at startup to the library, and notifies the user.
    pub(in crate::window) fn take_folders(&self, folders: &[PathBuf]) {
        let taken = self.opened().and_then(|library| self.add_and_scan(&library, folders));
        let names = folders.iter().map(|folder| file_name(folder)).collect::<Vec<_>>().join(", ");
        let (level, message) = match taken {
            Ok(()) => (NoticeLevel::Info, format!("Added {names} to the library. Scanning.")),
            Err(error) => {
                (NoticeLevel::Error, format!("{names} could not be added to the library. {}", error.sentences()))
            }
        };
        self.workspace.notify(Notice { level, message });
    }

    /// Adds folders and starts to scan them. A folder that fails does not prevent the others from being added.
    fn add_and_scan(&self, library: &Library, folders: &[PathBuf]) -> Result<()> {
        let (mut places, mut failed) = (Vec::new(), Ok(()));
        for folder in folders {
            match add_folder(library, folder) {
                Ok(place) => places.push(place),
                Err(error) => failed = Err(error),
            }
        }
        self.watch_again(library);
        if !places.is_empty() {
            self.scan_when_possible(ScanPart::Places(places))?;
        }
        failed
    }

    /// Returns the library as its page shows it.
    pub(in crate::window) fn view_of(&self, library: &Library) -> Result<LibraryView> {
        let _one_at_a_time = lock(&self.viewing);
        let moment = Moment::next();
        let status = library.status()?;
        let (scan, is_busy) = {
            let scanning = lock(&self.scanning);
            (scanning.view(), scanning.is_busy())
        };
        let folders = library.roots()?;
        let (watched, watch_problem) = self.watched();
        Ok(LibraryView {
            moment,
            away: self.away.of(library, &folders),
            folders,
            counts: counts_of(&status),
            scan,
            scanned_elsewhere: status.scanned_by.filter(|_| !is_busy),
            watched,
            watch_problem,
            read_only: library.read_only(),
            columns: columns::shown(),
            dimensions: &DIMENSIONS,
            path: library.place().to_string(),
        })
    }
}

/// Returns the numbers of tracks in each state.
pub fn counts(library: &Library) -> Result<LibraryCounts> {
    Ok(counts_of(&library.status()?))
}

fn counts_of(status: &LibraryStatus) -> LibraryCounts {
    LibraryCounts {
        waiting: status.waiting + status.analysing,
        done: status.done,
        failed: status.failed,
        vanished: status.vanished,
        bytes: status.bytes,
        duration_s: status.duration_s,
    }
}
