//! A cache of the models in files that were opened before, so that they can be looked up at every turn of a knob.
//!
//! A file counts as unchanged while its size and time are the same. A model in use is shared; one that is no longer in
//! use is described without being in memory.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, SystemTime};

use super::Opened;
use super::runner::Plans;
use crate::models::{CodecModel, Cutting, Facts, ModelKind};
use base::error::Result;
use base::lock::lock;

/// The models that are remembered.
const KEPT: usize = 16;
/// The age from which on a later change is certain to have another time: file systems count in steps of up to 2 s.
const SETTLED: Duration = Duration::from_secs(3);

static KNOWN: Mutex<Vec<OpenedModel>> = Mutex::new(Vec::new());

/// A model without its numbers.
#[derive(Clone, Debug)]
pub struct Described {
    /// The properties of its sound and codes.
    pub facts: Facts,
    /// How sounds are cut for it.
    pub cutting: Cutting,
    /// The BLAKE3 hash of weights and configuration, in hexadecimal digits.
    pub identity: String,
}

impl Described {
    fn of(opened: &Opened) -> Self {
        let model = opened.model();
        Self { facts: model.facts().clone(), cutting: model.cutting(), identity: opened.identity().to_owned() }
    }

    /// The kind of model, whose licence counts.
    pub fn kind(&self) -> ModelKind {
        ModelKind::of_codec(self.facts.kind, self.facts.rate)
    }
}

/// Size and time of a file.
type Stamp = (PathBuf, u64, SystemTime);

#[derive(Clone)]
struct OpenedModel {
    path: PathBuf,
    stamps: Vec<Stamp>,
    described: Arc<Described>,
    model: Weak<dyn CodecModel>,
    plans: Weak<Plans>,
}

/// Returns the description of the model in a file or folder. Opens it unless it was opened before and is unchanged.
pub fn describe(path: &Path) -> Result<Arc<Described>> {
    match find(path) {
        Some(known) => Ok(known.described),
        None => Ok(Arc::new(Described::of(&open(path)?))),
    }
}

/// Returns the model of a file or folder: the one that runs elsewhere if the files are unchanged.
pub fn share(path: &Path) -> Result<Opened> {
    if let Some(known) = find(path)
        && let (Some(model), Some(plans)) = (known.model.upgrade(), known.plans.upgrade())
    {
        return Ok(Opened::of_parts(path, known.described.identity.clone(), (model, plans)));
    }
    open(path)
}

/// Returns the known description of a path, if its files are unchanged.
fn find(path: &Path) -> Option<OpenedModel> {
    let known = lock(&KNOWN).iter().find(|known| known.path == path).cloned()?;
    // Files are checked without the lock.
    known.stamps.iter().all(|stamp| stamp_of(&stamp.0).as_ref() == Some(stamp)).then_some(known)
}

fn stamp_of(path: &Path) -> Option<Stamp> {
    let found = std::fs::metadata(path).ok()?;
    Some((path.to_path_buf(), found.len(), found.modified().ok()?))
}

fn open(path: &Path) -> Result<Opened> {
    let (opened, files) = Opened::open_files(path)?;
    let stamps: Option<Vec<Stamp>> = files.iter().map(|file| stamp_of(file)).collect();
    let is_settled = |(_, _, modified): &Stamp| modified.elapsed().is_ok_and(|age| age > SETTLED);
    let mut known = lock(&KNOWN);
    known.retain(|known| known.path != path);
    if let Some(stamps) = stamps.filter(|stamps| stamps.iter().all(is_settled)) {
        let (model, plans) = opened.parts();
        let described = Arc::new(Described::of(&opened));
        let (model, plans) = (Arc::downgrade(model), Arc::downgrade(plans));
        known.push(OpenedModel { path: path.to_path_buf(), stamps, described, model, plans });
        if known.len() > KEPT {
            known.remove(0);
        }
    }
    Ok(opened)
}
