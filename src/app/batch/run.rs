//! The work: file after file through the chain, some at a time, each by itself. What fails does not stop the others.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::journal::{Journal, Stamp};
use crate::app::api::ExportSettings;
use crate::app::export::{ExportJob, ExportOutcome, export};
use crate::audio::AudioFile;
use crate::chain::{Chain, Placement};
use crate::device::DeviceRequest;
use crate::error::{Error, Result};
use crate::files::Protected;
use crate::progress::Progress;

/// An input and where it goes, or why it goes nowhere.
#[derive(Debug)]
pub struct Planned {
    /// The file.
    pub input: PathBuf,
    /// Its output.
    pub target: Result<PathBuf>,
}

/// How a file is to be written, known when it is open.
pub type SettingsOf<'a> = dyn Fn(&AudioFile, &Path) -> Result<ExportSettings> + Sync + 'a;

/// Everything that the files of a batch share.
pub struct Batch<'a> {
    /// What each goes through.
    pub chain: Chain,
    /// Where that runs.
    pub placement: Placement,
    /// How each is written.
    pub settings: &'a SettingsOf<'a>,
    /// The list of what is finished, which is gone by and added to.
    pub journal: Option<Journal>,
    /// Files that are never replaced: all inputs, and the files that the chain reads.
    pub inputs: Protected,
    /// Whether files that stand there may be replaced.
    pub overwrite: bool,
    /// Whether folders of outputs are made.
    pub makes_folders: bool,
}

/// What became of a file.
#[derive(Debug)]
pub enum Done {
    /// It was written.
    Written(Box<ExportOutcome>),
    /// It was finished by an earlier run.
    Before(PathBuf),
}

/// How a file goes on, as it is told while others do too.
pub enum Step<'a> {
    /// Its turn has come.
    Begun,
    /// It could be opened.
    Opened(&'a AudioFile),
    /// It is over.
    Ended(Result<Done>),
}

impl Batch<'_> {
    /// Works through all files, `jobs` at a time. Of the file at an index `progress` at the same index counts; a file
    /// whose progress is cancelled ends as cancelled, begun or not.
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
                let Some(planned) = locked(work).take() else { return };
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

    fn file(&self, planned: Planned, progress: &Progress, opened: &dyn Fn(&AudioFile)) -> Result<Done> {
        let Planned { input, target } = planned;
        let target = target?;
        progress.check()?;
        let read = Stamp::of(&input);
        let file = AudioFile::open(&input)?;
        opened(&file);
        let settings = (self.settings)(&file, &target)?;
        let recipe = self.recipe(&settings)?;
        if self.journal.as_ref().is_some_and(|journal| journal.has(&input, &target, &recipe)) {
            return Ok(Done::Before(target));
        }
        if let Some(folder) = target.parent().filter(|_| self.makes_folders) {
            std::fs::create_dir_all(folder).map_err(|error| Error::io("make the folder", folder, error))?;
        }
        let job = ExportJob {
            source: file.reader()?,
            chain: self.chain.clone(),
            placement: self.placement.clone(),
            settings,
            target,
            overwrite: self.overwrite,
            inputs: self.inputs.clone(),
            tags: file.info().tags.clone(),
        };
        let outcome = export(job, progress)?;
        if let (Some(journal), Some(read)) = (&self.journal, read) {
            journal.add(&input, read, &outcome.target, &recipe)?;
        }
        Ok(Done::Written(Box::new(outcome)))
    }

    /// By which another run knows that it would do the same: the chain with the files that it reads, the settings, and the
    /// program's version.
    fn recipe(&self, settings: &ExportSettings) -> Result<String> {
        let settings = serde_json::to_string(settings).map_err(|error| Error::Internal(error.to_string()))?;
        let text = format!("{}\n{}\n{settings}", env!("CARGO_PKG_VERSION"), self.chain.sound_key());
        Ok(blake3::hash(text.as_bytes()).to_hex().to_string())
    }
}

/// Files at a time on a GPU at the least: while it works on one, blocks of the others gather for its next submission.
const FILES_ON_GPU: usize = 4;

/// How many files are worked on at once when nobody says: each keeps three threads busy. More where a GPU was asked for by
/// itself, rather than whatever is faster.
pub fn usual_jobs(request: &DeviceRequest) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let is_gpu = !matches!(request, DeviceRequest::Auto | DeviceRequest::Cpu);
    (cores / 3).max(if is_gpu { FILES_ON_GPU } else { 1 })
}

/// Lets a batch pause: files in hand go on to their end, the next one waits.
#[derive(Debug, Default)]
pub struct Hold {
    held: Mutex<bool>,
    changed: Condvar,
}

impl Hold {
    /// Pauses, or goes on.
    pub fn set(&self, held: bool) {
        *locked(&self.held) = held;
        self.changed.notify_all();
    }

    /// Whether it is paused.
    pub fn is_held(&self) -> bool {
        *locked(&self.held)
    }

    // A cancel is heard within a twentieth of a second.
    fn wait(&self, progress: &Progress) {
        let mut held = locked(&self.held);
        while *held && !progress.is_cancelled() {
            let waited = self.changed.wait_timeout(held, Duration::from_millis(50));
            held = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// A part of a thousand of what there is to do of a file.
pub const PARTS: u64 = 1000;

/// How many parts of [`PARTS`] of a file are done.
pub fn parts_done(progress: &Progress) -> u64 {
    let reading = progress.snapshot();
    (PARTS * reading.done.min(reading.total)).checked_div(reading.total).unwrap_or(0)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
