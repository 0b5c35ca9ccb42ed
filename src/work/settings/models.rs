//! The settings of models.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::models::ModelKind;
use crate::work::{Directories, settings};

/// The settings of models. Only the commands about models change them: a window names no folders.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelSettings {
    /// The folders in which models are looked for.
    pub folders: Vec<String>,
    /// The names of the kinds of models whose licence the user has confirmed. Names that this version does not know are
    /// kept.
    pub licences: BTreeSet<String>,
}

impl ModelSettings {
    /// The most folders.
    pub const MAX_FOLDERS: usize = 64;

    /// Returns whether there is nothing to store.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns whether the user has confirmed the licence of a kind of model.
    pub fn has_confirmed(&self, kind: ModelKind) -> bool {
        self.licences.contains(kind.name())
    }

    /// Checks that the user has confirmed the licence of a kind of model, before it is used in the window.
    pub fn check_licence(&self, kind: ModelKind) -> Result<()> {
        if self.has_confirmed(kind) {
            return Ok(());
        }
        Err(kind.unconfirmed())
    }
}

/// Returns the folders of models that the user chose.
pub fn folders(directories: &Directories) -> Result<Vec<PathBuf>> {
    let (settings, _) = settings::load(directories.config())?;
    Ok(settings.models.folders.iter().map(PathBuf::from).collect())
}
