//! The commands of the batch page.

use super::BatchPage;
use super::types::{BatchSettings, BatchView};
use crate::window::commands::commands;

commands! {
    batch(app);

    BatchPage(&app.batch) {
        /// Returns the batch: its inputs, settings and progress.
        [Long] view() -> BatchView;
        /// Lets the user choose files and adds them to the batch.
        [Long] add_files() -> BatchView;
        /// Lets the user choose folders and adds the recordings in them to the batch.
        [Long] add_folders() -> BatchView;
        /// Removes inputs from the batch.
        [Long] remove(items: Vec<u32>) -> BatchView;
        /// Removes all inputs from the batch.
        [Long] clear() -> BatchView;
        /// Lets the user choose the output folder; unchanged if cancelled.
        [Long] choose_output() -> BatchView;
        /// Changes the batch settings and returns the resulting output names.
        [Long] set(settings: BatchSettings) -> BatchView;
        /// Sets whether files dropped on the window are added to the batch.
        [Control] take_drops(on: bool) -> ();
        /// Starts processing all inputs. Inputs in a list of finished files are skipped.
        [Long] start() -> BatchView;
        /// Pauses the batch when the files in progress are finished.
        [Control] pause() -> ();
        /// Resumes the batch.
        [Control] resume() -> ();
        /// Cancels the batch. Finished outputs stay; unfinished ones are removed.
        [Control] cancel() -> ();
        /// Shows an output in the system's file manager.
        [Long] show_file(item: u32) -> ();
        /// Lets the user choose a file and writes the result of each input to it; false if cancelled.
        [Long] save_report() -> bool;
    }
}
