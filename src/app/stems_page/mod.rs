//! Separates recordings into stems. The stems of each become the tracks of a new document.
//!
//! Recordings wait in a queue and are separated one after the other by one job. The stems are written to a cache
//! ([`cache`]), by the content of the recording and what was asked for, and become files of the program's own, which a
//! document refers to as to any recording that the program made.

mod cache;
mod commands;
mod documents;
mod models;
mod networks;
mod recordings;
mod run;
mod speeds;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use super::api::{JobId, StemsWish};
use super::chain_files::ChainFiles;
use super::jobs::Jobs;
use super::workspace::Workspace;
use crate::error::Result;
use crate::progress::Progress;
use cache::StemCache;
use models::Chosen;
use networks::Networks;
use recordings::Recording;

/// The folder of the cache and of the measured speeds in the data folder.
const FOLDER: &str = "stems";

/// Separates recordings into stems.
pub struct StemsPage {
    workspace: Arc<Workspace>,
    jobs: Arc<Jobs>,
    chain_files: Arc<ChainFiles>,
    queue: Mutex<Queue>,
    networks: Networks,
}

/// The recordings that wait, and the job that separates them.
#[derive(Default)]
struct Queue {
    /// Counts the jobs.
    run: u64,
    waiting: VecDeque<Wanted>,
    /// The job while it runs.
    running: Option<(JobId, Progress)>,
    /// The recordings that the job was asked for so far, and their length in milliseconds.
    asked: usize,
    asked_ms: u64,
}

/// A recording to be separated, and how.
struct Wanted {
    recording: Recording,
    wish: StemsWish,
}

impl StemsPage {
    /// Creates the page.
    pub fn new(workspace: Arc<Workspace>, jobs: Arc<Jobs>, chain_files: Arc<ChainFiles>) -> Self {
        Self { workspace, jobs, chain_files, queue: Mutex::default(), networks: Networks::default() }
    }

    /// Returns the model that a wish names.
    fn chosen(&self, wish: &StemsWish) -> Result<Chosen> {
        let settings = self.workspace.state().settings.models.clone();
        Chosen::of(wish, &self.networks, &settings)
    }

    fn folder(&self) -> PathBuf {
        self.workspace.directories.data().join(FOLDER)
    }

    fn cache(&self) -> StemCache {
        let limit_mib = self.workspace.state().settings.stems.cache_mib;
        StemCache::new(&self.folder(), u64::from(limit_mib) << 20)
    }
}
