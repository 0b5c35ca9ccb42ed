//! The job that separates the recordings in the queue.

use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Instant;

use super::cache::{Entry, EntryStem, StemCache, Unfinished, stem_path};
use super::lanes::{AtWork, Lane, Taken};
use super::models::Chosen;
use super::recordings::Recording;
use super::tally::Tally;
use super::{Queue, StemsPage, Wanted, speeds};
use crate::audio::MarkerList;
use crate::audio::encode::{Dither, FileFormat, LossySettings, SampleFormat};
use crate::chain::Placement;
use crate::document::ContentKey;
use crate::error::{Error, Result};
use crate::files::Protected;
use crate::lock::lock;
use crate::progress::Progress;
use crate::stems::StemKind;
use crate::window::event::{Event, Notice, NoticeLevel};
use crate::window::jobs::{JobId, JobPurpose};
use crate::window::playback::StemsSoFar;
use crate::window::workspace::types::{DocumentView, Opened};
use crate::window::workspace::warning;
use crate::work::export::{ExportSettings, Tagging};
use crate::work::settings::StemsWish;
use crate::work::stem_files::{StemsJob, write_stems};

/// The title of the job.
const TITLE: &str = "Separate stems";

impl StemsPage {
    /// Queues recordings for the job, and starts it if it is not running.
    pub(super) fn queue(self: &Arc<Self>, recordings: Vec<Recording>, wish: &StemsWish) -> JobId {
        let job = self.queued(recordings, wish);
        self.tell_queue();
        job
    }

    fn queued(self: &Arc<Self>, recordings: Vec<Recording>, wish: &StemsWish) -> JobId {
        let mut queue = lock(&self.queue);
        // The recordings of a cancelled job do not wait for the next one.
        if queue.running.as_ref().is_none_or(|(_, progress)| progress.is_cancelled()) {
            *queue = Queue { run: queue.run + 1, ..Queue::default() };
        }
        queue.asked += recordings.len();
        queue.asked_ms += recordings.iter().map(Recording::milliseconds).sum::<u64>();
        let wanted = |recording| Wanted { task: self.next_task(), recording, wish: wish.clone() };
        queue.waiting.extend(recordings.into_iter().map(wanted));
        if let Some((job, progress)) = &queue.running {
            progress.set_total(queue.asked_ms);
            self.changed.notify_all();
            return *job;
        }
        let (page, run) = (Arc::clone(self), queue.run);
        let (hand_over, handed) = mpsc::channel();
        let job = self.jobs.start(JobPurpose::Separate, TITLE.to_owned(), move |progress| {
            let _ = hand_over.send(progress.clone());
            let end = AtEnd { page: &page, run };
            let outcome = page.all(run, progress);
            drop(end);
            outcome.map(|()| None)
        });
        // The job first waits for the queue's lock, which we hold.
        let progress = handed.recv().unwrap_or_default();
        progress.set_total(queue.asked_ms);
        queue.running = Some((job, progress));
        job
    }

