//! Recognises the model in a weight file or folder by tensors and configuration.
//!
//! ```text
//! files and folders -> find -> recognise each: Weights -> ModelKind -> Model
//! ```

mod find;
mod kind;
mod signs;

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::weights::Weights;
use base::error::{Error, Result};
pub use find::{FoundModel, find};
pub use kind::ModelKind;

/// A model in a file or folder.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Model {
    /// The file or folder.
    #[serde(flatten, serialize_with = "base::files::json::as_path")]
    pub path: PathBuf,
    /// The kind.
    pub kind: ModelKind,
    /// The name as its authors write it.
    pub name: &'static str,
    /// The numbers that running the model reads: weights and codebooks, without statistics of the training.
    pub parameters: u64,
    /// The size of the weight files in bytes.
    pub bytes: u64,
    /// The licence as its authors state it.
    pub licence: &'static str,
}

/// Recognises the model in a weight file, or in a folder with `config.json`, by its content. Only names and shapes are
/// read, not the numbers.
///
/// # Errors
/// [`Error::Malformed`] for other weights, with a description of them.
pub fn recognise(path: &Path) -> Result<Model> {
    let weights = Weights::open(path)?;
    let kind = signs::kind_of(&weights).map_err(|reason| Error::malformed(reason, path))?;
    let training: u64 = weights
        .names()
        .filter(|name| signs::is_of_training(name))
        .filter_map(|name| weights.entry(name).filter(|entry| entry.dtype.is_float()))
        .map(|entry| entry.shape.iter().product::<usize>() as u64)
        .sum();
    Ok(Model {
        path: path.to_path_buf(),
        kind,
        name: kind.title(),
        parameters: weights.parameters() - training,
        bytes: weights.bytes(),
        licence: kind.licence(),
    })
}
