//! The networks that separate, in the folders of models that the user chose.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use crate::document::ContentKey;
use crate::error::{Error, Result};
use crate::lock::lock;
use crate::models::{ModelKind, find};
use crate::stems::{Demucs, StemKind};
use crate::work::settings::ModelSettings;

/// The number of digits of a handle.
const HANDLE_DIGITS: usize = 24;

/// A network that was found.
pub(super) struct FoundNetwork {
    /// The handle by which a front end names it.
    pub id: String,
    /// The name of the file or folder.
    pub title: String,
    /// The stems.
    pub stems: Vec<StemKind>,
    path: PathBuf,
}

/// The network that was used last, which stays in memory.
#[derive(Default)]
pub(super) struct Networks {
    opened: Mutex<Option<Opened>>,
}

struct Opened {
    model: Arc<Demucs>,
    /// The sizes and modification times of its files.
    stamps: Vec<Option<(u64, SystemTime)>>,
}

impl Networks {
    /// Opens a network by its handle.
    ///
    /// # Errors
    /// [`Error::Impossible`] if its licence is not confirmed.
    pub(super) fn open(&self, id: &str, settings: &ModelSettings) -> Result<Arc<Demucs>> {
        let found = found(settings).into_iter().find(|network| network.id == id);
        let found = found.ok_or_else(|| Error::NotFound { what: "model", name: id.to_owned() })?;
        settings.check_licence(ModelKind::Demucs)?;
        let mut opened = lock(&self.opened);
        let same = |network: &&Opened| network.model.path() == found.path && network.is_current();
        if let Some(network) = opened.as_ref().filter(same) {
            return Ok(Arc::clone(&network.model));
        }
        // The former network is dropped first, so that the two need not fit into memory together.
        *opened = None;
        let model = Arc::new(Demucs::open(&found.path)?);
        let stamps = stamps(&model);
        *opened = Some(Opened { model: Arc::clone(&model), stamps });
        Ok(model)
    }
}

impl Opened {
    fn is_current(&self) -> bool {
        self.stamps.iter().all(Option::is_some) && stamps(&self.model) == self.stamps
    }
}

fn stamps(model: &Demucs) -> Vec<Option<(u64, SystemTime)>> {
    let stamp = |file: &PathBuf| {
        let found = fs::metadata(file).ok()?;
        Some((found.len(), found.modified().ok()?))
    };
    model.files().iter().map(stamp).collect()
}

/// Returns the networks in the folders of models: bags first, then the files. A file that cannot separate is not
/// listed; the Models page says why.
pub(super) fn found(settings: &ModelSettings) -> Vec<FoundNetwork> {
    let folders: Vec<PathBuf> = settings.folders.iter().map(PathBuf::from).collect();
    let files: BTreeSet<PathBuf> = find(&folders)
        .into_iter()
        .filter(|found| found.model.as_ref().is_ok_and(|model| model.kind == ModelKind::Demucs))
        .map(|found| found.path)
        .collect();
    let parents: BTreeSet<&Path> = files.iter().filter_map(|file| file.parent()).collect();
    let bags = parents.into_iter().filter(|folder| Demucs::is_bag(folder));
    bags.chain(files.iter().map(PathBuf::as_path)).filter_map(described).collect()
}

fn described(path: &Path) -> Option<FoundNetwork> {
    let stems = Demucs::stems_in(path).ok()?;
    let key = ContentKey::of_parts([path.to_string_lossy().as_ref()]);
    let id = key.as_str().get(..HANDLE_DIGITS)?.to_owned();
    let title = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    Some(FoundNetwork { id, title, stems, path: path.to_path_buf() })
}