    /// Separates the recordings in the queue, one after the other on each device. A recording that cannot be separated,
    /// or is cancelled alone, does not stop the others.
    fn all(self: &Arc<Self>, run: u64, progress: &Progress) -> Result<()> {
        let (lanes, tally) = (self.lanes(), Mutex::new(Tally::default()));
        thread::scope(|scope| {
            let mut others = lanes.iter();
            // The first device, often the only one, works on this thread, and takes a recording before the others do.
            let first_lane = others.next().map(|lane| (lane, self.next(run, lane, progress)));
            let others: Vec<_> = others
                .map(|lane| scope.spawn(|| self.on(lane, self.next(run, lane, progress)?, run, &tally, progress)))
                .collect();
            let mut all = first_lane.map_or(Ok(()), |(lane, first)| self.on(lane, first?, run, &tally, progress));
            for other in others {
                all = all.and(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
            }
            all
        })?;
        tally.into_inner().unwrap_or_else(PoisonError::into_inner).result(|message| {
            self.workspace.notify(Notice { level: NoticeLevel::Error, message });
        })
    }

    /// Separates recordings on one device, from `first` until the queue is empty.
    fn on(
        self: &Arc<Self>,
        lane: &Lane,
        first: Option<Taken>,
        run: u64,
        tally: &Mutex<Tally>,
        progress: &Progress,
    ) -> Result<()> {
        let mut next = first;
        while let Some(Taken { wanted, part, step }) = next.take() {
            let _at_work = AtWork { page: self, task: wanted.task };
            progress.set_step(step);
            let name = wanted.recording.name.clone();
            let separated = self.separated(&wanted, &lane.placement, &part);
            let document = separated.as_ref().ok().map(|(document, _)| document.id);
            let outcome = separated.map(|(document, warnings)| {
                self.tell_opened(document);
                warnings
            });
            if matches!(outcome, Err(Error::Cancelled)) && !progress.is_cancelled() {
                self.leave_out(run, wanted.recording.milliseconds(), &part);
            }
            self.hand_over(wanted.task, &name, document);
            let outcome = outcome.map(|warnings| {
                for problem in warnings {
                    self.workspace.notify(warning(format!("{name}: {problem}")));
                }
            });
            lock(tally).count(name, outcome, progress.is_cancelled())?;
            next = self.next(run, lane, progress)?;
        }
        Ok(())
    }

    /// Opens the stems of a recording as a document, from the cache or newly separated. Returns it with warnings.
    fn separated(
        self: &Arc<Self>,
        wanted: &Wanted,
        placement: &Placement,
        progress: &Progress,
    ) -> Result<(DocumentView, Vec<String>)> {
        let Wanted { task, recording, wish } = wanted;
        let chosen = self.chosen(wish)?;
        let (cache, key) = (self.cache(), key_of(recording, &chosen));
        if let Some((folder, entry)) = cache.find(&key) {
            match self.opened(recording, &folder, &entry, |_| true, progress) {
                // Another process has removed the entry in the meantime.
                Err(Error::Io { .. }) => {}
                outcome => {
                    progress.set_total(1);
                    progress.advance(1)?;
                    return Ok((outcome?, entry.warnings));
                }
            }
        }
        let unfinished = cache.begin()?;
        let so_far = self.so_far(*task, &chosen.stems, recording);
        let entry = self.written(recording, (&chosen, placement), (unfinished.folder(), so_far.clone()), progress)?;
        let stored = store(&cache, &key, &unfinished, &entry);
        let folder = stored.unwrap_or_else(|| unfinished.folder().to_path_buf());
        let is_heard = |stem| so_far.as_ref().is_none_or(|so_far| so_far.is_heard(stem));
        let document = self.opened(recording, &folder, &entry, is_heard, progress)?;
        Ok((document, entry.warnings))
    }

    /// Separates a recording into files of a folder, and into the file that is played meanwhile.
    fn written(
        self: &Arc<Self>,
        recording: &Recording,
        (chosen, placement): (&Chosen, &Placement),
        (folder, so_far): (&Path, Option<StemsSoFar>),
        progress: &Progress,
    ) -> Result<Entry> {
        let targets = chosen.stems.iter().map(|stem| (*stem, stem_path(folder, *stem))).collect();
        let begun = Instant::now();
        let outcome = write_stems(
            StemsJob {
                source: recording.reader()?,
                placement: placement.clone(),
                split: chosen.split.clone(),
                targets,
                spread: chosen.spread,
                settings: lossless(),
                overwrite: false,
                inputs: Protected::default(),
                tags: Tagging::default(),
                markers: MarkerList::default(),
                follow: so_far.map(|so_far| self.follow(so_far)),
            },
            progress,
        )?;
        let run = (chosen.key.as_str(), outcome.device.used.as_str());
        let took_s = begun.elapsed().as_secs_f64();
        if let Err(error) = speeds::remember(&self.folder(), run, recording.samples(), recording.seconds(), took_s) {
            tracing::warn!("{error}");
        }
        let stem = |stem: &StemKind| EntryStem::of(*stem, folder);
        let stems = chosen.stems.iter().map(stem).collect::<Result<Vec<_>>>()?;
        Ok(Entry::new(outcome.format, outcome.frames, stems, outcome.warnings))
    }

    fn tell_opened(&self, document: DocumentView) {
        let last_closed = self.workspace.last_closed().unwrap_or_default();
        let opened = Opened { documents: vec![document], failures: Vec::new(), last_closed };
        self.workspace.host.emit(Event::Opened { opened });
    }
}

/// Returns the key of the stems of a recording.
pub(super) fn key_of(recording: &Recording, chosen: &Chosen) -> ContentKey {
    let sound = recording.sound_key();
    let stems = chosen.stems.iter().map(|stem| stem.name());
    ContentKey::of_parts([chosen.key.as_str(), sound.as_str()].into_iter().chain(stems))
}

/// Stores stems that are complete. Returns the folder of the entry; `None` if they stay where they are.
fn store(cache: &StemCache, key: &ContentKey, filled: &Unfinished, entry: &Entry) -> Option<PathBuf> {
    match cache.store(key, filled, entry) {
        Ok(true) => Some(cache.path(key)),
        Ok(false) => None,
        Err(error) => {
            tracing::warn!("{error}");
            None
        }
    }
}

/// Returns the settings of the files, which keep the separated samples exactly.
fn lossless() -> ExportSettings {
    ExportSettings::plain(FileFormat::Wav, SampleFormat::Float32, Dither::None, LossySettings::default())
}

/// Ends the queue with the job, however that ends, even by a panic or a cancel.
struct AtEnd<'a> {
    page: &'a StemsPage,
    run: u64,
}

impl Drop for AtEnd<'_> {
    fn drop(&mut self) {
        let tasks = {
            let mut queue = lock(&self.page.queue);
            if queue.run != self.run {
                return;
            }
            let former = std::mem::replace(&mut *queue, Queue { run: self.run, ..Queue::default() });
            former.current.into_iter().map(|current| current.task).collect::<Vec<_>>()
        };
        self.page.changed.notify_all();
        for task in tasks {
            self.page.playback.end_stems(task);
        }
        self.page.tell_queue();
    }
}
