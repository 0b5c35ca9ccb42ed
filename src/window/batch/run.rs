//! Runs the batch as a job: plans the work, reports progress, and ends it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::types::{BatchItemState, BatchPhase, BatchSettings, BatchView};
use super::{BatchPage, State, facts, targets};
use crate::audio::TagChanges;
use crate::audio::encode::{Dither, SampleFormat};
use crate::chain::{Chain, Placement};
use crate::device::RunPurpose;
use crate::error::{Error, Failure, Result};
use crate::progress::Progress;
use crate::window::jobs::JobPurpose;
use crate::work::batch::journal::Journal;
use crate::work::batch::naming::Template;
use crate::work::batch::run::{Batch, FileOutcome, Hold, PARTS, Planned, Step, parts_done, usual_jobs};
use crate::work::batch::targets::own_bits;
use crate::work::export::{ExportInput, ExportSettings};

/// The interval at which progress is counted and cancellation is checked.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// The interval of events to the window.
const TELL_EVERY: Duration = Duration::from_millis(250);

impl BatchPage {
    pub(in crate::window) fn start(self: &Arc<Self>) -> Result<BatchView> {
        let choice = self.locked().settings.chain.clone();
        let chain = self.batch_chain(&choice)?;
        let placement = {
            let request = self.workspace.state().settings.device.clone();
            Placement::new(request, Arc::clone(&self.workspace.devices), RunPurpose::Export).shared()
        };
        let mut state = self.locked();
        state.at_rest()?;
        let nothing = |problem: &str| Err(Error::impossible(problem));
        let Some(output) = state.output.clone() else {
            return nothing("No output folder. Choose one first.");
        };
        if state.items.is_empty() {
            return nothing("No files. Add files or folders first.");
        }
        let template = Template::parse(&state.settings.template)?;
        state.items.iter_mut().for_each(super::Item::reset);
        state.hold = Arc::default();
        state.phase = BatchPhase::Running;
        state.failure = None;
        state.chain = Ok(chain.to_string());
        let work = Work {
            page: Arc::clone(self),
            settings: state.settings.clone(),
            output,
            needs_tags: template.needs_tags(),
            hold: Arc::clone(&state.hold),
        };
        let count = state.items.len();
        let title = if count == 1 { "Process 1 file".to_owned() } else { format!("Process {count} files") };
        let job = self.jobs.start(JobPurpose::Batch, title, move |progress| {
            let end = AtEnd(&work.page);
            let outcome = work.run(chain, placement, progress);
            end.with(outcome)?;
            Ok(None)
        });
        state.job = Some(job);
        self.keep_batch(&state);
        Ok(state.view())
    }
}

/// The data of a run.
struct Work {
    page: Arc<BatchPage>,
    settings: BatchSettings,
    output: PathBuf,
    needs_tags: bool,
    hold: Arc<Hold>,
}

impl Work {
    fn run(&self, chain: Chain, placement: Placement, progress: &Progress) -> Result<()> {
        if self.needs_tags {
            self.learn_tags(progress)?;
        }
        let journal = if self.settings.resume { Some(Journal::open(&self.output)?) } else { None };
        let (ids, planned, counters) = self.plan();
        let inputs = self.page.protecting(self.page.workspace.protected());
        let batch = Batch {
            chain,
            placement,
            settings: &|file, _| Ok((settings_of(&self.settings, file), Vec::new())),
            journal,
            inputs,
            overwrite: self.settings.overwrite,
            makes_folders: true,
            tags: TagChanges::default(),
        };
        let jobs = self.settings.jobs.map_or_else(|| usual_jobs(&batch.placement.request), usize::from);
        progress.set_total(PARTS * ids.len() as u64);
        let ended: Vec<AtomicBool> = ids.iter().map(|_| AtomicBool::new(false)).collect();
        std::thread::scope(|scope| {
            let working = scope.spawn(|| {
                batch.all(planned, &counters, jobs, &self.hold, &|index, step| {
                    if let (Some(id), Some(ended)) = (ids.get(index), ended.get(index)) {
                        self.took(*id, step, ended);
                    }
                });
            });
            let parts = |(counter, ended): (&Progress, &AtomicBool)| {
                if ended.load(Ordering::Relaxed) { PARTS } else { parts_done(counter) }
            };
            let mut counted = 0;
            let mut count = || {
                let done = counters.iter().zip(&ended).map(parts).sum::<u64>();
                // A second pass over a file restarts its count; the total never decreases.
                let _ = progress.advance(done.saturating_sub(counted));
                counted = counted.max(done);
            };
            let mut told = Instant::now();
            while !working.is_finished() {
                std::thread::sleep(LOOK_EVERY);
                if progress.is_cancelled() {
                    counters.iter().for_each(Progress::cancel);
                }
                count();
                if told.elapsed() >= TELL_EVERY {
                    told = Instant::now();
                    self.page.tell_batch(&mut self.page.locked());
                }
            }
            let joined = working.join();
            // Counts the work that ended since the last count.
            count();
            joined.map_err(|_| Error::Internal("the batch ended abnormally".into()))
        })?;
        // A cancellation after the last file has no effect.
        if ended.iter().all(|ended| ended.load(Ordering::Relaxed)) { Ok(()) } else { progress.check() }
    }

