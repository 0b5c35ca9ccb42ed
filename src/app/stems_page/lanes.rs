//! The devices on which recordings are separated at the same time.

use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use super::models::QUICK;
use super::{Current, Queue, StemsPage, Wanted};
use crate::app::api::{Notice, NoticeLevel, StemsTask};
use crate::chain::Placement;
use crate::error::{Error, Result};
use crate::lock::lock;
use crate::progress::Progress;
use crate::stems::Separation;

/// How often a device that has nothing to do looks whether the job was cancelled.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// A device that takes recordings of its own.
pub(super) struct Lane {
    pub placement: Placement,
    /// Whether it also takes what is not separated by a network: that takes all of the CPU, one after the other.
    takes_all: bool,
}

/// A recording that was taken from the queue.
pub(super) struct Taken {
    pub wanted: Wanted,
    /// Its part of the progress.
    pub part: Progress,
    /// What the job says of it.
    pub place: String,
}

/// A recording that is worked on: it is so no longer, however the work ends, also by a panic, as other devices wait for it.
pub(super) struct AtWork<'a> {
    pub page: &'a StemsPage,
    pub task: StemsTask,
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.page.is_done(self.task);
    }
}

/// What became of the recordings of a job.
#[derive(Default)]
pub(super) struct Tally {
    done: usize,
    dropped: usize,
    failed: Vec<(String, Error)>,
}

impl StemsPage {
    /// Returns the devices of a job: those that separate recordings such as the first that waits.
    pub(super) fn lanes(&self) -> Vec<Lane> {
        let placement = self.placement();
        let first = lock(&self.queue).waiting.front().map(|wanted| wanted.wish.clone());
        let split = first.and_then(|wish| self.chosen(&wish).ok()).map(|chosen| chosen.split);
        let own = split.map_or_else(Vec::new, |split: Separation| split.lanes(&placement).0);
        let own = if own.is_empty() { vec![placement] } else { own };
        let lane = |(n, placement)| Lane { placement, takes_all: n == 0 };
        own.into_iter().enumerate().map(lane).collect()
    }

    /// Takes the next recording for a device from the queue. The job ends if there is none and nothing is worked on.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if the job was cancelled and recordings wait.
    pub(super) fn next(&self, run: u64, lane: &Lane, progress: &Progress) -> Result<Option<Taken>> {
        let next = self.taken(run, lane, progress);
        self.tell_queue();
        next
    }

    fn taken(&self, run: u64, lane: &Lane, progress: &Progress) -> Result<Option<Taken>> {
        let takes = |wanted: &Wanted| lane.takes_all || wanted.wish.model != QUICK;
        let mut queue = lock(&self.queue);
        while queue.run == run {
            if !queue.waiting.is_empty() {
                progress.check()?;
            }
            let place = queue.waiting.iter().position(takes);
            if let Some(wanted) = place.and_then(|place| queue.waiting.remove(place)) {
                return Ok(Some(begun(&mut queue, wanted, progress)));
            }
            if queue.waiting.is_empty() && queue.current.is_empty() {
                // From here on, a recording is separated by a new job.
                queue.running = None;
                self.changed.notify_all();
                return Ok(None);
            }
            queue = self.waited(queue);
        }
        Ok(None)
    }

    /// Takes a recording from those that are worked on.
    pub(super) fn is_done(&self, task: StemsTask) {
        lock(&self.queue).current.retain(|current| current.task != task);
        self.changed.notify_all();
    }

    fn waited<'q>(&self, queue: MutexGuard<'q, Queue>) -> MutexGuard<'q, Queue> {
        let waited = self.changed.wait_timeout(queue, LOOK_EVERY);
        waited.unwrap_or_else(std::sync::PoisonError::into_inner).0
    }

    /// Counts what became of a recording.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if the job was cancelled.
    pub(super) fn count(
        &self,
        tally: &Mutex<Tally>,
        name: String,
        outcome: Result<()>,
        progress: &Progress,
    ) -> Result<()> {
        let mut tally = lock(tally);
        match outcome {
            Ok(()) => tally.done += 1,
            Err(Error::Cancelled) if !progress.is_cancelled() => tally.dropped += 1,
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            Err(error) => tally.failed.push((name, error)),
        }
        Ok(())
    }

    /// Says what became of all, as the result of the job.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if all were cancelled; what went wrong if none was separated.
    pub(super) fn summed_up(&self, tally: Tally) -> Result<()> {
        let Tally { done, dropped, mut failed } = tally;
        if done == 0 && failed.is_empty() && dropped > 0 {
            return Err(Error::Cancelled);
        }
        // The job itself tells of the only one.
        if failed.len() == 1 && done == 0 {
            return failed.pop().map_or(Ok(()), |(_, error)| Err(error));
        }
        for (name, error) in &failed {
            let message = format!("{name} was not separated. {}", error.sentences());
            self.workspace.notify(Notice { level: NoticeLevel::Error, message, document: None });
        }
        if done == 0 && !failed.is_empty() {
            return Err(Error::impossible(format!("None of the {} recordings was separated.", failed.len())));
        }
        Ok(())
    }
}

fn begun(queue: &mut Queue, wanted: Wanted, progress: &Progress) -> Taken {
    let place = queue.asked - queue.waiting.len();
    let name = &wanted.recording.name;
    let said = if queue.asked == 1 { name.clone() } else { format!("{place} of {}: {name}", queue.asked) };
    let part = progress.part_alone(wanted.recording.milliseconds());
    queue.current.push(Current::of(&wanted, part.clone()));
    Taken { wanted, part, place: said }
}
