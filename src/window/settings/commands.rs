//! The commands of the settings.

use super::keys::{self, ImportedKeys};
use crate::window::commands::commands;
use crate::work::settings::{KeySettings, Settings};

commands! {
    settings(app);

    super(app) {
        /// Returns the settings.
        [Settings] view() -> Settings;
        /// Changes the settings.
        [Settings] set(settings: Settings) -> Settings;
    }

    keys(app) {
        /// Lets the user choose a file and writes keys of commands to it. Returns the name of the file; null if
        /// cancelled.
        [Long] export_keys(keys: KeySettings) -> Option<String>;
        /// Lets the user choose a file and reads keys of commands from it; null if cancelled.
        [Long] import_keys() -> Option<ImportedKeys>;
    }
}
