//! Watches the library's folders and scans what changes in them.

use std::sync::Arc;

use super::LibraryPage;
use super::keeper::Message;
use super::types::LibraryView;
use crate::error::Result;
use crate::library::Library;
use crate::library::watch::WatchOptions;
use crate::lock::lock;
use crate::window::App;
use crate::window::event::{Notice, NoticeLevel};

pub(super) fn watch(app: &App, on: bool) -> Result<LibraryView> {
    let library = app.library.opened()?;
    if on {
        library.check_writable()?;
    }
    // Started before the settings change, so that the answer includes the watcher.
    if on {
        app.library.watch(&library);
    }
    if app.workspace.state().settings.library.watch != on {
        app.change_settings(|settings| settings.library.watch = on)?;
    }
    app.library.view_of(&library)
}

impl LibraryPage {
    /// Starts or stops watching according to the settings. A library that is not open yet is not opened for this, and
    /// the folders of a library on a server are read in the background.
    pub(in crate::window) fn watch_as_set(&self) {
        if !self.workspace.state().settings.library.watch {
            drop(lock(&self.watch).take());
            return;
        }
        let library = lock(&self.opened).library.as_ref().map(|opened| Arc::clone(&opened.library));
        if let (Some(library), Some(page)) = (library, self.this.upgrade())
            && lock(&self.watch).is_none()
        {
            self.workspace.in_background("Watching the folders", move || page.watch(&library));
        }
    }

    /// Watches all current folders. Changes since they were last watched are scanned first. Does nothing for a
    /// read-only library, which must not be scanned.
    pub(in crate::window) fn watch(&self, library: &Library) {
        if library.read_only().is_some() {
            return;
        }
        let Some(keeper) = lock(&self.opened).library.as_ref().map(|opened| opened.keeper.clone()) else { return };
        let on_change = move |change| {
            // The receiver is gone during shutdown.
            let _ = keeper.send(Message::Changed(change));
        };
        // The old watcher is dropped first, because both would report the same changes.
        drop(lock(&self.watch).take());
        let options = WatchOptions { from_the_beginning: true, ..WatchOptions::default() };
        match library.watch(options, on_change) {
            Ok(started) => {
                let opened = lock(&self.opened);
                if opened.library.as_ref().is_some_and(|opened| std::ptr::eq(Arc::as_ptr(&opened.library), library)) {
                    *lock(&self.watch) = Some(started);
                }
            }
            Err(error) => self.workspace.notify(Notice {
                level: NoticeLevel::Warning,
                message: format!("The library's folders are not watched. {}", error.sentences()),
            }),
        }
    }

    /// Restarts watching with the current folders, if watching is on.
    pub(super) fn watch_again(&self, library: &Library) {
        if lock(&self.watch).is_some() {
            self.watch(library);
        }
    }

    /// Returns whether the folders are watched, and why one of them is not.
    pub(super) fn watched(&self) -> (bool, Option<String>) {
        let watch = lock(&self.watch);
        (watch.is_some(), watch.as_ref().and_then(crate::library::watch::Watch::problem))
    }
}
