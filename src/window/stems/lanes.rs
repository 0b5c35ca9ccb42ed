//! The devices that separate recordings at the same time, and which recordings each takes from the queue.

use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use super::models::QUICK;
use super::types::StemsTask;
use super::{Current, Queue, StemsPage, Wanted};
use crate::chain::Placement;
use crate::error::Result;
use crate::lock::lock;
use crate::progress::Progress;
use crate::window::workspace::warning;

/// How often an idle device checks whether the job was cancelled.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// A device that takes recordings from the queue.
pub(super) struct Lane {
    pub placement: Placement,
    /// Whether it also takes recordings that no network separates: each of these uses the whole CPU, one after another.
    takes_all: bool,
}

/// A recording that was taken from the queue.
pub(super) struct Taken {
    pub wanted: Wanted,
    /// The recording's part of the progress.
    pub part: Progress,
    /// The step that the job names during this work.
    pub step: String,
}

/// A recording in progress. When the work ends, even by a panic, this is dropped: other devices wait for that.
pub(super) struct AtWork<'a> {
    pub page: &'a StemsPage,
    pub task: StemsTask,
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.page.is_done(self.task);
    }
}

impl StemsPage {
    /// Returns the devices of a job: those for the first network that waiting recordings need, or one device. Reports
    /// which devices of the settings cannot be used.
    pub(super) fn lanes(&self) -> Vec<Lane> {
        let placement = self.placement();
        let first = {
            let queue = lock(&self.queue);
            queue.waiting.iter().map(|wanted| &wanted.wish).find(|wish| wish.model != QUICK).cloned()
        };
        // A model that cannot be opened is reported with its recording.
        let split = first.and_then(|wish| self.chosen(&wish).ok()).map(|chosen| chosen.split);
        let (placements, refused) = match split {
            Some(split) => split.lanes(&placement),
            None => (vec![placement], Vec::new()),
        };
        for problem in refused {
            self.workspace.notify(warning(problem));
        }
        let lane = |(n, placement)| Lane { placement, takes_all: n == 0 };
        placements.into_iter().enumerate().map(lane).collect()
    }

    /// Takes the next recording for a device from the queue. The job ends when the queue is empty and no device is
    /// working.
    ///
    /// # Errors
    /// `Error::Cancelled` if the job was cancelled and recordings wait.
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
                // From here on, recordings are separated by a new job.
                queue.running = None;
                self.changed.notify_all();
                return Ok(None);
            }
            queue = self.waited(queue);
        }
        Ok(None)
    }

    /// Removes a recording from those in progress.
    pub(super) fn is_done(&self, task: StemsTask) {
        lock(&self.queue).current.retain(|current| current.task != task);
        self.changed.notify_all();
    }

    fn waited<'q>(&self, queue: MutexGuard<'q, Queue>) -> MutexGuard<'q, Queue> {
        let waited = self.changed.wait_timeout(queue, LOOK_EVERY);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

fn begun(queue: &mut Queue, wanted: Wanted, progress: &Progress) -> Taken {
    let place = queue.asked - queue.waiting.len();
    let name = &wanted.recording.name;
    let step = if queue.asked == 1 { name.clone() } else { format!("{place} of {}: {name}", queue.asked) };
    let part = progress.part_alone(wanted.recording.milliseconds());
    queue.current.push(Current::of(&wanted, part.clone()));
    Taken { wanted, part, step }
}
