//! Neural models in the window: the folders that the user chose, and what is in them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::models::ModelKind;
use base::declared::TS;

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
