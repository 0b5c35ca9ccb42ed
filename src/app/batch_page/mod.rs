//! Many files through one chain, as the window has it: the list of inputs, what is done to them, and the work as a job.
//!
//! ```text
//! dialogs, drops -> list -> looked at in the background (facts) -> names (targets) -> run as a job -> events, report
//!                   `-> kept on disk, so that a batch that was interrupted is there at the next start
//! ```

#![allow(clippy::result_large_err, reason = "failures are kept with their files for the list, not handed up")]

mod commands;
mod facts;
mod item;
mod kept;
mod report;
mod run;
mod targets;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

pub use kept::checked;

use self::item::Item;
use self::kept::Kept;
use super::api::{
    BatchChain, BatchItemState, BatchPhase, BatchSettings, BatchStatus, BatchView, Event, ExportSettings, JobId,
    Settings,
};
use super::batch::inputs::Input;
use super::batch::run::{Hold, usual_jobs};
use super::state::{Shared, lock};
use crate::device::DeviceRequest;
use crate::error::{Error, Failure, Result};

/// What the app holds of the batch.
#[derive(Default)]
pub struct BatchPage {
    state: Mutex<Option<State>>,
    /// Whether what is dropped on the window belongs to the batch: its page is shown.
    takes_drops: AtomicBool,
}

impl BatchPage {
    /// Whether dropped files are inputs of the batch.
    pub fn takes_drops(&self) -> bool {
        self.takes_drops.load(Ordering::Relaxed)
    }
}

/// The list and what is done to it.
struct State {
    items: Vec<Item>,
    settings: BatchSettings,
    output: Option<PathBuf>,
    phase: BatchPhase,
    job: Option<JobId>,
    hold: Arc<Hold>,
    /// Where the work is to run, as the settings said when the batch was last looked at.
    device: DeviceRequest,
    chain: std::result::Result<String, String>,
    template_problem: Option<String>,
    failure: Option<Failure>,
    /// Whether a thread looks at inputs.
    reading: bool,
    next: u32,
}

impl State {
    /// As it was left.
    fn new(kept: Kept) -> Self {
        let mut state = Self {
            items: Vec::new(),
            settings: kept.settings,
            output: kept.output.map(|output| output.0),
            phase: BatchPhase::Idle,
            job: None,
            hold: Arc::default(),
            device: DeviceRequest::default(),
            chain: Ok(String::new()),
            template_problem: None,
            failure: None,
            reading: false,
            next: 1,
        };
        state.add(kept.inputs.into_iter().map(|input| Input { path: input.path.0, folder: input.folder.0 }));
        state
    }

    /// Adds inputs, but those that are there.
    fn add(&mut self, inputs: impl IntoIterator<Item = Input>) {
        let mut known: HashSet<PathBuf> = self.items.iter().map(|item| item.path.clone()).collect();
        for input in inputs {
            if known.insert(input.path.clone()) {
                self.items.push(Item::new(self.next, input.path, input.folder));
                self.next += 1;
            }
        }
    }

    fn is_running(&self) -> bool {
        matches!(self.phase, BatchPhase::Running | BatchPhase::Paused)
    }

    /// # Errors
    /// [`Error::Invalid`] while files are worked on.
    fn at_rest(&self) -> Result<()> {
        if !self.is_running() {
            return Ok(());
        }
        Err(Error::invalid("change of the batch", "one while it runs", "changes when it has ended; cancel it first"))
    }

    fn item(&self, id: u32) -> Result<&Item> {
        let found = self.items.iter().find(|item| item.id == id);
        found.ok_or_else(|| Error::NotFound { what: "input", name: id.to_string() })
    }

    fn status(&self) -> BatchStatus {
        BatchStatus {
            phase: self.phase,
            job: self.job,
            chain: self.chain.clone().unwrap_or_default(),
            output: self.output.as_ref().map(|folder| folder.display().to_string()),
            jobs: self.settings.jobs.map_or_else(|| usual_jobs(&self.device), usize::from) as u32,
            chain_problem: self.chain.clone().err(),
            template_problem: self.template_problem.clone(),
            unread: self.items.iter().filter(|item| item.facts.is_none()).count() as u32,
            failure: self.failure.clone(),
        }
    }

    fn view(&mut self) -> BatchView {
        self.items.iter_mut().for_each(|item| item.is_news = false);
        let folder = self.output.as_deref();
        let items = self.items.iter().map(|item| item.view(folder)).collect();
        BatchView { items, settings: self.settings.clone(), status: self.status() }
    }
}

/// The list while one command or thread has it. It is there from the first look on.
struct Held<'a>(MutexGuard<'a, Option<State>>);

impl std::ops::Deref for Held<'_> {
    type Target = State;

    #[allow(clippy::expect_used, reason = "made with a state, by `batch_state` alone")]
    fn deref(&self) -> &State {
        self.0.as_ref().expect("a state")
    }
}

impl std::ops::DerefMut for Held<'_> {
    #[allow(clippy::expect_used, reason = "made with a state, by `batch_state` alone")]
    fn deref_mut(&mut self) -> &mut State {
        self.0.as_mut().expect("a state")
    }
}

impl Shared {
    /// The batch, which is taken up from the disk when it is asked for first. The app's state is not held meanwhile.
    fn batch_state(&self) -> Held<'_> {
        let settings = self.state().settings.clone();
        let mut state = lock(&self.batch.state);
        if state.is_none() {
            let kept = kept::read(self.directories.data(), &settings);
            *state = Some(State::new(kept));
        }
        Held(state)
    }

    /// Tells the window what changed of the batch since it was told last.
    fn tell_batch(&self, state: &mut State) {
        let folder = state.output.clone();
        let news = state.items.iter_mut().filter(|item| item.is_news || item.state == BatchItemState::Running);
        let items = news
            .map(|item| {
                item.is_news = false;
                item.view(folder.as_deref())
            })
            .collect();
        self.host.emit(Event::BatchItems { items, status: state.status() });
    }

    /// Keeps the list for the next start; that it could not be kept is no reason to stop.
    fn keep_batch(&self, state: &State) {
        if let Err(error) = kept::write(self.directories.data(), state) {
            tracing::warn!("the batch was not kept: {error}");
        }
    }
}

/// What a batch begins with: the rack, as the last export was written, each file under its own name.
fn first_settings(settings: &Settings) -> BatchSettings {
    BatchSettings {
        chain: BatchChain::Rack,
        export: ExportSettings { range: None, ..settings.export.clone() },
        own_bits: true,
        template: "{folder}/{name}.{ext}".to_owned(),
        overwrite: false,
        resume: true,
        jobs: None,
    }
}

/// Whether a command may wait for the disk or for the user.
pub fn may_take_long(name: &str) -> bool {
    matches!(
        name,
        "batch"
            | "add_batch_files"
            | "add_batch_folders"
            | "remove_batch_items"
            | "clear_batch"
            | "choose_batch_output"
            | "set_batch"
            | "start_batch"
            | "show_batch_file"
            | "save_batch_report"
    )
}
