//! What the core needs of a desktop: dialogs and a way to deliver events. Nothing else of a window is known here.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::api::Event;
use crate::error::Result;
use crate::waiting::may_wait;

/// The desktop behind a window. Tests bring their own.
pub trait Host: Send + Sync {
    /// Delivers an event to the window. Called from any thread; must not wait for the window.
    fn emit(&self, event: Event);

    /// Lets the user choose files to open; empty when cancelled. Waits for the user.
    fn choose_open(&self, choice: &FileChoice) -> Vec<PathBuf>;

    /// Lets the user choose a file to write, asking before an existing one is replaced; none when cancelled. Waits for
    /// the user.
    fn choose_save(&self, choice: &FileChoice, suggested_name: &str) -> Option<PathBuf>;

    /// Lets the user choose folders; empty when cancelled. Waits for the user.
    fn choose_folders(&self, title: &str) -> Vec<PathBuf>;

    /// Shows a file in the system's file manager.
    ///
    /// # Errors
    /// [`crate::Error::Unsupported`] where the system has none that could.
    fn show_file(&self, path: &Path) -> Result<()>;
}

/// What a file dialog shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChoice {
    /// The dialog's title.
    pub title: String,
    /// The kind of file: "Audio".
    pub kind: &'static str,
    /// Its extensions without dots.
    pub extensions: &'static [&'static str],
    /// Whether several may be chosen.
    pub several: bool,
}

/// A host that debug builds never let be used under the state's lock.
pub(super) struct Unlocked(pub Arc<dyn Host>);

impl Host for Unlocked {
    fn emit(&self, event: Event) {
        may_wait("an event");
        self.0.emit(event);
    }

    fn choose_open(&self, choice: &FileChoice) -> Vec<PathBuf> {
        may_wait("a dialog");
        self.0.choose_open(choice)
    }

    fn choose_save(&self, choice: &FileChoice, suggested_name: &str) -> Option<PathBuf> {
        may_wait("a dialog");
        self.0.choose_save(choice, suggested_name)
    }

    fn choose_folders(&self, title: &str) -> Vec<PathBuf> {
        may_wait("a dialog");
        self.0.choose_folders(title)
    }

    fn show_file(&self, path: &Path) -> Result<()> {
        may_wait("the file manager");
        self.0.show_file(path)
    }
}
