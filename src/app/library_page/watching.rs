//! Watches the library's folders and scans what changes in them.

use std::sync::Arc;

use super::keeper::Message;
use crate::app::App;
use crate::app::api::{LibraryView, Notice, NoticeLevel, WatchView};
use crate::app::state::Shared;
use crate::error::Result;
use crate::library::Library;
use crate::library::watch::WatchOptions;
use crate::lock::lock;

impl App {
    pub(in crate::app) fn watch_library(&self, on: bool) -> Result<LibraryView> {
        let library = self.shared.opened_library()?;
        if self.settings()?.library.watch != on {
            self.change_settings(|settings| settings.library.watch = on)?;
        } else if on {
            self.shared.watch(&library);
        }
        self.shared.library_view(&library)
    }
}

impl Shared {
    /// Starts or stops watching as the settings say. A library that is not open yet is not opened for this.
    pub(in crate::app) fn watch_as_set(self: &Arc<Self>) {
        let library = lock(&self.library.opened).as_ref().map(|opened| Arc::clone(&opened.library));
        let is_on = self.state().settings.library.watch;
        match library {
            Some(library) if is_on => self.watch(&library),
            _ => drop(lock(&self.library.watch).take()),
        }
    }

    /// Watches all current folders. Changes since they were last watched are scanned first.
    pub(super) fn watch(self: &Arc<Self>, library: &Library) {
        let Some(keeper) = lock(&self.library.opened).as_ref().map(|opened| opened.keeper.clone()) else { return };
        let on_change = move |change| {
            // The receiver is gone during shutdown.
            let _ = keeper.send(Message::Changed(change));
        };
        let mut watch = lock(&self.library.watch);
        // The old watcher is dropped first, because both would report the same changes.
        watch.take();
        let options = WatchOptions { from_the_beginning: true, ..WatchOptions::default() };
        match library.watch(options, on_change) {
            Ok(started) => *watch = Some(started),
            Err(error) => self.notify(Notice {
                level: NoticeLevel::Warning,
                message: format!("The folders of the library are not watched: {error}"),
                document: None,
            }),
        }
    }

    /// Restarts watching with the current folders, if watching is on.
    pub(super) fn watch_again(self: &Arc<Self>, library: &Library) {
        if lock(&self.library.watch).is_some() {
            self.watch(library);
        }
    }

    pub(super) fn watch_view(&self) -> WatchView {
        let watch = lock(&self.library.watch);
        WatchView { on: watch.is_some(), problem: watch.as_ref().and_then(crate::library::watch::Watch::problem) }
    }
}
