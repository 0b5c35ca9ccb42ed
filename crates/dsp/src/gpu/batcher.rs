//! Combines recordings of several threads into one submission.
//!
//! A caller runs immediately if the engine is idle and nobody is waiting. Later callers wait; the next one to get the
//! engine runs the recordings of all waiting callers as one, with one submission to wait for and one mapping of all
//! results. Recordings are plain data, so each gives bit-identical results alone and combined, whatever the other
//! recordings are: other chains, formats or lengths.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use super::engine::Engine;
use super::finished::Finished;
use super::pipelines::Compiler;
use super::read_pace::ReadPace;
use super::recording::{ReadbackId, Recording};
use base::error::{Error, Result};
use base::lock::lock;
use base::progress::Progress;

/// The limit on the total buffer size of the recordings in one submission, in bytes. A single larger recording runs
/// alone.
const MAX_BYTES: u64 = 512 << 20;

/// The size of a recording's uploads up to which it waits to be combined, in bytes. A larger one waits for the engine:
/// copying it for another thread would cost more than a separate submission.
const MOST_COPIED: u64 = 4 << 20;

/// Counts of how many recordings were combined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatcherCounts {
    /// The number of recordings that were run.
    pub recordings: u64,
    /// The number of runs they took. Fewer runs mean more sharing.
    pub runs: u64,
    /// The largest number of recordings in one run.
    pub max_together: usize,
}

/// An engine shared by threads. It runs one batch at a time, each with all recordings that are waiting.
#[derive(Debug)]
pub struct SubmissionBatcher {
    engine: Arc<Mutex<Engine>>,
    compiler: Compiler,
    read: Arc<ReadPace>,
    waiting: Mutex<Vec<Waiting>>,
    counts: Mutex<BatcherCounts>,
}

/// The result of a recording: timings and the bytes of each readback.
type Answer = Result<(Finished, HashMap<ReadbackId, Vec<u8>>)>;

#[derive(Debug)]
struct Waiting {
    recording: Recording<'static>,
    to: Sender<Answer>,
}

impl SubmissionBatcher {
    /// Creates a batcher for an engine.
    pub fn new(engine: Arc<Mutex<Engine>>) -> Self {
        let (compiler, read) = {
            let engine = lock(&engine);
            (engine.compiler(), engine.read_pace())
        };
        Self { engine, compiler, read, waiting: Mutex::default(), counts: Mutex::default() }
    }

    /// Locks and returns the engine, for exclusive use.
    pub fn engine(&self) -> MutexGuard<'_, Engine> {
        locked(&self.engine)
    }

    /// Returns how fast the host reads results, in bytes per second, if that is slower than memory with a cache can be.
    pub fn slow_readback_bytes_s(&self) -> Option<f64> {
        self.read.slow_bytes_s()
    }

    /// Returns the number of waiting recordings.
    pub fn waiting(&self) -> usize {
        locked(&self.waiting).len()
    }

    /// Returns the counts so far.
    pub fn counts(&self) -> BatcherCounts {
        *locked(&self.counts)
    }

    /// Runs a recording as [`Engine::stream`] does, possibly combined with others. Cancelling a combined recording
    /// takes effect when the whole submission is done.
    ///
    /// # Errors
    /// If the device has too little memory for the combined recording, each one is run alone.
    pub fn execute(
        &self,
        recording: &Recording<'_>,
        progress: Option<&Progress>,
        sink: &mut dyn FnMut(ReadbackId, &[u8]),
    ) -> Result<Finished> {
        // Compiled without the engine, so that others can use it meanwhile. An error recurs when the recording runs.
        let _ = self.compiler.prepare(recording);
        let free = match self.engine.try_lock() {
            Ok(engine) => Some(engine),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        };
        if let Some(mut engine) = free.filter(|_| self.waiting() == 0) {
            self.count(1);
            return engine.stream(recording, progress, sink);
        }
        if recording.upload_bytes() > MOST_COPIED {
            let mut engine = self.engine();
            self.count(1);
            return engine.stream(recording, progress, sink);
        }
        // Borrowed data cannot be sent to another thread.
        let (to, from) = channel();
        locked(&self.waiting).push(Waiting { recording: recording.to_owned(), to });
        let (finished, bytes) = self.answer(&from)?;
        if let Some(progress) = progress {
            progress.check()?;
        }
        bytes.iter().for_each(|(ticket, bytes)| sink(*ticket, bytes));
        Ok(finished)
    }

    /// Waits for the engine, then returns the answer if another thread has run the recording, or runs the waiting
    /// recordings.
    fn answer(&self, from: &Receiver<Answer>) -> Answer {
        let mut engine = self.engine();
        loop {
            if let Ok(answer) = from.try_recv() {
                return answer;
            }
            let group = self.next_group();
            if group.is_empty() {
                return Err(Error::Internal("a recording for the GPU was lost".into()));
            }
            self.run(&mut engine, group);
        }
    }

    /// Removes and returns the first waiting recording and as many more as fit.
    fn next_group(&self) -> Vec<Waiting> {
        let mut waiting = locked(&self.waiting);
        let mut bytes = 0;
        let fitting = waiting.iter().take_while(|one| {
            bytes += one.recording.sizes().iter().sum::<u64>();
            bytes <= MAX_BYTES
        });
        let count = fitting.count().max(1).min(waiting.len());
        waiting.drain(..count).collect()
    }

    fn run(&self, engine: &mut Engine, group: Vec<Waiting>) {
        let answers = match self.together(engine, &group) {
            Ok(answers) => answers.into_iter().map(Ok).collect(),
            Err(Error::GpuOutOfMemory(_)) if group.len() > 1 => {
                group.iter().map(|one| self.together(engine, std::slice::from_ref(one)).map(only)).collect()
            }
            Err(error) => group.iter().map(|_| Err(again(&error))).collect::<Vec<Answer>>(),
        };
        for (one, answer) in group.into_iter().zip(answers) {
            // A receiver that is gone does not need its answer.
            let _ = one.to.send(answer);
        }
    }

    fn together(
        &self,
        engine: &mut Engine,
        group: &[Waiting],
    ) -> Result<Vec<(Finished, HashMap<ReadbackId, Vec<u8>>)>> {
        self.count(group.len());
        let mut all = Recording::new();
        let mut owners = HashMap::new();
        for (number, one) in group.iter().enumerate() {
            let first = all.append(&one.recording);
            owners.extend(one.recording.tickets().map(|ticket| (ticket.after(first), (number, ticket))));
        }
        let mut bytes = vec![HashMap::new(); group.len()];
        let finished = engine.stream(&all, None, &mut |ticket, data| {
            if let Some((number, ticket)) = owners.get(&ticket) {
                bytes[*number].insert(*ticket, data.to_vec());
            }
        })?;
        let share = finished.shared_by(group.len());
        Ok(bytes.into_iter().map(|bytes| (share.clone(), bytes)).collect())
    }

    fn count(&self, together: usize) {
        let mut counts = locked(&self.counts);
        counts.recordings += together as u64;
        counts.runs += 1;
        counts.max_together = counts.max_together.max(together);
    }
}

fn only<T: Default>(answers: Vec<T>) -> T {
    answers.into_iter().next().unwrap_or_default()
}

/// Copies an error for another caller.
fn again(error: &Error) -> Error {
    match error {
        Error::GpuOutOfMemory(why) => Error::GpuOutOfMemory(why.clone()),
        Error::GpuLost(why) => Error::GpuLost(why.clone()),
        Error::GpuUnavailable(why) => Error::GpuUnavailable(why.clone()),
        other => Error::Internal(other.to_string()),
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    lock(mutex)
}
