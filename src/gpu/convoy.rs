//! Several recordings in one submission.
//!
//! Who comes while the engine is free runs at once. Who comes while it works waits, and the next to get it takes all who
//! wait along: their recordings become one, with one submission to wait for and one mapping of all results. As
//! recordings are plain data, each does in company exactly what it does alone, to the last bit, whatever the others are:
//! other chains, other formats, other lengths.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use super::engine::{Engine, Finished};
use super::recording::{Recording, Ticket};
use crate::error::{Error, Result};
use crate::progress::Progress;

/// Recordings of one submission hold no more buffers than this together, unless one alone does.
const MOST_BYTES: u64 = 512 << 20;

/// How much went together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConvoyCounts {
    /// Recordings that were run.
    pub recordings: u64,
    /// Runs that they took: the fewer, the more went together.
    pub runs: u64,
    /// The most recordings of one run.
    pub most_together: usize,
}

/// An engine that threads share, one run at a time, each with all that wait for it.
#[derive(Debug)]
pub struct Convoy {
    engine: Arc<Mutex<Engine>>,
    waiting: Mutex<Vec<Waiting>>,
    counts: Mutex<ConvoyCounts>,
}

/// What came back of a recording.
type Answer = Result<(Finished, HashMap<Ticket, Vec<u8>>)>;

#[derive(Debug)]
struct Waiting {
    recording: Recording<'static>,
    to: Sender<Answer>,
}

impl Convoy {
    /// For an engine.
    pub fn new(engine: Arc<Mutex<Engine>>) -> Self {
        Self { engine, waiting: Mutex::default(), counts: Mutex::default() }
    }

    /// The engine, for who needs it alone.
    pub fn engine(&self) -> MutexGuard<'_, Engine> {
        locked(&self.engine)
    }

    /// How many recordings wait.
    pub fn waiting(&self) -> usize {
        locked(&self.waiting).len()
    }

    /// How much went together so far.
    pub fn counts(&self) -> ConvoyCounts {
        *locked(&self.counts)
    }

    /// As [`Engine::execute`], possibly with others. A cancel of one that goes with others takes effect when all are
    /// done.
    ///
    /// # Errors
    /// As [`Engine::execute`]. When the device has no room for all together, each is run by itself.
    pub fn execute(
        &self,
        recording: &Recording<'_>,
        progress: Option<&Progress>,
        sink: &mut dyn FnMut(Ticket, &[u8]),
    ) -> Result<Finished> {
        let free = match self.engine.try_lock() {
            Ok(engine) => Some(engine),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        };
        if let Some(mut engine) = free.filter(|_| self.waiting() == 0) {
            self.count(1);
            return engine.execute(recording, progress, sink);
        }
        // Nothing that is borrowed can be given to another thread.
        let (to, from) = channel();
        locked(&self.waiting).push(Waiting { recording: recording.to_owned(), to });
        let (finished, bytes) = self.answer(&from)?;
        if let Some(progress) = progress {
            progress.check()?;
        }
        bytes.iter().for_each(|(ticket, bytes)| sink(*ticket, bytes));
        Ok(finished)
    }

    /// Waits for an answer, or for the engine, and then runs whoever waits.
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

    /// Who came first, and as many more as fit.
    fn next_group(&self) -> Vec<Waiting> {
        let mut waiting = locked(&self.waiting);
        let mut bytes = 0;
        let fitting = waiting.iter().take_while(|one| {
            bytes += one.recording.sizes().iter().sum::<u64>();
            bytes <= MOST_BYTES
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
            // Who does not listen any more does not need it.
            let _ = one.to.send(answer);
        }
    }

    fn together(&self, engine: &mut Engine, group: &[Waiting]) -> Result<Vec<(Finished, HashMap<Ticket, Vec<u8>>)>> {
        self.count(group.len());
        let mut all = Recording::new();
        let mut owners = HashMap::new();
        for (number, one) in group.iter().enumerate() {
            let first = all.append(&one.recording);
            owners.extend(one.recording.tickets().map(|own| (own.after(first), (number, own))));
        }
        let mut bytes = vec![HashMap::new(); group.len()];
        let finished = engine.execute(&all, None, &mut |ticket, own| {
            if let Some((number, ticket)) = owners.get(&ticket) {
                bytes[*number].insert(*ticket, own.to_vec());
            }
        })?;
        let share = finished.shared_by(group.len());
        Ok(bytes.into_iter().map(|bytes| (share.clone(), bytes)).collect())
    }

    fn count(&self, together: usize) {
        let mut counts = locked(&self.counts);
        counts.recordings += together as u64;
        counts.runs += 1;
        counts.most_together = counts.most_together.max(together);
    }
}

fn only<T: Default>(answers: Vec<T>) -> T {
    answers.into_iter().next().unwrap_or_default()
}

/// The same error for another one.
fn again(error: &Error) -> Error {
    match error {
        Error::GpuOutOfMemory(why) => Error::GpuOutOfMemory(why.clone()),
        Error::GpuLost(why) => Error::GpuLost(why.clone()),
        Error::GpuUnavailable(why) => Error::GpuUnavailable(why.clone()),
        other => Error::Internal(other.to_string()),
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
