//! The commands of the codec grid.

use super::CodecsPage;
use super::types::{CodecsCell, CodecsSettings, CodecsView};
use crate::window::commands::commands;
use crate::window::compare::types::CompareView;

commands! {
    codecs(app);

    CodecsPage(&app.codecs) {
        /// Returns the codec grid: recordings, settings, phase and results.
        [Long] view() -> CodecsView;
        /// Lets the user choose recordings and adds them to the codec grid.
        [Long] add_files() -> CodecsView;
        /// Lets the user choose folders and adds the recordings in them to the codec grid.
        [Long] add_folders() -> CodecsView;
        /// Removes recordings from the codec grid.
        [Long] remove(recordings: Vec<u32>) -> CodecsView;
        /// Lets the user choose the folder of the results.
        [Long] choose_output() -> CodecsView;
        /// Changes the codecs, measures and other settings of the grid.
        [Long] set(settings: CodecsSettings) -> CodecsView;
        /// Starts the codec grid. Finished results in the folder are reused.
        [Long] start() -> CodecsView;
        /// Cancels the codec grid. Finished cells are kept.
        [Control] cancel() -> ();
        /// Returns the results of a recording with each codec.
        [Long] cells(recording: u32) -> Vec<CodecsCell>;
        /// Compares a recording with a codec's output for it: both become versions of the comparison.
        [Long] compare(recording: u32, codec: String) -> CompareView;
        /// Shows the report of the codecs in the system's file manager.
        [Long] show_report() -> ();
    }
}
