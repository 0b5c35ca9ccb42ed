//! The services that the core needs from a desktop: dialogs, a file manager, and delivery of events.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use crate::audio::file_extensions;
use crate::blocking::may_block;
use crate::document::project::FILE_KIND;
use crate::error::{Error, Result};
use crate::window::event::Event;

/// The desktop behind a window. Without a user, every dialog is cancelled.
pub trait Host: Send + Sync {
    /// Delivers an event to the window. May be called from any thread; must not block on the window.
    fn emit(&self, event: Event);

    /// Lets the user choose files to open; empty if cancelled. Blocks until the user answers.
    fn choose_open(&self, _choice: &FileChoice) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Lets the user choose a file to write and confirms replacing an existing file; `None` if cancelled. Blocks until
    /// the user answers.
    fn choose_save(&self, _choice: &FileChoice, _suggested_name: &str) -> Option<PathBuf> {
        None
    }

    /// Lets the user choose folders; empty if cancelled. Blocks until the user answers.
    fn choose_folders(&self, _title: &str) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Shows a file in the system's file manager.
    fn show_file(&self, path: &Path) -> Result<()> {
        Err(Error::unsupported(path.display().to_string(), "there is no file manager to show it"))
    }

    /// Ends the program, as closing its last window does. A host without a window does nothing.
    fn quit(&self) {}
}

/// The contents of a file dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChoice {
    /// The dialog's title.
    pub title: String,
    /// The name of the kind of file, such as "Audio".
    pub kind: &'static str,
    /// The file extensions without dots.
    pub extensions: &'static [&'static str],
    /// Whether several files may be chosen.
    pub several: bool,
}

impl FileChoice {
    /// One recording of any kind that can be opened.
    pub fn recording(title: &str) -> Self {
        Self { title: title.to_owned(), kind: "Audio", extensions: file_extensions(), several: false }
    }

    /// Any number of recordings and projects.
    pub fn recordings_and_projects(title: &str) -> Self {
        static EXTENSIONS: LazyLock<Vec<&str>> = LazyLock::new(|| [file_extensions(), FILE_KIND.extensions].concat());
        Self { title: title.to_owned(), kind: "Audio and projects", extensions: &EXTENSIONS, several: true }
    }
}

/// A host that panics in debug builds if it is used under the state lock.
pub(super) struct Unlocked(pub Arc<dyn Host>);

impl Host for Unlocked {
    fn emit(&self, event: Event) {
        may_block("an event");
        self.0.emit(event);
    }

    fn choose_open(&self, choice: &FileChoice) -> Vec<PathBuf> {
        may_block("a dialog");
        self.0.choose_open(choice)
    }

    fn choose_save(&self, choice: &FileChoice, suggested_name: &str) -> Option<PathBuf> {
        may_block("a dialog");
        self.0.choose_save(choice, suggested_name)
    }

    fn choose_folders(&self, title: &str) -> Vec<PathBuf> {
        may_block("a dialog");
        self.0.choose_folders(title)
    }

    fn show_file(&self, path: &Path) -> Result<()> {
        may_block("the file manager");
        self.0.show_file(path)
    }

    fn quit(&self) {
        self.0.quit();
    }
}
