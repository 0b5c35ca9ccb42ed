//! Runs a batch: several files at a time, each independently. A failed file does not stop the others.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::journal::Journal;
use crate::audio::tags::{FrameMap, Processing, TagCause};
use crate::audio::{CoverChange, TagChanges};
use crate::chain::{Chain, Placement};
use crate::device::DeviceRequest;
use crate::document::FrameRange;
use crate::error::{Error, Result};
use crate::files::{Protected, Stamp};
use crate::lock::lock;
use crate::progress::Progress;
use crate::work::export::{ExportInput, ExportJob, ExportOutcome, ExportSettings, export};
use crate::work::stem_files::tagging_of;

/// An input and its output path, or why it has none.
#[derive(Debug)]
pub struct Planned {
    /// The file.
    pub input: PathBuf,
    /// The output path.
    pub target: Result<PathBuf>,
}

/// Returns the export settings for an opened input and its output path, and warnings about them.
pub type SettingsOf<'a> = dyn Fn(&ExportInput, &Path) -> Result<(ExportSettings, Vec<String>)> + Sync + 'a;

/// The settings that the files of a batch share.
pub struct Batch<'a> {
    /// The chain that each input goes through; a project goes through its chain first. What this chain is allowed
    /// limits those of projects too.
    pub chain: Chain,
    /// The device on which the chain runs.
    pub placement: Placement,
    /// Returns the export settings of each file.
    pub settings: &'a SettingsOf<'a>,
    /// The list of finished files: listed files are skipped, and new ones are added.
    pub journal: Option<Journal>,
    /// Files that are never replaced: all inputs, and the files that the chain reads.
    pub inputs: Protected,
    /// Whether existing files may be replaced.
    pub overwrite: bool,
    /// Whether missing folders of outputs are created.
    pub makes_folders: bool,
    /// The tags that outputs have instead of their inputs' tags.
    pub tags: TagChanges,
}

/// The result of a file.
#[derive(Debug)]
pub enum FileOutcome {
    /// The file was written.
    Written(Box<ExportOutcome>),
    /// The file was finished by an earlier run.
    Before(PathBuf),
}

/// A step in processing a file, as reported while others are processed too.
pub enum Step<'a> {
    /// Processing started.
    Begun,
    /// The input was opened.
    Opened(&'a ExportInput),
    /// Processing ended.
    Ended(Result<FileOutcome>),
}

impl Batch<'_> {
    /// Processes all files, `jobs` at a time. `progress[i]` counts the file at index `i`. A file whose progress is
    /// cancelled ends as cancelled, whether it was started or not.
    pub fn all(
        &self,
        planned: Vec<Planned>,
        progress: &[Progress],
        jobs: usize,
        hold: &Hold,
        tell: &(dyn Fn(usize, Step<'_>) + Sync),
    ) {
        let next = AtomicUsize::new(0);
        let work: Vec<Mutex<Option<Planned>>> = planned.into_iter().map(|planned| Mutex::new(Some(planned))).collect();
        let one_after_another = || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let (Some(work), Some(progress)) = (work.get(index), progress.get(index)) else { return };
                hold.wait(progress);
                let Some(planned) = lock(work).take() else { return };
                tell(index, Step::Begun);
                let outcome = self.file(planned, progress, &|file| tell(index, Step::Opened(file)));
                tell(index, Step::Ended(outcome));
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..jobs.min(work.len()).max(1) {
                scope.spawn(one_after_another);
            }
        });
    }

    fn file(&self, planned: Planned, progress: &Progress, opened: &dyn Fn(&ExportInput)) -> Result<FileOutcome> {
        let Planned { input, target } = planned;
        let target = target?;
        progress.check()?;
        let read = Stamp::of(&input);
        let file = ExportInput::open(&input, self.chain.permission())?;
        opened(&file);
        let (mut settings, told) = (self.settings)(&file, &target)?;
        let chain = file.chain(&self.chain);
        let recipe = recipe(&chain, &file, &settings, &self.tags)?;
        if self.journal.as_ref().is_some_and(|journal| journal.has(&input, &target, &recipe)) {
            return Ok(FileOutcome::Before(target));
        }
        if let Some(folder) = target.parent().filter(|_| self.makes_folders) {
            std::fs::create_dir_all(folder).map_err(|error| Error::io("make the folder", folder, error))?;
        }
        let is_part = |range: &FrameRange| (range.start, range.end) != (0, file.frames());
        let (source, chain, markers, tagging) = match settings.range.filter(is_part) {
            // The chain treats an excerpt as a separate recording; a project's chain processes the whole.
            Some(range) if !self.chain.nodes.is_empty() => {
                settings.range = None;
                let (source, markers) = file.excerpt(range, &self.placement, progress)?;
                let cut = Processing::default().with(TagCause::Cut, true);
                // A project's chain may move frames before.
                let frames =
                    if file.is_project() { FrameMap::UNKNOWN } else { FrameMap::of_part(range.start..range.end) };
                let tagging = tagging_of(&file)?.after(&cut.with_frames(frames));
                (source, self.chain.clone(), markers, tagging)
            }
            _ => (file.reader(&self.placement, progress)?, chain, file.markers(), file.tagging()?),
        };
        let job = ExportJob {
            source,
            chain,
            placement: self.placement.clone(),
            settings,
            target,
            overwrite: self.overwrite,
            inputs: self.inputs.clone(),
            tags: tagging.with(self.tags.clone()),
            markers,
        };
        let mut outcome = export(job, progress)?;
        outcome.warnings.splice(0..0, told);
        if let (Some(journal), Some(read)) = (&self.journal, read) {
            journal.add(&input, read, &outcome.target, &recipe)?;
        }
        Ok(FileOutcome::Written(Box::new(outcome)))
    }
}

