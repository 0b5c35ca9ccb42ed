//! The scan: walks the folders, puts new and changed files into a queue in the database, and analyses them in workers.
//!
//! One thread walks, one worker runs per core, and one thread supervises: it stops a track that exceeds its time limit,
//! replaces a thread whose decoder does not stop, and ends everything within 200 ms of a cancellation. Claiming a track
//! and writing its outcome are one transaction each, so that a kill at any time affects only the tracks in progress.
//! The next scan treats those as suspects: it analyses them after all others, each with no other track in progress.
//! Only a track during which the program ends while it is alone counts as failed.
//!
//! Only one scan runs on a library in a file at a time, across all processes; its lock is released when its process
//! ends. Any number of machines scan a library on a server. Each folder is walked by one of them, and each track is
//! claimed by one. A machine gives a sign of life every few seconds. If it gives none for half a minute, the others
//! take over its tracks ([`beat`]), and what it writes afterwards is rejected.

mod beat;
mod budget;
mod examine;
mod find;
mod options;
mod shared;
mod slot;
mod status;
mod worker;

use std::fs::{File, TryLockError};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

pub use options::{ScanOptions, estimate_bytes};
pub use status::{Counts, InHand, Phase, ScanEvent, ScanOutcome, ScanStatus, ScanSummary, TimeSplit};

use self::shared::Shared;
use self::slot::Slot;
use super::store::{Store, queue, roots, scans, stored, words};
use base::error::{Error, Result};
use base::files;
use base::lock::lock;

/// Interval between checks of the threads.
const TICK: Duration = Duration::from_millis(20);
/// How long after a cancellation a thread may continue before it is abandoned.
const CANCEL_GRACE: Duration = Duration::from_millis(120);
/// How long after a cancellation the scan ends, whatever its threads do.
const CANCEL_LIMIT: Duration = Duration::from_millis(180);

/// A running scan. Dropping the handle cancels it.
#[derive(Debug)]
pub struct ScanHandle {
    shared: Arc<Shared>,
    supervisor: Option<JoinHandle<Result<ScanSummary>>>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Shared").field("id", &self.id).finish_non_exhaustive()
    }
}

impl ScanHandle {
    /// Returns the id of the scan in the history.
    pub fn id(&self) -> i64 {
        self.shared.id
    }

    /// Stops claiming tracks. Tracks in progress are finished.
    pub fn pause(&self) {
        self.shared.pause(true);
    }

    /// Resumes the scan. A fault that holds it is retried immediately.
    pub fn resume(&self) {
        self.shared.pause(false);
    }

    /// Ends the scan within 200 ms. Tracks in progress are left to the next scan.
    pub fn cancel(&self) {
        self.shared.cancel();
    }

