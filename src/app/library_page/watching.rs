//! Watches the library's folders and scans what changes in them.

use std::sync::Arc;

use super::LibraryPage;
use super::keeper::Message;
use crate::app::api::{Notice, NoticeLevel, WatchView};
use crate::library::Library;
use crate::library::watch::WatchOptions;
use crate::lock::lock;

impl LibraryPage {
    /// Starts or stops watching as the settings say. A library that is not open yet is not opened for this.
    pub(in crate::app) fn watch_as_set(&self) {
        let library = lock(&self.opened).as_ref().map(|opened| Arc::clone(&opened.library));
        let is_on = self.workspace.state().settings.library.watch;
        match library {
            Some(library) if is_on => self.watch(&library),
            _ => drop(lock(&self.watch).take()),
        }
    }

    /// Watches all current folders. Changes since they were last watched are scanned first. Of a library that is only
    /// read none are, because nothing may be scanned.
    pub(in crate::app) fn watch(&self, library: &Library) {
        if library.read_only().is_some() {
            return;
        }
        let Some(keeper) = lock(&self.opened).as_ref().map(|opened| opened.keeper.clone()) else { return };
        let on_change = move |change| {
            // The receiver is gone during shutdown.
            let _ = keeper.send(Message::Changed(change));
        };
        let mut watch = lock(&self.watch);
        // The old watcher is dropped first, because both would report the same changes.
        watch.take();
        let options = WatchOptions { from_the_beginning: true, ..WatchOptions::default() };
        match library.watch(options, on_change) {
            Ok(started) => *watch = Some(started),
            Err(error) => self.workspace.notify(Notice {
                level: NoticeLevel::Warning,
                message: format!("The library's folders are not watched. {}", error.sentences()),
                document: None,
            }),
        }
    }

    /// Restarts watching with the current folders, if watching is on.
    pub(super) fn watch_again(&self, library: &Library) {
        if lock(&self.watch).is_some() {
            self.watch(library);
        }
    }

    pub(super) fn watch_view(&self) -> WatchView {
        let watch = lock(&self.watch);
        WatchView { on: watch.is_some(), problem: watch.as_ref().and_then(crate::library::watch::Watch::problem) }
    }
}
