//! Opened models, shared by all their codecs.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::runner::{Direction, Plans, Runner};
use crate::models::{CodecModel, Piece, open_codec};
use crate::network::Session;
use crate::weights::Weights;
use base::error::Result;
use base::lock::lock;

/// The models that stay in memory after their last use.
const KEPT: usize = 2;
static RECENT: Mutex<Vec<Opened>> = Mutex::new(Vec::new());

/// An opened model. Clones share it.
#[derive(Clone, Debug)]
pub struct Opened {
    path: PathBuf,
    identity: String,
    model: Arc<dyn CodecModel>,
    plans: Arc<Plans>,
}

impl Opened {
    /// Opens the model of a weight file or folder; takes it from memory if one of the last ones had the same content.
    pub fn open(path: &Path) -> Result<Self> {
        Ok(Self::open_files(path)?.0)
    }

    /// Opens a model. Also returns the files that were read.
    pub(super) fn open_files(path: &Path) -> Result<(Self, Vec<PathBuf>)> {
        let weights = Weights::open(path)?;
        let identity = weights.content_hash()?;
        let found = lock(&RECENT).iter().find(|opened| opened.identity == identity).cloned();
        let opened = if let Some(opened) = found {
            Self { path: path.to_path_buf(), ..opened }
        } else {
            let model = open_codec(&weights)?;
            let plans = Arc::new(Plans::new(model.as_ref()));
            Self { path: path.to_path_buf(), identity, model, plans }
        };
        let mut recent = lock(&RECENT);
        recent.retain(|other| other.identity != opened.identity);
        recent.push(opened.clone());
        if recent.len() > KEPT {
            recent.remove(0);
        }
        Ok((opened, weights.file_paths()))
    }

    /// Returns the parts that must be held to keep the model in memory.
    pub(super) fn parts(&self) -> (&Arc<dyn CodecModel>, &Arc<Plans>) {
        (&self.model, &self.plans)
    }

    /// Puts it together again.
    pub(super) fn of_parts(path: &Path, identity: String, (model, plans): (Arc<dyn CodecModel>, Arc<Plans>)) -> Self {
        Self { path: path.to_path_buf(), identity, model, plans }
    }

    /// The path under which it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The BLAKE3 hash of weights and configuration, which identifies them regardless of their path.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// The model.
    pub fn model(&self) -> &dyn CodecModel {
        self.model.as_ref()
    }

    /// Returns the plan of one half of the model for a piece.
    pub(super) fn session(&self, direction: Direction, books: usize, piece: Piece) -> Result<Arc<Session>> {
        self.plans.session(self.model(), (direction, books, piece))
    }

    pub(super) fn runner(&self) -> Runner {
        Runner::new(Arc::clone(&self.model), Arc::clone(&self.plans))
    }
}