    /// Inspects the inputs that were not inspected yet, if their names depend on tags.
    fn learn_tags(&self, progress: &Progress) -> Result<()> {
        loop {
            progress.check()?;
            let next = {
                let state = self.page.locked();
                state.items.iter().find(|item| item.facts.is_none()).map(|item| (item.id, item.path.clone()))
            };
            let Some((id, path)) = next else { return Ok(()) };
            let facts = facts::look(&path, &self.page.workspace.permission);
            let mut state = self.page.locked();
            if let Some(item) = state.items.iter_mut().find(|item| item.id == id) {
                item.facts = Some(facts);
                item.is_news = true;
            }
        }
    }

    /// Returns the item IDs, the planned work and the progress counters, index by index. Items without a target are
    /// marked as failed.
    fn plan(&self) -> (Vec<u32>, Vec<Planned>, Vec<Progress>) {
        let mut state = self.page.locked();
        targets::name(&mut state);
        let (mut ids, mut planned, mut counters) = (Vec::new(), Vec::new(), Vec::new());
        for item in &mut state.items {
            match &item.target {
                Some(Ok(target)) => {
                    ids.push(item.id);
                    planned.push(Planned { input: item.path.clone(), target: Ok(target.clone()) });
                    counters.push(item.progress.clone());
                }
                Some(Err(failure)) => {
                    item.state = BatchItemState::Failed;
                    item.failure = Some(failure.clone());
                    item.is_news = true;
                }
                None => {}
            }
        }
        (ids, planned, counters)
    }

    fn took(&self, id: u32, step: Step<'_>, ended: &AtomicBool) {
        let mut result = None;
        let (item_state, failure) = match step {
            Step::Opened(_) => return,
            Step::Begun => (BatchItemState::Running, None),
            Step::Ended(Ok(FileOutcome::Before(_))) => (BatchItemState::Skipped, None),
            Step::Ended(Ok(FileOutcome::Written(outcome))) => {
                let written = outcome.to_result();
                self.page.workspace.state().last_job = Some((written.device.clone(), written.seconds));
                result = Some(written);
                (BatchItemState::Done, None)
            }
            Step::Ended(Err(Error::Cancelled)) => (BatchItemState::Waiting, None),
            Step::Ended(Err(error)) => (BatchItemState::Failed, Some(Failure::from(error))),
        };
        ended.store(!matches!(item_state, BatchItemState::Running | BatchItemState::Waiting), Ordering::Relaxed);
        let mut state = self.page.locked();
        if let Some(item) = state.items.iter_mut().find(|item| item.id == id) {
            item.state = item_state;
            item.failure = failure;
            item.result = result;
            item.exists |= item_state == BatchItemState::Done;
            item.is_news = true;
        }
    }
}

/// Returns the export settings of a file.
fn settings_of(settings: &BatchSettings, file: &ExportInput) -> ExportSettings {
    let info = file.info();
    let mut export = settings.export.clone();
    let lossy = export.format.is_lossy();
    if settings.own_bits && !lossy {
        export.bits = own_bits(export.format, info.bits, &info.codec);
    }
    if lossy || matches!(export.bits, SampleFormat::Int32 | SampleFormat::Float32) {
        export.dither = Dither::None;
    }
    export
}

/// Resets the batch state when a run ends for any reason.
struct AtEnd<'a>(&'a BatchPage);

impl AtEnd<'_> {
    fn with(self, outcome: Result<()>) -> Result<()> {
        let mut state = self.0.locked();
        state.phase = match &outcome {
            Ok(()) => BatchPhase::Finished,
            Err(_) => BatchPhase::Cancelled,
        };
        state.failure = outcome.as_ref().err().filter(|error| !matches!(error, Error::Cancelled)).map(Failure::from);
        drop(state);
        outcome
    }
}

impl Drop for AtEnd<'_> {
    fn drop(&mut self) {
        let mut state = self.0.locked();
        if state.is_running() {
            state.phase = BatchPhase::Cancelled;
        }
        at_rest(&mut state);
        self.0.tell_batch(&mut state);
    }
}

fn at_rest(state: &mut State) {
    for item in &mut state.items {
        if item.state == BatchItemState::Running {
            item.reset();
        }
    }
}