    /// Returns whether the scan has ended.
    pub fn is_finished(&self) -> bool {
        self.supervisor.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Returns the current status.
    pub fn status(&self) -> ScanStatus {
        status_of(&self.shared)
    }

    /// Waits for the end of the scan.
    ///
    /// # Errors
    /// [`Error::Limit`] if too many decoders did not stop.
    pub fn wait(mut self) -> Result<ScanSummary> {
        match self.supervisor.take().map(JoinHandle::join) {
            Some(Ok(summary)) => summary,
            _ => Err(Error::Internal("the scan ended abnormally".to_owned())),
        }
    }
}

impl Drop for ScanHandle {
    fn drop(&mut self) {
        if let Some(supervisor) = self.supervisor.take() {
            self.shared.cancel();
            // The scan ends quickly, and releases the lock of the library.
            let _ = supervisor.join();
        }
    }
}

/// Starts a scan.
pub(super) fn start(store: &Arc<Store>, options: ScanOptions) -> Result<ScanHandle> {
    let lock = take_lock(store)?;
    let holder = match store.file() {
        Some(_) => format!("{} (process {})", options.program, std::process::id()),
        None => format!("{} on {} (process {})", options.program, machine_name(), std::process::id()),
    };
    let versions = options.analyser.versions;
    let known = store.read(roots::all)?;
    let reach: Vec<(i64, Option<String>)> =
        known.iter().map(|root| (root.id, find::unreachable(&root.path, root.tracks > 0))).collect();
    let (id, again, given_up, waiting) = store.write(|session| {
        let id = scans::begin(session, &holder, options.lease)?;
        let (again, given_up) = queue::recover(session, options.max_attempts, versions)?;
        for (root, reason) in &reach {
            roots::reached(session, id, *root, reason.as_deref())?;
        }
        Ok((id, again, given_up, queue::waiting(session, id, None)?))
    })?;
    let workers = options.workers.unwrap_or_else(|| thread::available_parallelism().map_or(2, usize::from)).max(1);
    let shared = Arc::new(Shared::new(id, Arc::clone(store), options));
    {
        let mut tally = shared.tally();
        tally.counts.recovered = again as u64;
        tally.counts.failed = given_up as u64;
        tally.tracks_total = (waiting.len() + given_up) as u64;
        for (path, bytes) in &waiting {
            tally.bytes_total = tally.bytes_total.saturating_add(*bytes);
            tally.costs.add_waiting(&find::ending(path.as_ref()), *bytes);
        }
    }
    let supervised = Arc::clone(&shared);
    let supervisor = thread::Builder::new().name("library scan".to_owned()).spawn(move || {
        let summary = beat::start(&supervised).and_then(|()| supervise(&supervised, workers));
        supervised.control().ended = true;
        supervised.wake();
        drop(lock);
        summary
    });
    let supervisor = supervisor.map_err(|error| Error::Internal(format!("no thread for the scan: {error}")))?;
    Ok(ScanHandle { shared, supervisor: Some(supervisor) })
}

/// Returns the name of this machine, by which others know it.
fn machine_name() -> String {
    #[cfg(unix)]
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    #[cfg(not(unix))]
    let name = std::env::var("COMPUTERNAME").unwrap_or_else(|_| "a machine".to_owned());
    name
}

/// Takes the lock that prevents other scans of the same library for the lifetime of this process.
fn take_lock(store: &Store) -> Result<Option<File>> {
    // The machines that scan a library on a server share the work.
    if store.file().is_none() {
        return Ok(None);
    }
    let path = store.path().with_extension("scan.lock");
    let file = File::options().create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(|source| Error::io("open", &path, source))?;
    // [`holder`] shares the lock for an instant.
    if files::try_lock(&file).map_err(|source| Error::io("lock", &path, source))? {
        return Ok(Some(file));
    }
    let holder = running(store)?.unwrap_or_else(|| "another process".to_owned());
    Err(Error::Refused {
        reason: format!("{holder} is scanning this library. Wait for it, or stop it there"),
        path: store.path().to_path_buf(),
    })
}

/// Returns the processes of the scans that have not ended.
fn running(store: &Store) -> Result<Option<String>> {
    let holders: Vec<String> = store.read(scans::running)?.into_iter().map(|scan| scan.holder).collect();
    Ok((!holders.is_empty()).then(|| holders.join(", ")))
}

/// Returns the process that is scanning the library, if any; on a server there may be several.
pub(super) fn holder(store: &Store) -> Result<Option<String>> {
    if store.file().is_none() {
        return running(store);
    }
    let path = store.path().with_extension("scan.lock");
    let Ok(file) = File::options().write(true).open(&path) else { return Ok(None) };
    // A shared lock, so that one who asks is not taken for one who scans. Tried once: this is asked for every view.
    if matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)) {
        return Ok(Some(running(store)?.unwrap_or_else(|| "another process".to_owned())));
    }
    Ok(None)
}

fn spawn_worker(shared: &Arc<Shared>) -> Result<()> {
    let slot = Arc::new(Slot::default());
    lock(&shared.slots).push(Arc::clone(&slot));
    let of_worker = (Arc::clone(shared), Arc::clone(&slot));
    let spawned = thread::Builder::new()
        .name("library worker".to_owned())
        .spawn(move || worker::work(&of_worker.0, &of_worker.1));
    spawned.map(drop).map_err(|error| {
        slot.leave();
        Error::Internal(format!("no thread for a worker: {error}"))
    })
}

/// Supervises the threads of a scan until its end.
fn supervise(shared: &Arc<Shared>, workers: usize) -> Result<ScanSummary> {
    let walker = Arc::clone(shared);
    let walker = thread::Builder::new().name("library walk".to_owned()).spawn(move || {
        let walked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| find::find(&walker)));
        if walked.is_err() {
            walker.give_up(Error::Internal("the walk of the folders ended abnormally".to_owned()));
        }
        walker.control().walking = false;
        walker.wake();
    });
    match walker {
        Ok(_) => {
            for _ in 0..workers {
                if let Err(error) = spawn_worker(shared) {
                    shared.give_up(error);
                }
            }
        }
        Err(error) => {
            shared.give_up(Error::Internal(format!("no thread for the walk: {error}")));
            shared.control().walking = false;
        }
    }
    let mut cancelled: Option<Instant> = None;
    loop {
        let slots = shared.slots();
        if !shared.control().walking && slots.iter().all(|slot| slot.is_over()) {
            break;
        }
        if shared.is_cancelled() {
            let since = *cancelled.get_or_insert_with(Instant::now);
            for slot in &slots {
                slot.cancel();
                if since.elapsed() >= CANCEL_GRACE && slot.abandon() {
                    shared.tally().counts.abandoned += 1;
                }
            }
            // A thread that is still writing loses only its work: the database rejects writes that are no longer
            // allowed.
            if since.elapsed() >= CANCEL_LIMIT {
                break;
            }
            thread::sleep(Duration::from_millis(5));
        } else {
            watch_time(shared, &slots);
            shared.wait(TICK);
        }
    }
    finish(shared)
}

