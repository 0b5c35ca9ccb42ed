//! Separates recordings into stems. The stems of each become the tracks of a new document.
//!
//! Recordings wait in a queue and are separated by one job: one after the other, or by a network one on each of several
//! devices ([`lanes`]). The stems are written to a cache ([`cache`]), keyed by the recording's content and the request,
//! and become files that a document refers to like any recording that the program made. The finished part of a
//! recording can be heard while the rest is computed ([`listening`]).

mod cache;
pub mod commands;
mod documents;
mod lanes;
mod listening;
mod models;
mod networks;
mod queue;
mod recordings;
mod requests;
mod run;
mod speeds;
mod tally;
pub mod types;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use self::types::StemsTask;
use super::jobs::Jobs;
use super::workspace::Workspace;
use crate::chain::Placement;
use crate::device::RunPurpose;
use crate::error::Result;
use crate::progress::Progress;
use crate::stems::StemKind;
use crate::window::jobs::JobId;
use crate::window::playback::{PlaybackPage, StemsSoFar};
use crate::window::workspace::chain_files::ChainFiles;
use crate::work::settings::StemsWish;
use cache::StemCache;
use models::Chosen;
use networks::Networks;
use recordings::Recording;

/// The folder of the cache and of the measured speeds in the data folder.
const FOLDER: &str = "stems";

/// The page that separates recordings into stems.
pub struct StemsPage {
    workspace: Arc<Workspace>,
    jobs: Arc<Jobs>,
    chain_files: Arc<ChainFiles>,
    playback: Arc<PlaybackPage>,
    queue: Mutex<Queue>,
    /// Notified when a recording is queued, or a device finishes one.
    changed: Condvar,
    tasks: AtomicU32,
    networks: Networks,
}

/// The waiting recordings, and the job that separates them.
#[derive(Default)]
struct Queue {
    /// Counts the jobs.
    run: u64,
    waiting: VecDeque<Wanted>,
    /// The job while it runs.
    running: Option<(JobId, Progress)>,
    /// The recordings requested from the job so far, and their length in milliseconds.
    asked: usize,
    asked_ms: u64,
    /// The recordings being separated, in the order in which they were begun.
    current: Vec<Current>,
}

/// A recording to be separated, and how.
struct Wanted {
    task: StemsTask,
    recording: Recording,
    wish: StemsWish,
}

/// The recording that is being separated.
struct Current {
    task: StemsTask,
    name: String,
    /// Its stems, in the order in which they are written.
    stems: Vec<StemKind>,
    rate: u32,
    frames: u64,
    progress: Progress,
    /// The part of the stems computed so far.
    so_far: Option<StemsSoFar>,
    /// Why it cannot be played before it is complete.
    problem: Option<String>,
}

impl StemsPage {
    /// Creates the page.
    pub fn new(
        workspace: Arc<Workspace>,
        jobs: Arc<Jobs>,
        chain_files: Arc<ChainFiles>,
        playback: Arc<PlaybackPage>,
    ) -> Self {
        let (queue, changed) = (Mutex::default(), Condvar::new());
        let (tasks, networks) = (AtomicU32::default(), Networks::default());
        Self { workspace, jobs, chain_files, playback, queue, changed, tasks, networks }
    }

    fn next_task(&self) -> StemsTask {
        StemsTask(self.tasks.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Returns the model that a wish names.
    fn chosen(&self, wish: &StemsWish) -> Result<Chosen> {
        let settings = self.workspace.state().settings.models.clone();
        Chosen::of(wish, &self.networks, &settings)
    }

    /// Returns the placement for separations on the device that the settings request.
    fn placement(&self) -> Placement {
        let request = self.workspace.state().settings.device.clone();
        Placement::new(request, Arc::clone(&self.workspace.devices), RunPurpose::Export)
    }

    fn folder(&self) -> PathBuf {
        self.workspace.directories.data().join(FOLDER)
    }

    fn cache(&self) -> StemCache {
        let limit_mib = self.workspace.state().settings.stems.cache_mib;
        StemCache::new(&self.folder(), u64::from(limit_mib) << 20)
    }
}
