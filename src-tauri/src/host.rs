//! The desktop for the core: native dialogs, and events to the web view.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::mpsc::channel;

use rfd::{AsyncFileDialog, FileHandle};
use tauri::{AppHandle, Emitter, Manager};
use tracing::warn;
use undertone::Error;
use undertone::window::{Event, FileChoice, Host};

/// The name of the single event that carries all events of the core to the web view.
const EVENT: &str = "undertone";

/// The desktop of the window.
pub struct Desktop {
    handle: AppHandle,
    /// The folder of what was chosen last, where the next dialog begins.
    folder: Mutex<Option<PathBuf>>,
}

impl Desktop {
    /// Creates the desktop of this application.
    pub fn new(handle: AppHandle) -> Self {
        Self { handle, folder: Mutex::default() }
    }

    // Dialogs belong to the main thread on every platform. The calling thread waits for the user's answer.
    fn ask<T, F>(
        &self,
        mut dialog: AsyncFileDialog,
        show: impl FnOnce(AsyncFileDialog) -> F + Send + 'static,
    ) -> Option<T>
    where
        T: Send + 'static,
        F: Future<Output = Option<T>> + Send + 'static,
    {
        if let Some(window) = self.handle.get_webview_window("main") {
            dialog = dialog.set_parent(&window);
        }
        let (answer, answers) = channel();
        let shown = self.handle.run_on_main_thread(move || {
            let answered = show(dialog);
            tauri::async_runtime::spawn(async move {
                let _ = answer.send(answered.await);
            });
        });
        if let Err(error) = shown {
            warn!("the dialog cannot be shown: {error}");
            return None;
        }
        answers.recv().ok().flatten()
    }

    /// Lets a dialog begin where the last file was chosen, else in the user's folder for music. Without a folder GTK
    /// shows recent files, where a dialog for folders takes no typed path and makes no new folder.
    fn in_folder(&self, dialog: AsyncFileDialog) -> AsyncFileDialog {
        let chosen = self.folder.lock().ok().and_then(|folder| folder.clone());
        let paths = self.handle.path();
        let folders = [chosen, paths.audio_dir().ok(), paths.home_dir().ok()];
        match folders.into_iter().flatten().find(|folder| folder.is_dir()) {
            Some(folder) => dialog.set_directory(folder),
            None => dialog,
        }
    }

    /// Remembers the folder of what was chosen.
    fn chosen(&self, paths: Vec<PathBuf>) -> Vec<PathBuf> {
        if let (Some(parent), Ok(mut folder)) = (paths.first().and_then(|path| path.parent()), self.folder.lock()) {
            *folder = Some(parent.to_path_buf());
        }
        paths
    }
}

impl Host for Desktop {
    fn emit(&self, event: Event) {
        if let Err(error) = self.handle.emit_to("main", EVENT, event) {
            warn!("an event did not reach the window: {error}");
        }
    }

    fn choose_open(&self, choice: &FileChoice) -> Vec<PathBuf> {
        let dialog = self.in_folder(filtered(choice));
        let chosen = if choice.several {
            self.ask(dialog, rfd::AsyncFileDialog::pick_files)
        } else {
            self.ask(dialog, |dialog| {
                let answered = dialog.pick_file();
                async move { answered.await.map(|file| vec![file]) }
            })
        };
        self.chosen(chosen.unwrap_or_default().iter().map(path).collect())
    }

    fn choose_save(&self, choice: &FileChoice, suggested_name: &str) -> Option<PathBuf> {
        let name = suggested_name.to_owned();
        let dialog = self.in_folder(filtered(choice));
        let chosen = self.ask(dialog, move |dialog| dialog.set_file_name(name).save_file());
        self.chosen(chosen.as_ref().map(path).into_iter().collect()).pop()
    }

    fn choose_folders(&self, title: &str) -> Vec<PathBuf> {
        let dialog = self.in_folder(AsyncFileDialog::new().set_title(title));
        let chosen = self.ask(dialog, rfd::AsyncFileDialog::pick_folders);
        self.chosen(chosen.unwrap_or_default().iter().map(path).collect())
    }

    fn show_file(&self, path: &Path) -> undertone::Result<()> {
        tauri_plugin_opener::reveal_item_in_dir(path).map_err(|error| {
            warn!("{error}");
            let folder = path.parent().unwrap_or(path).display();
            Error::impossible(format!("No file manager answered. The file is in {folder}."))
        })
    }

    fn quit(&self) {
        self.handle.exit(0);
    }
}

fn filtered(choice: &FileChoice) -> AsyncFileDialog {
    AsyncFileDialog::new().set_title(&choice.title).add_filter(choice.kind, choice.extensions)
}

fn path(file: &FileHandle) -> PathBuf {
    file.path().to_path_buf()
}
