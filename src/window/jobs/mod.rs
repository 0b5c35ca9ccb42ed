//! Jobs: long-running work on separate threads, with progress and prompt cancellation.

pub mod commands;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Failure, Result};
use crate::lock::lock;
use crate::progress::Progress;
use crate::window::event::Event;
use crate::window::host::Host;
use crate::work::export::ExportResult;
use base::declared::TS;

/// The handle of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JobId(pub u32);

base::declared_as!(JobId, u32);

/// A job as the window shows it.
#[derive(Clone, Debug, Serialize, TS)]
pub struct JobView {
    /// The handle.
    pub id: JobId,
    /// The purpose.
    pub purpose: JobPurpose,
    /// The title, such as "Export speech.wav".
    pub title: String,
    /// The current step, if the job names it.
    pub step: Option<String>,
    /// The state.
    pub state: JobState,
    /// The amount done: frames for an export, other units for other jobs.
    pub done: u64,
    /// The total amount; 0 if unknown.
    pub total: u64,
    /// The amount done per second.
    pub rate: f64,
    /// The remaining time in seconds.
    pub remaining_s: Option<f64>,
    /// The result of an export.
    pub result: Option<ExportResult>,
    /// Why it failed.
    pub failure: Option<Failure>,
}

/// The purpose of a job. It determines which command returns the result when the job is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum JobPurpose {
    /// An export; the result is in the job itself.
    Export,
    /// Writing a spectrogram as a picture or as numbers.
    Picture,
    /// Writing each track to a file.
    Stems,
    /// Separating recordings into stems; each opens as a document. Progress counts milliseconds of sound.
    Separate,
    /// Rendering an edit of sound; `editor.render_sound` returns its result.
    Sound,
    /// Measuring what an export would write; `editor.export_forecast`.
    Forecast,
    /// Comparing versions; `compare.view`. Progress counts steps.
    Compare,
    /// Writing a comparison to a file.
    Report,
    /// Many files through one chain; `batch.view`. Progress counts thousandths of a file.
    Batch,
    /// Recordings through codecs; `codecs.view`. Progress counts cells.
    Codecs,
    /// A search for duplicates; `library.duplicates`.
    Duplicates,
    /// Computing the map; `library_map`.
    Map,
    /// Identifying a clip; `library.identified`.
    Identify,
    /// Choosing the tracks of a playlist; `library.playlist`.
    Playlist,
    /// Writing a playlist to a file. Progress counts tracks.
    PlaylistFile,
    /// Previewing, writing or undoing tags of originals; `library.tag_run`. Progress counts files.
    Tags,
    /// Verifying the devices; `devices.verification`. Progress counts checks.
    Verify,
}

/// The state of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum JobState {
    Running,
    Done,
    Failed,
    Cancelled,
}

/// The interval of progress reports to the window.
const REPORT_EVERY: Duration = Duration::from_millis(100);

/// The number of finished jobs to remember.
const ENDED_KEPT: usize = 32;

/// The running and recently finished jobs.
pub struct Jobs {
    host: Arc<dyn Host>,
    table: Arc<Mutex<Table>>,
}

#[derive(Default)]
struct Table {
    next: u32,
    jobs: BTreeMap<JobId, Job>,
}

impl Table {
    fn add(&mut self, purpose: JobPurpose, title: String) -> JobId {
        self.next += 1;
        let id = JobId(self.next);
        self.jobs.insert(id, Job { purpose, title, progress: Progress::new(), outcome: None });
        id
    }

    fn running(&self, purpose: JobPurpose) -> Option<JobId> {
        let mut running = self.jobs.iter().filter(|(_, job)| job.purpose == purpose && job.outcome.is_none());
        running.next().map(|(id, _)| *id)
    }
}

struct Job {
    purpose: JobPurpose,
    title: String,
    progress: Progress,
    /// The outcome; `None` while running. Only an export stores its result here; for others see [`JobPurpose`].
    outcome: Option<Result<Option<ExportResult>, Failure>>,
}

impl Job {
    fn view(&self, id: JobId) -> JobView {
        let reading = self.progress.snapshot();
        let state = match &self.outcome {
            None => JobState::Running,
            Some(Ok(_)) => JobState::Done,
            Some(Err(failure)) if failure.code == crate::error::ErrorCode::Cancelled => JobState::Cancelled,
            Some(Err(_)) => JobState::Failed,
        };
        JobView {
            id,
            purpose: self.purpose,
            title: self.title.clone(),
            step: if state == JobState::Running { self.progress.step() } else { None },
            state,
            done: reading.done,
            total: reading.total,
            rate: reading.rate(),
            remaining_s: if state == JobState::Running { reading.remaining_s() } else { None },
            result: self.outcome.as_ref().and_then(|outcome| outcome.as_ref().ok()).cloned().flatten(),
            failure: self.outcome.as_ref().and_then(|outcome| outcome.as_ref().err()).cloned(),
        }
    }
}

/// The work of a job. All jobs have this one type, so that their threads are compiled once.
type Work = Box<dyn FnOnce(&Progress) -> Result<Option<ExportResult>> + Send>;

impl Jobs {
    /// Creates an empty list of jobs.
    pub fn new(host: Arc<dyn Host>) -> Self {
        Self { host, table: Arc::default() }
    }

    /// Starts a job on a new thread and reports its progress until it ends. A panic in the job fails only the job.
    pub fn start(
        &self,
        purpose: JobPurpose,
        title: String,
        work: impl FnOnce(&Progress) -> Result<Option<ExportResult>> + Send + 'static,
    ) -> JobId {
        let id = lock(&self.table).add(purpose, title);
        self.run(id, Box::new(work));
        id
    }

