//! Compares the versions one after another, as a job.

use std::sync::Arc;

use super::{ComparePage, Compared, Opened};
use crate::audio::AudioReader;
use crate::compare::{Lay, Request, compare};
use crate::error::{Error, Failure, Result};
use crate::measure::loudness::integrated_lufs;
use crate::progress::Progress;
use crate::window::jobs::{JobId, JobPurpose};

/// The steps of measuring loudness.
const LOUDNESS_STEPS: u64 = 1;

impl ComparePage {
    /// Starts to compare the waiting versions, if there are any and no comparison runs.
    pub(super) fn start_waiting(self: &Arc<Self>) -> Option<JobId> {
        {
            let state = self.locked();
            if state.running.is_some() || state.next_waiting().is_none() {
                return state.running.map(|(job, _)| job);
            }
        }
        let page = Arc::clone(self);
        // The job waits until its number is known.
        let (number, numbered) = std::sync::mpsc::channel();
        let job = self.jobs.start(JobPurpose::Compare, "Compare versions".to_owned(), move |progress| {
            let job = numbered.recv().map_err(|_| Error::Cancelled)?;
            let _end = AtEnd { page: &page, job };
            page.compare_waiting(progress).map(|()| None)
        });
        let is_first = {
            let mut state = self.locked();
            let is_first = state.running.is_none();
            state.running = state.running.or(Some((job, None)));
            is_first
        };
        // If two were started at once, the second ends here.
        if is_first {
            let _ = number.send(job);
        }
        drop(number);
        self.tell();
        Some(job)
    }

    fn compare_waiting(self: &Arc<Self>, progress: &Progress) -> Result<()> {
        let mut request = Request { curves: true, ..Request::default() };
        let each = request.steps() + LOUDNESS_STEPS;
        let mut done = 0;
        loop {
            let (pair, reference, version, name, left) = {
                let mut state = self.locked();
                let Some(pair) = state.next_waiting() else {
                    // Under the same lock, so that versions added from now on start a new job.
                    state.running = None;
                    return Ok(());
                };
                let left = state.waiting().count() as u64;
                let (reference, version) = (state.opened(pair.reference)?.clone(), state.opened(pair.version)?.clone());
                let name = state.version(pair.version)?.name.clone();
                state.running = state.running.map(|(job, _)| (job, Some(pair.version)));
                (pair, reference, version, name, left)
            };
            progress.set_step(name);
            progress.set_total((done + left) * each);
            self.tell();
            request.match_level = pair.match_level;
            let result = match compared(&reference, &version, &request, progress) {
                Err(Error::Cancelled) => return Err(Error::Cancelled),
                result => result.map(Arc::new).map_err(Failure::from),
            };
            done += 1;
            // Steps that a failure left out count as done.
            let missing = (done * each).saturating_sub(progress.snapshot().done);
            progress.advance(missing)?;
            self.locked().pairs.insert(pair, result);
            // A quieter version changes the gains of all.
            self.hear_again();
            self.tell();
        }
    }
}

fn compared(reference: &Opened, version: &Opened, request: &Request, progress: &Progress) -> Result<Compared> {
    let [mut reference_reader, mut other] = [(reference.open)()?, (version.open)()?];
    let comparison = compare(reference_reader.as_mut(), other.as_mut(), request, progress)?;
    let lay = Lay::new(reference.format.rate, reference.frames, comparison.alignment.as_ref());
    let common = lay.common(version.format, version.frames);
    let apart = progress.uncounted();
    let loudness = |reader: &mut dyn AudioReader| match integrated_lufs(reader, &apart) {
        Err(Error::Cancelled) => Err(Error::Cancelled),
        // BS.1770 does not define the loudness of this format, so nothing is matched.
        Err(Error::Unsupported { .. }) => Ok(None),
        found => found,
    };
    let lufs = [loudness(reference_reader.as_mut())?, loudness(&mut lay.reader(other))?];
    progress.advance(LOUDNESS_STEPS)?;
    Ok(Compared { comparison, lay, common, lufs })
}

/// Marks the end of the job, however it ends.
struct AtEnd<'a> {
    page: &'a Arc<ComparePage>,
    job: JobId,
}

impl Drop for AtEnd<'_> {
    fn drop(&mut self) {
        {
            let mut state = self.page.locked();
            state.running = state.running.filter(|(job, _)| *job != self.job);
        }
        self.page.tell();
    }
}
