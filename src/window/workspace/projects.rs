//! Saves documents as project files, and opens project files.

use super::ChosenFile;
use super::open_document::{OpenDocument, file_name};
use super::types::{DocumentId, DocumentView};
use crate::document::project::{self, FILE_KIND};
use crate::document::{Document, ProjectFile};
use crate::error::Result;
use crate::window::App;
use crate::window::host::FileChoice;

impl App {
    /// Saves a document as a project file. Lets the user choose the file if there is none yet or if `choose` is set; if
    /// cancelled, nothing is saved.
    pub(in crate::window) fn save_project(&self, document: DocumentId, choose: bool) -> Result<DocumentView> {
        let (name, known) = {
            let state = self.workspace.state();
            let open = state.document(document)?;
            (open.base_name(), open.project.clone())
        };
        let target = match known {
            Some(known) if !choose => ChosenFile { path: known.path, may_replace: true },
            _ => match self.choose_project(&name) {
                Some(target) => target,
                None => return self.view(document),
            },
        };
        {
            let _turn = self.workspace.saving_turn();
            let inputs = self.workspace.protected_from(document);
            let (history, place, with_history) = {
                let state = self.workspace.state();
                let open = state.document(document)?;
                (open.history.clone(), open.place(), state.settings.project_history)
            };
            // Done before the project file exists: once written, it can be moved or copied anywhere.
            let (steps, present) = history.steps();
            let states = steps.iter().enumerate().filter(|(index, _)| with_history || *index == present);
            let states: Vec<_> = states.filter_map(|(_, step)| step.document()).collect();
            let sources = states.iter().flat_map(|document| &document.sources);
            self.workspace.session().keep_files(sources.map(|source| source.path.as_path()))?;
            let saved = project::write(&target.path, target.may_replace, inputs, &history, place, with_history)?;
            let key = {
                let mut state = self.workspace.state();
                let open = state.document_mut(document)?;
                open.project = Some(saved.clone());
                open.revision += 1;
                state.keys.get(&document).copied()
            };
            let mut session = self.workspace.session();
            if let Some(key) = key {
                session.set_project(key, &saved)?;
            }
            session.add_recent(&saved.path)?;
        }
        self.view(document)
    }

    /// Lets the user choose where to save a project. A name with another extension gets that of a project, so that a
    /// recording is never replaced.
    fn choose_project(&self, stem: &str) -> Option<ChosenFile> {
        let choice = FileChoice {
            title: "Save project".into(),
            kind: FILE_KIND.name,
            extensions: FILE_KIND.extensions,
            several: false,
        };
        let suggestion = format!("{stem}.{}", FILE_KIND.extensions[0]);
        let chosen = self.workspace.host.choose_save(&choice, &suggestion)?;
        // The dialog has confirmed the name that it returned, but not the completed one.
        let (path, may_replace) = project::named(chosen);
        Some(ChosenFile { path, may_replace })
    }
}

/// Returns whether a document was changed since it was saved.
pub(in crate::window) fn is_changed(project: &ProjectFile, now: &Document) -> bool {
    now.work_key() != project.saved
}

impl OpenDocument {
    /// Returns the name of the project file, if the document belongs to one.
    pub(in crate::window) fn project_name(&self) -> Option<String> {
        self.project.as_ref().map(|project| file_name(&project.path))
    }
}
