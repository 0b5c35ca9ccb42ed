//! The queue in the window's form, and how recordings leave it.

use super::types::{StemsQueue, StemsRunning, StemsTask, StemsWaiting};
use super::{Current, Queue, StemsPage, Wanted};
use crate::error::{Error, Result};
use crate::lock::lock;
use crate::progress::Progress;
use crate::stems::{ResidualUse, StemKind};
use crate::window::event::Event;
use crate::window::moment::Moment;

impl Current {
    /// Begins with a recording that has waited.
    pub(super) fn of(wanted: &Wanted, progress: Progress) -> Self {
        let recording = &wanted.recording;
        let mut stems = wanted.wish.stems.clone();
        stems.extend((wanted.wish.residual == ResidualUse::Own).then_some(StemKind::Residual));
        Self {
            task: wanted.task,
            name: recording.name.clone(),
            stems,
            rate: recording.format().rate.hz(),
            frames: recording.frames(),
            progress,
            so_far: None,
            problem: None,
        }
    }

    fn view(&self) -> StemsRunning {
        StemsRunning {
            task: self.task,
            name: self.name.clone(),
            stems: self.stems.clone(),
            rate: self.rate,
            frames: self.frames,
            settled_frames: self.so_far.as_ref().map_or(0, |so_far| so_far.growing.settled_frames()),
            problem: self.problem.clone(),
        }
    }
}

impl Queue {
    /// Returns the recording of a task, if it is in progress.
    pub(super) fn of_task(&mut self, task: StemsTask) -> Option<&mut Current> {
        self.current.iter_mut().find(|current| current.task == task)
    }
}

impl StemsPage {
    #[allow(clippy::unnecessary_wraps, reason = "commands give results")]
    pub(in crate::window) fn view(&self) -> Result<StemsQueue> {
        Ok(self.queue_view())
    }

    pub(in crate::window) fn remove(&self, task: StemsTask) -> Result<StemsQueue> {
        self.leave(task)?;
        self.tell_queue();
        Ok(self.queue_view())
    }

    /// Removes a waiting recording from the queue, or cancels the one in progress, so that the next one begins.
    fn leave(&self, task: StemsTask) -> Result<()> {
        let mut queue = lock(&self.queue);
        if let Some(current) = queue.of_task(task) {
            current.progress.cancel();
            return Ok(());
        }
        let place = queue.waiting.iter().position(|wanted| wanted.task == task);
        let wanted = place.and_then(|place| queue.waiting.remove(place));
        let wanted =
            wanted.ok_or_else(|| Error::NotFound { what: "recording to separate", name: task.0.to_string() })?;
        queue.asked -= 1;
        queue.asked_ms -= wanted.recording.milliseconds();
        if let Some((_, progress)) = &queue.running {
            progress.set_total(queue.asked_ms);
        }
        Ok(())
    }

    /// Removes the unfinished part of a cancelled recording from the progress.
    pub(super) fn leave_out(&self, run: u64, milliseconds: u64, part: &Progress) {
        let mut queue = lock(&self.queue);
        if queue.run != run {
            return;
        }
        let at = part.snapshot();
        let done = if at.total == 0 { 0.0 } else { (at.done as f64 / at.total as f64).min(1.0) };
        queue.asked_ms -= ((1.0 - done) * milliseconds as f64) as u64;
        if let Some((_, progress)) = &queue.running {
            progress.set_total(queue.asked_ms);
        }
    }

    /// Tells the window which recordings are in progress and which wait.
    pub(super) fn tell_queue(&self) {
        self.workspace.host.emit(Event::Stems { queue: self.queue_view() });
    }

    fn queue_view(&self) -> StemsQueue {
        let queue = lock(&self.queue);
        let waiting = |wanted: &Wanted| StemsWaiting {
            task: wanted.task,
            name: wanted.recording.name.clone(),
            seconds: wanted.recording.seconds(),
        };
        let mut current = queue.current.iter().map(Current::view);
        StemsQueue {
            moment: Moment::next(),
            running: current.next(),
            beside: current.collect(),
            waiting: queue.waiting.iter().map(waiting).collect(),
        }
    }
}
