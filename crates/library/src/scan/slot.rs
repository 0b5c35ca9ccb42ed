//! The state of one worker: its current track, whether that exceeds its time limit, and whether the worker was
//! abandoned.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use super::status::InHand;
use crate::store::queue::Claim;
use base::lock::lock;
use base::progress::Progress;

/// The state of a worker.
#[derive(Debug, Default)]
pub(super) struct Slot(Mutex<State>);

#[derive(Debug, Default)]
enum State {
    /// The worker has no track.
    #[default]
    Idle,
    /// The worker is processing a track.
    Busy(Hand),
    /// The thread was abandoned; its results are ignored.
    Abandoned,
    /// The thread has ended.
    Gone,
}

#[derive(Clone, Debug)]
struct Hand {
    id: i64,
    path: PathBuf,
    bytes: u64,
    progress: Progress,
    since: Instant,
    /// When it was told to stop because of the time limit.
    overdue: Option<Instant>,
}

/// The state of a track when its worker finishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Back {
    /// The worker writes its result.
    InTime,
    /// The track was told to stop because of the time limit.
    Overdue,
    /// The worker was abandoned and has lost the track.
    Abandoned,
}

impl Slot {
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.0)
    }

    pub(super) fn begin(&self, claim: &Claim) -> Progress {
        let progress = Progress::new();
        *self.lock() = State::Busy(Hand {
            id: claim.id,
            path: claim.path.clone(),
            bytes: claim.bytes,
            progress: progress.clone(),
            since: Instant::now(),
            overdue: None,
        });
        progress
    }

    pub(super) fn end(&self) -> Back {
        let mut state = self.lock();
        let back = match &*state {
            State::Busy(Hand { overdue: None, .. }) => Back::InTime,
            State::Busy(_) => Back::Overdue,
            _ => return Back::Abandoned,
        };
        *state = State::Idle;
        back
    }

    /// Records that the thread ends.
    pub(super) fn leave(&self) {
        let mut state = self.lock();
        if !matches!(*state, State::Abandoned) {
            *state = State::Gone;
        }
    }

    /// Returns whether nothing more is expected from this worker.
    pub(super) fn is_over(&self) -> bool {
        matches!(*self.lock(), State::Abandoned | State::Gone)
    }

    pub(super) fn cancel(&self) {
        if let State::Busy(hand) = &*self.lock() {
            hand.progress.cancel();
        }
    }

    /// Tells the track to stop if it exceeds the time limit.
    pub(super) fn check_time(&self, limit: Duration) {
        if let State::Busy(hand) = &mut *self.lock()
            && hand.overdue.is_none()
            && hand.since.elapsed() >= limit
        {
            hand.overdue = Some(Instant::now());
            hand.progress.cancel();
        }
    }

    /// Abandons the thread if it was told to stop at least `grace` ago. Returns the track that it held.
    pub(super) fn abandon_overdue(&self, grace: Duration) -> Option<(i64, PathBuf, u64)> {
        let mut state = self.lock();
        match &*state {
            State::Busy(Hand { overdue: Some(since), .. }) if since.elapsed() >= grace => {}
            _ => return None,
        }
        match std::mem::replace(&mut *state, State::Abandoned) {
            State::Busy(hand) => Some((hand.id, hand.path, hand.bytes)),
            _ => None,
        }
    }

    /// Abandons the thread if it is still working. Returns whether it was.
    pub(super) fn abandon(&self) -> bool {
        let mut state = self.lock();
        let busy = matches!(*state, State::Busy(_));
        if busy {
            *state = State::Abandoned;
        }
        busy
    }

    /// Returns the track in progress, and the number of its bytes that are done.
    pub(super) fn in_hand(&self) -> Option<(InHand, f64)> {
        let State::Busy(hand) = &*self.lock() else { return None };
        let reading = hand.progress.snapshot();
        let done = (reading.total > 0).then(|| (reading.done as f64 / reading.total as f64).min(1.0));
        let in_hand =
            InHand { id: hand.id, path: hand.path.clone(), done, elapsed_s: hand.since.elapsed().as_secs_f64() };
        Some((in_hand, done.unwrap_or(0.0) * hand.bytes as f64))
    }
}
