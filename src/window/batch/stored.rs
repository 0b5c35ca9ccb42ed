//! Stores the batch on disk, so that it is restored at the next start after any interruption.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::types::BatchSettings;
use super::{State, first_settings};
use crate::error::{Error, Result};
use crate::files;
use crate::work::settings::Settings;
use base::files::stored_path;

const FILE: &str = "batch.json";
/// The largest accepted file, in bytes: about half a million inputs.
const MAX_BYTES: u64 = 256 << 20;

/// The stored batch.
#[derive(Serialize, Deserialize)]
pub struct StoredBatch {
    pub settings: BatchSettings,
    pub output: Option<KeptPath>,
    pub inputs: Vec<KeptInput>,
}

/// A stored input.
#[derive(Serialize, Deserialize)]
pub struct KeptInput {
    pub path: KeptPath,
    pub folder: KeptPath,
}

/// A path that need not be valid Unicode.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub struct KeptPath(#[serde(with = "stored_path")] pub PathBuf);

/// Reads the stored batch. A file that cannot be read counts as missing.
pub fn read(data: &Path, settings: &Settings) -> StoredBatch {
    let text = files::read(&data.join(FILE), "list of inputs", MAX_BYTES).unwrap_or_default();
    let mut kept = serde_json::from_slice(&text).unwrap_or_else(|error| {
        if !text.is_empty() {
            tracing::warn!("the last batch cannot be read: {error}");
        }
        StoredBatch { settings: first_settings(settings), output: None, inputs: Vec::new() }
    });
    kept.settings = checked(kept.settings);
    kept.output = kept.output.filter(|output| output.0.is_dir());
    kept
}

/// Writes the batch. After a crash either the old or the new version is on disk.
pub fn write(data: &Path, state: &State) -> Result<()> {
    let inputs = state
        .items
        .iter()
        .map(|item| KeptInput { path: KeptPath(item.path.clone()), folder: KeptPath(item.folder.clone()) });
    let kept = StoredBatch {
        settings: state.settings.clone(),
        output: state.output.clone().map(KeptPath),
        inputs: inputs.collect(),
    };
    let text = serde_json::to_vec(&kept).map_err(|error| Error::Internal(error.to_string()))?;
    files::write(&data.join(FILE), true, &text)
}

/// Returns the settings with every value clamped to its range.
pub fn checked(mut settings: BatchSettings) -> BatchSettings {
    settings.export.range = None;
    settings.jobs = settings.jobs.map(|jobs| jobs.clamp(1, 64));
    settings
}
