//! The commands of the workspace.

use super::types::{DocumentId, DocumentView, Opened, RecentFile};
use crate::window::App;
use crate::window::commands::commands;
use crate::window::event::Startup;

commands! {
    workspace(app);

    App(app) {
        /// Returns everything that a window needs at startup.
        [Session] startup() -> Startup;
        /// Ends the program. The session is already on disk.
        [Long] quit() -> ();
        /// Lets the user choose files and opens them; empty if cancelled.
        [Long] open_dialog() -> Opened;
        /// Opens a recently opened file.
        [Long] open_recent(id: u32) -> Opened;
        /// Returns recently opened files, the latest first.
        [Session] recent() -> Vec<RecentFile>;
        /// Clears the list of recent files.
        [Session] clear_recent() -> Vec<RecentFile>;
        /// Opens the demo recording, which the program synthesises.
        [Long] open_demo() -> Opened;
        /// Closes a document; its whole state is kept. Returns the name of the document that `reopen_closed` would
        /// open.
        [Document] close_document(document: DocumentId) -> Option<String>;
        /// Reopens the document that was closed last, with its whole state; empty if there is none.
        [Long] reopen_closed() -> Opened;
        /// Saves a document as a project file. Lets the user choose the file if it has none, or if `choose` is set;
        /// unchanged if cancelled.
        [Long] save_project(document: DocumentId, choose: bool) -> DocumentView;
        /// Activates a document.
        [Tabs] activate_document(document: DocumentId) -> ();
        /// Puts the tabs in this order.
        [Tabs] reorder_documents(documents: Vec<DocumentId>) -> ();
        /// Lets the user locate a missing recording.
        [Long] locate_source(document: DocumentId, source: usize) -> DocumentView;
        /// Shows the recording of a document in the system's file manager.
        [Long] show_file(document: DocumentId) -> ();
        /// Tries again to open those recordings of a document that could not be read.
        [Long] retry_document(document: DocumentId) -> DocumentView;
        /// Allows the chains of a document to read these files from now on, or removes the effects that name them.
        [Long] answer_files(document: DocumentId, files: Vec<String>, allow: bool) -> DocumentView;
    }
}
