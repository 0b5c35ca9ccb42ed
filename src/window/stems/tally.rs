//! The outcomes of the recordings of a job.

use crate::error::{Error, Result};

/// The recordings that were separated, that were cancelled alone, and that failed.
#[derive(Default)]
pub(super) struct Tally {
    done: usize,
    dropped: usize,
    failed: Vec<(String, Error)>,
}

impl Tally {
    /// Counts a recording. `is_over` says whether the whole job was cancelled.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if the recording and the whole job were cancelled.
    pub fn count(&mut self, name: String, outcome: Result<()>, is_over: bool) -> Result<()> {
        match outcome {
            Ok(()) => self.done += 1,
            Err(Error::Cancelled) if is_over => return Err(Error::Cancelled),
            Err(Error::Cancelled) => self.dropped += 1,
            Err(error) => self.failed.push((name, error)),
        }
        Ok(())
    }

    /// Returns the result of the job. Passes the message of each failed recording to `tell`, except for a single
    /// recording, whose error is the result.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if all were cancelled; another error if some failed and none was separated.
    pub fn result(mut self, tell: impl Fn(String)) -> Result<()> {
        if self.done == 0 && self.failed.is_empty() && self.dropped > 0 {
            return Err(Error::Cancelled);
        }
        if self.failed.len() == 1 && self.done == 0 {
            return self.failed.pop().map_or(Ok(()), |(_, error)| Err(error));
        }
        for (name, error) in &self.failed {
            tell(format!("{name} was not separated. {}", error.sentences()));
        }
        if self.done == 0 && !self.failed.is_empty() {
            return Err(Error::impossible(format!("None of the {} recordings was separated.", self.failed.len())));
        }
        Ok(())
    }
}
