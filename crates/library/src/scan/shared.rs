//! State shared by the threads of a scan: requests, progress, and writing that waits for space on the disk.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::budget::Budget;
use super::options::ScanOptions;
use super::slot::Slot;
use super::status::{Costs, Counts, ScanEvent, TimeSplit};
use crate::sql::{self, Session};
use crate::store::{Store, stored};
use base::error::Error;
use base::lock::lock;

/// Retry interval after a database fault.
const RETRY_EVERY: Duration = Duration::from_millis(500);
/// Time span over which the rate is measured.
const RATE_SPAN: Duration = Duration::from_secs(30);
/// Maximum number of notices kept.
const MAX_NOTICES: usize = 1000;

/// The scan was cancelled or cannot continue. A thread that receives this stops.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stopped;

/// Requests to the scan, and the faults that block it.
#[derive(Debug, Default)]
pub(super) struct Control {
    pub paused: bool,
    pub walking: bool,
    pub ended: bool,
    /// The fault that holds the scan.
    pub fault: Option<String>,
    /// The error that ends the scan.
    pub fatal: Option<Error>,
    /// Start of the current pause.
    pause_began: Option<Instant>,
    pause_total: Duration,
}

/// The progress of the scan.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub counts: Counts,
    pub tracks_total: u64,
    pub bytes_done: u64,
    pub bytes_total: u64,
    pub audio_s: f64,
    pub time: TimeSplit,
    pub costs: Costs,
    pub notices: Vec<String>,
    pub notices_dropped: u64,
    /// Times of the most recently finished tracks.
    recent: VecDeque<Instant>,
}

/// The shared state.
pub(super) struct Shared {
    pub id: i64,
    pub store: Arc<Store>,
    pub options: ScanOptions,
    pub budget: Budget,
    pub started: Instant,
    cancelled: AtomicBool,
    control: Mutex<Control>,
    changed: Condvar,
    tally: Mutex<Tally>,
    pub slots: Mutex<Vec<Arc<Slot>>>,
    claims: AtomicI64,
}

impl Shared {
    pub(super) fn new(id: i64, store: Arc<Store>, options: ScanOptions) -> Self {
        Self {
            id,
            store,
            budget: Budget::new(options.memory_bytes),
            options,
            started: Instant::now(),
            cancelled: AtomicBool::new(false),
            control: Mutex::new(Control { walking: true, ..Control::default() }),
            changed: Condvar::new(),
            tally: Mutex::default(),
            slots: Mutex::default(),
            claims: AtomicI64::new(0),
        }
    }

