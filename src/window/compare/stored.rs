//! Stores the list of files on disk for the next start. Documents are not stored: their versions are snapshots of their
//! sound.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::version::Version;
use super::{ComparePage, State};
use crate::error::{Error, Result};
use crate::files;
use crate::window::workspace::open_document::file_name;
use base::files::stored_path;

const FILE: &str = "compare.json";
/// The largest accepted file, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// The stored list.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Stored {
    files: Vec<KeptPath>,
    /// The names that differ from those of the files, by index in the list of files.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    names: BTreeMap<usize, String>,
    /// The index of the reference in the list of files.
    reference: Option<usize>,
    #[serde(default)]
    match_level: bool,
}

/// A path that need not be valid Unicode.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
struct KeptPath(#[serde(with = "stored_path")] PathBuf);

impl ComparePage {
    /// Restores the list of the last start, once. Does not start a comparison.
    pub(super) fn restore(&self) {
        let mut restored = crate::lock::lock(&self.restored);
        if std::mem::replace(&mut *restored, true) {
            return;
        }
        let stored = read(self.workspace.directories.data());
        let mut reference = None;
        let mut versions = Vec::new();
        for (at, path) in stored.files.iter().take(super::MAX_VERSIONS).enumerate() {
            let id = self.fresh();
            reference = reference.or((stored.reference == Some(at)).then_some(id));
            let file = Version::of_file(id, &path.0);
            let name = stored.names.get(&at).cloned().unwrap_or_else(|| file.name.clone());
            versions.push(Version { name, ..file });
        }
        let mut state = self.locked();
        state.versions.splice(0..0, versions);
        state.reference = state.reference.or(reference);
        state.match_level = stored.match_level;
        // Nothing is drawn yet, so no sound is dropped.
        state.settle();
    }

    /// Writes the list. After a crash either the old or the new one is on disk.
    pub(super) fn store(&self) -> Result<()> {
        let stored = Stored::of(&self.locked());
        let text = serde_json::to_vec(&stored).map_err(|error| Error::Internal(error.to_string()))?;
        files::write(&self.workspace.directories.data().join(FILE), true, &text)
    }
}

impl Stored {
    fn of(state: &State) -> Self {
        let kept: Vec<(&Version, &PathBuf)> =
            state.versions.iter().filter_map(|version| Some((version, version.path.as_ref()?))).collect();
        let own_name = |(at, (version, path)): (usize, &(&Version, &PathBuf))| {
            (version.name != file_name(path)).then(|| (at, version.name.clone()))
        };
        Self {
            names: kept.iter().enumerate().filter_map(own_name).collect(),
            reference: kept.iter().position(|(version, _)| state.reference == Some(version.id)),
            match_level: state.match_level,
            files: kept.into_iter().map(|(_, path)| KeptPath(path.clone())).collect(),
        }
    }
}

/// Reads the stored list. A file that cannot be read counts as missing.
fn read(data: &Path) -> Stored {
    let text = files::read(&data.join(FILE), "list of versions", MAX_BYTES).unwrap_or_default();
    if text.is_empty() {
        return Stored::default();
    }
    serde_json::from_slice(&text).unwrap_or_else(|error| {
        tracing::warn!("the last comparison cannot be read: {error}");
        Stored::default()
    })
}
