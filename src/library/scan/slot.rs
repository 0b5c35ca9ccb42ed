//! One worker's place: what it has in hand, whether its time is over, and whether it was given up.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::status::InHand;
use crate::library::store::queue::Claim;
use crate::progress::Progress;

/// A worker's place.
#[derive(Debug, Default)]
pub(super) struct Slot(Mutex<State>);

#[derive(Debug, Default)]
enum State {
    /// It has nothing in hand.
    #[default]
    Idle,
    /// It works on a track.
    Busy(Hand),
    /// Its thread was given up; what it still brings is not wanted.
    Abandoned,
    /// Its thread has ended.
    Gone,
}

#[derive(Clone, Debug)]
struct Hand {
    id: i64,
    path: PathBuf,
    bytes: u64,
    progress: Progress,
    since: Instant,
    /// When it was told to stop since its time was over.
    overdue: Option<Instant>,
}

/// What became of a track whose worker comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Back {
    /// The worker is to write its result.
    InTime,
    /// It was told to stop since its time was over.
    Overdue,
    /// The track is no longer the worker's, and the worker no longer wanted.
    Abandoned,
}

impl Slot {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// Its thread ends.
    pub(super) fn leave(&self) {
        let mut state = self.lock();
        if !matches!(*state, State::Abandoned) {
            *state = State::Gone;
        }
    }

    /// Whether nothing more is to be awaited from it.
    pub(super) fn is_over(&self) -> bool {
        matches!(*self.lock(), State::Abandoned | State::Gone)
    }

    pub(super) fn cancel(&self) {
        if let State::Busy(hand) = &*self.lock() {
            hand.progress.cancel();
        }
    }

    /// Tells it to stop when its time is over.
    pub(super) fn check_time(&self, limit: Duration) {
        if let State::Busy(hand) = &mut *self.lock()
            && hand.overdue.is_none()
            && hand.since.elapsed() >= limit
        {
            hand.overdue = Some(Instant::now());
            hand.progress.cancel();
        }
    }

    /// Gives its thread up if it was told to stop that long ago; the track that it holds, then.
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

    /// Gives its thread up if it is still at work.
    pub(super) fn abandon(&self) -> bool {
        let mut state = self.lock();
        let busy = matches!(*state, State::Busy(_));
        if busy {
            *state = State::Abandoned;
        }
        busy
    }

    /// What it has in hand, and how many of its bytes are done.
    pub(super) fn in_hand(&self) -> Option<(InHand, f64)> {
        let State::Busy(hand) = &*self.lock() else { return None };
        let reading = hand.progress.snapshot();
        let done = (reading.total > 0).then(|| (reading.done as f64 / reading.total as f64).min(1.0));
        let in_hand =
            InHand { id: hand.id, path: hand.path.clone(), done, elapsed_s: hand.since.elapsed().as_secs_f64() };
        Some((in_hand, done.unwrap_or(0.0) * hand.bytes as f64))
    }
}