    pub(super) fn control(&self) -> MutexGuard<'_, Control> {
        lock(&self.control)
    }

    pub(super) fn tally(&self) -> MutexGuard<'_, Tally> {
        lock(&self.tally)
    }

    pub(super) fn slots(&self) -> Vec<Arc<Slot>> {
        lock(&self.slots).clone()
    }

    pub(super) fn tell(&self, event: &ScanEvent) {
        if let Some(observer) = &self.options.observer {
            observer(event);
        }
    }

    /// Records a notice for the user. Duplicates, which several workers may report at once, are dropped.
    pub(super) fn notice(&self, text: String) {
        let mut tally = self.tally();
        if tally.notices.contains(&text) {
            return;
        }
        if tally.notices.len() < MAX_NOTICES {
            tally.notices.push(text.clone());
        } else {
            tally.notices_dropped += 1;
        }
        drop(tally);
        self.tell(&ScanEvent::Notice(text));
    }

    /// Returns a number that distinguishes the next claim from all others of this scan.
    pub(super) fn next_claim(&self) -> i64 {
        self.claims.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Cancels the scan: no new track is claimed, and those in progress stop.
    pub(super) fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
        for slot in self.slots() {
            slot.cancel();
        }
        // Holds the lock, so that a thread about to wait does not miss the notification.
        let _control = self.control();
        self.changed.notify_all();
    }

    /// Ends the scan with an error.
    pub(super) fn give_up(&self, error: Error) {
        self.control().fatal.get_or_insert(error);
        self.cancel();
    }

    pub(super) fn pause(&self, paused: bool) {
        let mut control = self.control();
        if paused && control.pause_began.is_none() {
            control.pause_began = Some(Instant::now());
        } else if !paused && let Some(began) = control.pause_began.take() {
            control.pause_total += began.elapsed();
        }
        control.paused = paused;
        self.changed.notify_all();
    }

    /// Returns the seconds since the start, without pauses.
    pub(super) fn elapsed_s(&self) -> f64 {
        let control = self.control();
        let paused = control.pause_total + control.pause_began.map_or(Duration::ZERO, |began| began.elapsed());
        self.started.elapsed().saturating_sub(paused).as_secs_f64()
    }

    /// Blocks while the scan is paused or held.
    pub(super) fn go_on(&self) -> Result<(), Stopped> {
        let mut control = self.control();
        loop {
            if self.is_cancelled() {
                return Err(Stopped);
            }
            if !control.paused && control.fault.is_none() {
                return Ok(());
            }
            control = self.changed.wait(control).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits for a notification, for `time` at most.
    pub(super) fn wait(&self, time: Duration) {
        let control = self.control();
        if !self.is_cancelled() {
            drop(self.changed.wait_timeout(control, time));
        }
    }

    /// Waits until the scan has ended, for `time` at most.
    pub(super) fn wait_for_end(&self, time: Duration) {
        let control = self.control();
        drop(self.changed.wait_timeout_while(control, time, |control| !control.ended));
    }

    /// Wakes all waiting threads.
    pub(super) fn wake(&self) {
        let _control = self.control();
        self.changed.notify_all();
    }

    /// Runs a transaction. If the disk is full or temporarily not writable, the scan is held until writing succeeds;
    /// nothing is lost meanwhile. Any other error ends the scan.
    pub(super) fn persist<T>(&self, change: impl FnMut(&Session<'_>) -> sql::Result<T>) -> Result<T, Stopped> {
        self.persist_rows(change)?.map_err(|error| {
            self.give_up(stored(&error));
            Stopped
        })
    }

    /// Same as [`Shared::persist`], but returns errors that are due to the rows themselves, such as a text that is too
    /// long. The library is intact then, and nothing was written.
    pub(super) fn persist_rows<T>(
        &self,
        mut change: impl FnMut(&Session<'_>) -> sql::Result<T>,
    ) -> Result<sql::Result<T>, Stopped> {
        let mut held = false;
        loop {
            let began = Instant::now();
            let written = self.store.try_write(&mut change);
            self.tally().time.database += began.elapsed().as_secs_f64();
            match written {
                Ok(value) => {
                    if held && self.control().fault.take().is_some() {
                        self.wake();
                        self.tell(&ScanEvent::GoesOn);
                    }
                    return Ok(Ok(value));
                }
                Err(error) if error.passes() => {
                    let reason = fault(&error);
                    if self.control().fault.replace(reason.clone()).is_none() {
                        self.tell(&ScanEvent::Held(reason));
                    }
                    held = true;
                    if self.is_cancelled() {
                        return Err(Stopped);
                    }
                    self.wait(RETRY_EVERY);
                    if self.is_cancelled() {
                        return Err(Stopped);
                    }
                }
                Err(error) if error.lies_in_rows() => return Ok(Err(error)),
                Err(error) => {
                    self.give_up(stored(&error));
                    return Err(Stopped);
                }
            }
        }
    }

    /// Runs a query about a track. While a server does not answer, the query waits for it. If the library is damaged, the
    /// scan ends; any other error belongs to the track.
    pub(super) fn ask<T>(&self, mut question: impl FnMut(&Session<'_>) -> sql::Result<T>) -> Result<T, Error> {
        loop {
            let error = match self.store.try_read(&mut question) {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            if error.passes() && self.store.file().is_none() {
                if self.is_cancelled() {
                    return Err(Error::Cancelled);
                }
                self.wait(RETRY_EVERY);
                continue;
            }
            if error.is_damage() {
                self.give_up(stored(&error));
                return Err(Error::Cancelled);
            }
            return Err(stored(&error));
        }
    }

    /// Counts a track that has left the queue.
    pub(super) fn through(&self, bytes: u64, count: impl FnOnce(&mut Counts)) {
        let now = Instant::now();
        let mut tally = self.tally();
        count(&mut tally.counts);
        tally.bytes_done = tally.bytes_done.saturating_add(bytes);
        tally.recent.push_back(now);
        while tally.recent.front().is_some_and(|first| now.duration_since(*first) > RATE_SPAN) {
            tally.recent.pop_front();
        }
    }
}

impl Tally {
    /// Returns the recent rate in tracks per second.
    pub(super) fn tracks_per_s(&self, elapsed_s: f64) -> f64 {
        let span_s = elapsed_s.min(RATE_SPAN.as_secs_f64());
        let late = self.recent.iter().filter(|at| at.elapsed() <= RATE_SPAN).count();
        if span_s > 0.0 { late as f64 / span_s } else { 0.0 }
    }
}

fn fault(error: &sql::Error) -> String {
    if error.is_full() {
        return "there is no room for the library: the disk (or the limit set for the library) is full; free some, the \
                scan goes on by itself"
            .to_owned();
    }
    if error.is_busy() {
        return "Another program uses the library. The scan continues when it is free.".to_owned();
    }
    format!("The library cannot be written to ({error}). The scan continues when it can.")
}