    /// Same as [`Jobs::start`], unless a job with this purpose is running.
    ///
    /// # Errors
    /// The running job.
    pub fn start_alone(
        &self,
        purpose: JobPurpose,
        title: String,
        work: impl FnOnce(&Progress) -> Result<Option<ExportResult>> + Send + 'static,
    ) -> Result<JobId, JobId> {
        let id = {
            let mut table = lock(&self.table);
            if let Some(running) = table.running(purpose) {
                return Err(running);
            }
            table.add(purpose, title)
        };
        self.run(id, Box::new(work));
        Ok(id)
    }

    fn run(&self, id: JobId, work: Work) {
        let Some(progress) = lock(&self.table).jobs.get(&id).map(|job| job.progress.clone()) else { return };
        let reporter = Reporter { host: Arc::clone(&self.host), table: Arc::clone(&self.table), id };
        reporter.report();
        let worker = thread::spawn(move || {
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&progress)))
                .unwrap_or_else(|_| Err(Error::Internal("the job ended abnormally".into())))
        });
        thread::spawn(move || {
            while !worker.is_finished() {
                thread::sleep(REPORT_EVERY);
                reporter.report();
            }
            let outcome = worker.join().unwrap_or_else(|_| Err(Error::Internal("the job ended abnormally".into())));
            reporter.end(outcome.map_err(Failure::from));
        });
    }

    /// Asks a job to stop; it does so within 200 ms.
    pub fn cancel(&self, id: JobId) -> Result<()> {
        let table = lock(&self.table);
        let job = table.jobs.get(&id).ok_or_else(|| Error::NotFound { what: "job", name: id.0.to_string() })?;
        job.progress.cancel();
        Ok(())
    }

    /// Returns the running job with this purpose, if any.
    pub fn running(&self, purpose: JobPurpose) -> Option<JobId> {
        lock(&self.table).running(purpose)
    }

    /// Returns all remembered jobs, the oldest first.
    #[allow(clippy::unnecessary_wraps, reason = "commands give results")]
    pub fn view(&self) -> Result<Vec<JobView>> {
        Ok(lock(&self.table).jobs.iter().map(|(id, job)| job.view(*id)).collect())
    }

    /// Cancels all running jobs and waits up to 2 s for them to end, so that no half-written file is left at exit.
    pub fn stop_all(&self) {
        let running = || lock(&self.table).jobs.values().filter(|job| job.outcome.is_none()).count();
        for job in lock(&self.table).jobs.values() {
            job.progress.cancel();
        }
        for _ in 0..100 {
            if running() == 0 {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}

struct Reporter {
    host: Arc<dyn Host>,
    table: Arc<Mutex<Table>>,
    id: JobId,
}

impl Reporter {
    fn report(&self) {
        let view = lock(&self.table).jobs.get(&self.id).map(|job| job.view(self.id));
        if let Some(job) = view {
            self.host.emit(Event::Job { job });
        }
    }

    fn end(&self, outcome: Result<Option<ExportResult>, Failure>) {
        {
            let mut table = lock(&self.table);
            if let Some(job) = table.jobs.get_mut(&self.id) {
                job.outcome = Some(outcome);
            }
            let ended: Vec<JobId> =
                table.jobs.iter().filter(|(_, job)| job.outcome.is_some()).map(|(id, _)| *id).collect();
            for id in ended.iter().take(ended.len().saturating_sub(ENDED_KEPT)) {
                table.jobs.remove(id);
            }
        }
        self.report();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Ear(Mutex<Vec<JobView>>);

    impl Host for Ear {
        fn emit(&self, event: Event) {
            if let Event::Job { job } = event {
                lock(&self.0).push(job);
            }
        }
    }

    fn last_state_of(ear: &Ear, wanted: JobState) -> bool {
        for _ in 0..200 {
            if lock(&ear.0).last().is_some_and(|job| job.state == wanted) {
                return true;
            }
            thread::sleep(Duration::from_millis(10));
        }
        false
    }

    #[test]
    fn a_cancelled_job_ends_as_cancelled_and_reports_it() {
        let ear = Arc::new(Ear::default());
        let jobs = Jobs::new(ear.clone());
        let id = jobs.start(JobPurpose::Map, "wait".into(), |progress| {
            progress.set_total(1000);
            loop {
                thread::sleep(Duration::from_millis(5));
                progress.advance(1)?;
            }
        });
        thread::sleep(Duration::from_millis(250));
        assert!(lock(&ear.0).iter().any(|job| job.done > 0 && job.total == 1000 && job.remaining_s.is_some()));
        assert_eq!((jobs.running(JobPurpose::Map), jobs.running(JobPurpose::Export)), (Some(id), None));
        let second = jobs.start_alone(JobPurpose::Map, "wait".into(), |_| panic!("beside another"));
        assert_eq!((second, jobs.view().unwrap().len()), (Err(id), 1));
        jobs.cancel(id).expect("there");
        assert!(last_state_of(&ear, JobState::Cancelled));
        assert!(jobs.start_alone(JobPurpose::Map, "again".into(), |_| Ok(None)).is_ok());
        assert!(last_state_of(&ear, JobState::Done));
        assert_eq!(jobs.running(JobPurpose::Map), None);
        assert!(jobs.cancel(JobId(99)).is_err());
    }

    #[test]
    fn a_panic_is_a_failure_of_the_job_alone() {
        let ear = Arc::new(Ear::default());
        let jobs = Jobs::new(ear.clone());
        jobs.start(JobPurpose::Export, "burst".into(), |_| panic!("on purpose"));
        assert!(last_state_of(&ear, JobState::Failed));
        assert!(jobs.view().unwrap()[0].failure.is_some());
    }
}