/// Returns a hash by which another run recognises that it would produce the same output: the chain with the content of
/// the files it reads, the sound of a project, the settings, the changes of tags, and the program's version.
pub fn recipe(chain: &Chain, input: &ExportInput, settings: &ExportSettings, tags: &TagChanges) -> Result<String> {
    let settings = serde_json::to_string(settings).map_err(|error| Error::Internal(error.to_string()))?;
    let mut text = format!("{}\n{}{}\n{settings}", env!("CARGO_PKG_VERSION"), chain.sound_key(), input.content_key());
    if *tags != TagChanges::default() {
        let cover = match &tags.cover {
            CoverChange::Keep => "keep".to_owned(),
            CoverChange::Remove => "remove".to_owned(),
            CoverChange::Replace(picture) => blake3::hash(&picture.data).to_hex().to_string(),
        };
        text = format!("{text}\n{:?}\n{cover}{}", tags.items, if tags.replay_gain { "\nreplay gain" } else { "" });
    }
    Ok(blake3::hash(text.as_bytes()).to_hex().to_string())
}

/// The smallest default number of files at a time on a GPU. While it works on one file, blocks of the others queue up
/// for its next submission.
const FILES_ON_GPU: usize = 4;

/// Returns the default number of files to process at once. Each keeps about three threads busy. At least `FILES_ON_GPU`
/// if the user requested a GPU explicitly.
pub fn usual_jobs(request: &DeviceRequest) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let is_gpu = !matches!(request, DeviceRequest::Auto | DeviceRequest::Cpu);
    (cores / 3).max(if is_gpu { FILES_ON_GPU } else { 1 })
}

/// A switch that pauses a batch: files in progress are finished, and the next ones wait.
#[derive(Debug, Default)]
pub struct Hold {
    held: Mutex<bool>,
    changed: Condvar,
}

impl Hold {
    /// Pauses or resumes the batch.
    pub fn set(&self, held: bool) {
        *lock(&self.held) = held;
        self.changed.notify_all();
    }

    /// Whether the batch is paused.
    pub fn is_held(&self) -> bool {
        *lock(&self.held)
    }

    // A cancellation is noticed within 50 ms.
    fn wait(&self, progress: &Progress) {
        let mut held = lock(&self.held);
        while *held && !progress.is_cancelled() {
            let waited = self.changed.wait_timeout(held, Duration::from_millis(50));
            held = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// The number of progress parts per file.
pub const PARTS: u64 = 1000;

/// Returns how many of the [`PARTS`] of a file are done.
pub fn parts_done(progress: &Progress) -> u64 {
    let reading = progress.snapshot();
    (PARTS * reading.done.min(reading.total)).checked_div(reading.total).unwrap_or(0)
}
