//! The library as the window has it: what its page shows, what its commands change, and what it is told meanwhile.
//!
//! ```text
//! folders, scan, watching -> the database -> table, track, likeness, duplicates, map, identify -> the window
//!                               `-> keeper: events of the scan and of changes, by whatever process
//! bin, export -> files
//! ```
//!
//! The database is opened when it is asked for first. What is asked with the whole of it in memory is kept until the
//! library's content changes; what takes long runs as a job and leaves its outcome here.

mod bin;
mod columns;
mod cover;
mod duplicates;
mod export;
mod folders;
mod identify;
mod keeper;
mod knowledge;
mod likeness;
mod map;
mod rows;
mod scan;
mod scan_view;
mod setting;
mod table;
mod track;
mod watching;

use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};

pub use setting::checked;

use self::duplicates::FoundDuplicates;
use self::keeper::Message;
use self::knowledge::Kept;
use self::scan::Scanning;
use super::api::{IdentifiedView, Notice, NoticeLevel};
use super::state::{Shared, lock};
use crate::error::Result;
use crate::library::watch::Watch;
use crate::library::{FILE_NAME, Library};

/// What the app holds of the library.
#[derive(Default)]
pub struct LibraryPage {
    opened: Mutex<Option<Opened>>,
    scanning: Mutex<Scanning>,
    /// The watch over its folders, while it is on.
    watch: Mutex<Option<Watch>>,
    kept: Mutex<Kept>,
    /// What the last search for duplicates found.
    duplicates: Mutex<Option<Arc<FoundDuplicates>>>,
    /// What the last clip is of.
    identified: Mutex<Option<IdentifiedView>>,
}

/// The opened library.
struct Opened {
    library: Arc<Library>,
    /// To the thread that tells the window of changes; it ends when this is dropped.
    keeper: Sender<Message>,
}

impl LibraryPage {
    /// Ends what runs: the folders are no longer watched, and a scan ends with all that it found out written.
    pub fn stop(&self) {
        lock(&self.watch).take();
        let scan = lock(&self.scanning).close();
        // Its end is waited for, which takes the fifth of a second that a scan has for it.
        drop(scan);
        if let Some(opened) = lock(&self.opened).as_ref() {
            let _ = opened.keeper.send(Message::Stop);
        }
    }

    /// Says something to the thread that keeps the window up to date.
    fn tell_keeper(&self, message: Message) {
        if let Some(opened) = lock(&self.opened).as_ref() {
            let _ = opened.keeper.send(message);
        }
    }
}

impl Shared {
    /// The library, which is opened when it is asked for first. What opening it brings up is told to the user.
    ///
    /// # Errors
    /// As [`Library::open`]; it is tried again the next time.
    pub fn opened_library(self: &Arc<Self>) -> Result<Arc<Library>> {
        let mut opened = lock(&self.library.opened);
        if let Some(opened) = opened.as_ref() {
            return Ok(Arc::clone(&opened.library));
        }
        let (library, notices) = Library::open(&self.directories.data().join(FILE_NAME))?;
        let library = Arc::new(library);
        let keeper = keeper::start(Arc::downgrade(self))?;
        *opened = Some(Opened { library: Arc::clone(&library), keeper });
        drop(opened);
        for message in notices {
            self.notify(Notice { level: NoticeLevel::Warning, message, document: None });
        }
        if self.state().settings.library.watch {
            self.watch(&library);
        }
        Ok(library)
    }
}

/// Whether a command may wait for the disk, for the database or for the user: all but those that only speak to a scan.
pub fn may_take_long(name: &str) -> bool {
    matches!(
        name,
        "library"
            | "add_library_folders"
            | "remove_library_folder"
            | "scan_library"
            | "watch_library"
            | "library_tracks"
            | "library_position"
            | "library_numbers"
            | "library_rows"
            | "complete_query"
            | "library_track"
            | "library_cover"
            | "open_tracks"
            | "library_problems"
            | "retry_tracks"
            | "similar_tracks"
            | "find_duplicates"
            | "duplicates"
            | "decide_duplicates"
            | "make_map"
            | "identify_clip"
            | "bin_tracks"
            | "restore_tracks"
            | "show_track_file"
            | "export_tracks"
    )
}
