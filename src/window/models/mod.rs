//! The folders of models and their contents, as a front end shows them.

pub mod commands;

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::App;
use crate::error::{Error, Result};
use crate::models::{ModelKind, find};
use crate::window::event::Event;
use crate::window::workspace::open_document::OpenDocument;
use crate::window::workspace::types::DocumentId;
use crate::work::settings::ModelSettings;
use base::declared::TS;

/// The folders of models, and what is in them.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct ModelsView {
    /// The folders that the user chose.
    pub folders: Vec<ModelFolder>,
    /// The models that were recognised.
    pub models: Vec<ModelRow>,
    /// The weight files without a model that this program knows.
    pub rejected: Vec<ModelProblem>,
    /// The kinds of models that this program knows.
    pub kinds: Vec<ModelKindView>,
}

/// A folder that the user chose.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct ModelFolder {
    /// The handle.
    pub id: u32,
    /// The path, for display only.
    pub name: String,
    /// Why nothing was found in it; null if something was.
    pub problem: Option<String>,
}

/// A model that was recognised.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct ModelRow {
    /// The kind.
    pub kind: ModelKind,
    /// The file or folder, below the folder that the user chose; for display only.
    pub file: String,
    /// The handle of the folder that the user chose.
    pub folder: u32,
    /// The number of parameters that a run of the model reads.
    pub parameters: u64,
    /// The size in bytes.
    pub bytes: u64,
}

/// A weight file without a known model.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct ModelProblem {
    /// The file or folder, below the folder that the user chose; for display only.
    pub file: String,
    /// The handle of the folder that the user chose.
    pub folder: u32,
    /// Why, in sentences.
    pub reason: String,
}

/// A kind of model.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct ModelKindView {
    /// The kind.
    pub kind: ModelKind,
    /// The name as its authors write it.
    pub title: String,
    /// Its purpose.
    pub purpose: String,
    /// The licence as its authors state it.
    pub licence: String,
    /// Where its authors offer the weights.
    pub source: String,
    /// Whether the user has confirmed the licence.
    pub is_confirmed: bool,
}

/// The greatest number of files without a model that are listed.
const MAX_REJECTED: usize = 200;

fn view(app: &App) -> Result<ModelsView> {
    let kept = app.workspace.state().settings.models.clone();
    Ok(view_of(&kept))
}

fn add_folders(app: &App) -> Result<ModelsView> {
    let chosen = app.workspace.host.choose_folders("Folders of models");
    let text = |folder: &PathBuf| {
        let text = folder.to_str().map(str::to_owned);
        text.ok_or_else(|| Error::invalid("folder of models", folder.display().to_string(), "Unicode"))
    };
    let chosen: Vec<String> = chosen.iter().map(text).collect::<Result<_>>()?;
    let known = app.workspace.state().settings.models.folders.len();
    if known + chosen.len() > ModelSettings::MAX_FOLDERS {
        return Err(Error::Limit {
            what: "the number of folders of models".into(),
            got: (known + chosen.len()).to_string(),
            limit: ModelSettings::MAX_FOLDERS.to_string(),
        });
    }
    change_models(app, |kept| {
        for folder in chosen {
            if !kept.folders.contains(&folder) {
                kept.folders.push(folder);
            }
        }
    })
}

fn remove_folder(app: &App, folder: u32) -> Result<ModelsView> {
    let missing = || Error::NotFound { what: "folder", name: folder.to_string() };
    let place = usize::try_from(folder).map_err(|_| missing())?;
    if place >= app.workspace.state().settings.models.folders.len() {
        return Err(missing());
    }
    change_models(app, |kept| {
        if place < kept.folders.len() {
            kept.folders.remove(place);
        }
    })
}

fn confirm_licence(app: &App, kind: ModelKind, confirmed: bool) -> Result<ModelsView> {
    let view = change_models(app, |kept| {
        if confirmed {
            kept.licences.insert(kind.name().to_owned());
        } else {
            kept.licences.remove(kind.name());
        }
    })?;
    app.workspace.permission.confirm(kind, confirmed);
    check_chains_anew(app)?;
    Ok(view)
}

/// Checks the chains that read files again: their models may run now, or may no longer run.
fn check_chains_anew(app: &App) -> Result<()> {
    let documents: Vec<DocumentId> = {
        let mut state = app.workspace.state();
        let reads =
            |open: &&mut OpenDocument| open.document().all_chains().any(|chain| !chain.named_files().is_empty());
        let found = state.documents.values_mut().filter(reads);
        found
            .map(|open| {
                open.revision += 1;
                open.id
            })
            .collect()
    };
    for document in documents {
        let document = app.changed(document)?;
        app.workspace.host.emit(Event::Document { document });
    }
    Ok(())
}

fn change_models(app: &App, change: impl FnOnce(&mut ModelSettings)) -> Result<ModelsView> {
    let settings = app.change_settings(|now| change(&mut now.models))?;
    // Folders are read without the lock.
    Ok(view_of(&settings.models))
}

fn view_of(kept: &ModelSettings) -> ModelsView {
    let mut view = ModelsView {
        folders: Vec::new(),
        models: Vec::new(),
        rejected: Vec::new(),
        kinds: ModelKind::ALL.map(|kind| kind_view(kind, kept)).into(),
    };
    for (id, name) in (0..).zip(&kept.folders) {
        let folder = Path::new(name);
        let mut problem = None;
        for found in find(&[folder.to_path_buf()]) {
            let file = below(folder, &found.path);
            match found.model {
                Ok(model) => view.models.push(ModelRow {
                    kind: model.kind,
                    file,
                    folder: id,
                    parameters: model.parameters,
                    bytes: model.bytes,
                }),
                Err(error) if found.path == folder => problem = Some(error.sentences()),
                Err(error) => view.rejected.push(ModelProblem { file, folder: id, reason: error.sentences() }),
            }
        }
        view.folders.push(ModelFolder { id, name: name.clone(), problem });
    }
    view.rejected.truncate(MAX_REJECTED);
    view
}

fn kind_view(kind: ModelKind, kept: &ModelSettings) -> ModelKindView {
    ModelKindView {
        kind,
        title: kind.title().to_owned(),
        purpose: kind.purpose().to_owned(),
        licence: kind.licence().to_owned(),
        source: kind.source().to_owned(),
        is_confirmed: kept.has_confirmed(kind),
    }
}

/// Returns a path relative to a folder; the folder's name for the folder itself.
fn below(folder: &Path, path: &Path) -> String {
    let inner = path.strip_prefix(folder).ok().filter(|inner| !inner.as_os_str().is_empty());
    inner.map_or_else(|| crate::window::workspace::open_document::file_name(path), |inner| inner.display().to_string())
}