/// Stops tracks that exceed the time limit, and replaces threads that do not stop.
fn watch_time(shared: &Arc<Shared>, slots: &[Arc<Slot>]) {
    let Some(limit) = shared.options.track_timeout else { return };
    for slot in slots {
        slot.check_time(limit);
        let Some((id, path, bytes)) = slot.abandon_overdue(shared.options.stop_grace) else { continue };
        shared.budget.give_back((shared.options.estimate)(bytes));
        let reason = format!(
            "The decoder did not stop {:.0} s after its time limit of {:.0} s and was abandoned: {}",
            shared.options.stop_grace.as_secs_f64(),
            limit.as_secs_f64(),
            path.display()
        );
        let versions = shared.options.analyser.versions;
        let failed = shared.persist(|session| queue::fail(session, shared.id, id, ("limit", &reason), versions));
        let abandoned = {
            let mut tally = shared.tally();
            tally.counts.abandoned += 1;
            tally.counts.abandoned
        };
        if failed.is_ok() {
            shared.tally().costs.remove_waiting(&find::ending(&path), bytes);
            shared.through(bytes, |counts| counts.failed += 1);
            shared.tell(&ScanEvent::Failed { id, reason });
        }
        if abandoned as usize >= shared.options.max_abandoned {
            shared.give_up(Error::Limit {
                what: "the number of decoders that do not stop".to_owned(),
                got: abandoned.to_string(),
                limit: format!("{} in one scan. Restart the program to go on", shared.options.max_abandoned),
            });
        } else if let Err(error) = spawn_worker(shared) {
            shared.give_up(error);
        }
    }
}

/// Records the end of a scan.
fn finish(shared: &Shared) -> Result<ScanSummary> {
    let fatal = shared.control().fatal.take();
    let outcome = if shared.is_cancelled() { ScanOutcome::Cancelled } else { ScanOutcome::Done };
    let summary = {
        let elapsed_s = shared.elapsed_s();
        let tally = shared.tally();
        let mut notices = tally.notices.clone();
        if tally.notices_dropped > 0 {
            notices.push(format!("and {} more", tally.notices_dropped));
        }
        let (counts, audio_s, time) = (tally.counts, tally.audio_s, tally.time);
        ScanSummary { id: shared.id, outcome, counts, elapsed_s, audio_s, time, notices }
    };
    let text = serde_json::to_string(&summary).map_err(|error| Error::Internal(error.to_string()))?;
    let name = match (&fatal, outcome) {
        (Some(_), _) => "failed",
        (None, ScanOutcome::Cancelled) => "cancelled",
        (None, ScanOutcome::Done) => "done",
    };
    let written = shared.store.try_write(|session| {
        queue::release_all(session, shared.id)?;
        roots::remove_unused_covers(session)?;
        words::refresh(session)?;
        scans::end(session, shared.id, name, &text)
    });
    match (fatal, written) {
        (Some(error), _) => return Err(error),
        (None, Err(error)) if error.is_damage() => return Err(stored(&error)),
        // Tracks that could not be released are recovered by the next scan.
        (None, Err(_)) if outcome == ScanOutcome::Cancelled => {}
        (None, Err(error)) => return Err(stored(&error)),
        (None, Ok(())) => {}
    }
    // Counted results must be present for the next process that opens the library.
    if summary.counts.through() > 0
        && let Some(reason) = shared.store.damage()?
    {
        return Err(Error::Stored(format!(
            "The library was damaged during the scan ({reason}). Its results may be lost. Scan again: {}",
            shared.store.path().display()
        )));
    }
    Ok(summary)
}

fn status_of(shared: &Shared) -> ScanStatus {
    let hands: Vec<_> = shared.slots().iter().filter_map(|slot| slot.in_hand()).collect();
    let elapsed_s = shared.elapsed_s();
    let (phase, fault) = {
        let control = shared.control();
        let phase = match () {
            () if control.ended => Phase::Ended,
            () if shared.is_cancelled() => Phase::Stopping,
            () if control.fault.is_some() => Phase::Held,
            () if control.paused && !hands.is_empty() => Phase::Pausing,
            () if control.paused => Phase::Paused,
            () if control.walking => Phase::Walking,
            () => Phase::Analysing,
        };
        (phase, control.fault.clone())
    };
    let memory_bytes = shared.budget.used();
    let tally = shared.tally();
    let (in_hand, parts): (Vec<InHand>, Vec<f64>) = hands.into_iter().unzip();
    let working_s = tally.costs.taken_s();
    // The remaining work is divided by the average number of active workers.
    let abreast = if elapsed_s > 0.0 { (working_s / elapsed_s).max(0.1) } else { 1.0 };
    let remaining_s = match phase {
        Phase::Walking | Phase::Ended | Phase::Stopping => None,
        _ => tally.costs.remaining_s().map(|seconds| seconds / abreast),
    };
    ScanStatus {
        phase,
        counts: tally.counts,
        tracks_done: tally.counts.through(),
        tracks_total: tally.tracks_total,
        bytes_done: tally.bytes_done as f64 + parts.iter().sum::<f64>(),
        bytes_total: tally.bytes_total,
        audio_s: tally.audio_s,
        elapsed_s,
        tracks_per_s: tally.tracks_per_s(elapsed_s),
        remaining_s,
        time: tally.time,
        in_hand,
        memory_bytes,
        fault,
        notices: tally.notices.clone(),
    }
}
