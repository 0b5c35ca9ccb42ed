//! The job that separates what waits.

use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::Instant;

use super::cache::{Entry, EntryStem, StemCache, Unfinished, stem_path};
use super::models::Chosen;
use super::recordings::Recording;
use super::{Current, Queue, StemsPage, Wanted, speeds};
use crate::app::api::{DocumentView, Event, ExportSettings, JobId, JobPurpose, Notice, NoticeLevel, Opened, StemsWish};
use crate::app::playback_page::StemsSoFar;
use crate::app::stem_files::{StemsJob, write_stems};
use crate::app::workspace::warning;
use crate::audio::encode::{Dither, FileFormat, LossySettings, SampleFormat};
use crate::audio::{MarkerList, Tags};
use crate::chain::Placement;
use crate::device::RunPurpose;
use crate::document::ContentKey;
use crate::error::{Error, Result};
use crate::files::Protected;
use crate::lock::lock;
use crate::progress::Progress;
use crate::stems::StemKind;

/// The title of the job.
const TITLE: &str = "Separate stems";

impl StemsPage {
    /// Lets recordings wait for the job, which is started if it does not run.
    pub(super) fn queue(self: &Arc<Self>, recordings: Vec<Recording>, wish: &StemsWish) -> JobId {
        let job = self.queued(recordings, wish);
        self.tell_queue();
        job
    }

    fn queued(self: &Arc<Self>, recordings: Vec<Recording>, wish: &StemsWish) -> JobId {
        let mut queue = lock(&self.queue);
        // What a job was cancelled with does not wait for the next one.
        if queue.running.as_ref().is_none_or(|(_, progress)| progress.is_cancelled()) {
            *queue = Queue { run: queue.run + 1, ..Queue::default() };
        }
        queue.asked += recordings.len();
        queue.asked_ms += recordings.iter().map(Recording::milliseconds).sum::<u64>();
        let wanted = |recording| Wanted { task: self.next_task(), recording, wish: wish.clone() };
        queue.waiting.extend(recordings.into_iter().map(wanted));
        if let Some((job, progress)) = &queue.running {
            progress.set_total(queue.asked_ms);
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
        // The job waits for the queue, which is ours, before it looks at it.
        let progress = handed.recv().unwrap_or_default();
        progress.set_total(queue.asked_ms);
        queue.running = Some((job, progress));
        job
    }

    /// Separates what waits, one after the other. A recording that cannot be separated, or is cancelled alone, does not
    /// stop the others.
    fn all(self: &Arc<Self>, run: u64, progress: &Progress) -> Result<()> {
        let (mut done, mut failed, mut dropped) = (0_usize, Vec::new(), 0_usize);
        while let Some((wanted, part, place)) = self.next(run, progress) {
            progress.set_step(place);
            let name = wanted.recording.name.clone();
            let separated = self.separated(&wanted, &part);
            let document = separated.as_ref().ok().map(|(document, _)| document.id);
            let outcome = separated.map(|(document, warnings)| {
                self.tell_opened(document);
                warnings
            });
            self.hand_over(wanted.task, &name, document);
            match outcome {
                Ok(warnings) => {
                    done += 1;
                    for problem in warnings {
                        self.workspace.notify(warning(format!("{name}: {problem}"), document));
                    }
                }
                Err(Error::Cancelled) if !progress.is_cancelled() => {
                    dropped += 1;
                    self.leave_out(run, wanted.recording.milliseconds(), &part);
                }
                Err(Error::Cancelled) => return Err(Error::Cancelled),
                Err(error) => failed.push((name, error)),
            }
        }
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

    /// Takes the next recording from the queue, with its part of the progress and what the job says of it. The job ends
    /// if there is none.
    fn next(&self, run: u64, progress: &Progress) -> Option<(Wanted, Progress, String)> {
        let next = self.taken(run, progress);
        self.tell_queue();
        next
    }

    fn taken(&self, run: u64, progress: &Progress) -> Option<(Wanted, Progress, String)> {
        let mut queue = lock(&self.queue);
        if queue.run != run {
            return None;
        }
        let Some(wanted) = queue.waiting.pop_front() else {
            // From here on, a recording is separated by a new job.
            (queue.running, queue.current) = (None, None);
            return None;
        };
        let place = queue.asked - queue.waiting.len();
        let name = &wanted.recording.name;
        let said = if queue.asked == 1 { name.clone() } else { format!("{place} of {}: {name}", queue.asked) };
        let part = progress.part_alone(wanted.recording.milliseconds());
        queue.current = Some(Current::of(&wanted, part.clone()));
        Some((wanted, part, said))
    }

    /// Opens the stems of a recording as a document, from the cache or separated now. Returns what to tell of them.
    fn separated(self: &Arc<Self>, wanted: &Wanted, progress: &Progress) -> Result<(DocumentView, Vec<String>)> {
        let Wanted { task, recording, wish } = wanted;
        let chosen = self.chosen(wish)?;
        let (cache, key) = (self.cache(), key_of(recording, &chosen));
        if let Some((folder, entry)) = cache.find(&key) {
            match self.opened(recording, &folder, &entry, |_| true, progress) {
                // Another process has removed it meanwhile.
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
        let entry = self.written(recording, &chosen, (unfinished.folder(), so_far.clone()), progress)?;
        let stored = store(&cache, &key, &unfinished, &entry);
        let folder = stored.unwrap_or_else(|| unfinished.folder().to_path_buf());
        let is_heard = |stem| so_far.as_ref().is_none_or(|so_far| so_far.is_heard(stem));
        let document = self.opened(recording, &folder, &entry, is_heard, progress)?;
        Ok((document, entry.warnings))
    }

    /// Separates a recording into files of a folder, and into what is heard meanwhile.
    fn written(
        self: &Arc<Self>,
        recording: &Recording,
        chosen: &Chosen,
        (folder, so_far): (&Path, Option<StemsSoFar>),
        progress: &Progress,
    ) -> Result<Entry> {
        let request = self.workspace.state().settings.device.clone();
        let placement = Placement::new(request, Arc::clone(&self.workspace.devices), RunPurpose::Export);
        let targets = chosen.stems.iter().map(|stem| (*stem, stem_path(folder, *stem))).collect();
        let begun = Instant::now();
        let outcome = write_stems(
            StemsJob {
                source: recording.reader()?,
                placement,
                split: chosen.split.clone(),
                targets,
                spread: chosen.spread,
                settings: lossless(),
                overwrite: false,
                inputs: Protected::default(),
                tags: Tags::default(),
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

/// Stores filled stems. Returns the folder of the entry; `None` if they stay where they are.
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

/// Returns the settings of the files: what the separation gives, bit by bit.
fn lossless() -> ExportSettings {
    ExportSettings::plain(FileFormat::Wav, SampleFormat::Float32, Dither::None, LossySettings::default())
}

/// However the job ends, also by a panic or a cancel, what waited for it does not wait any more.
struct AtEnd<'a> {
    page: &'a StemsPage,
    run: u64,
}

impl Drop for AtEnd<'_> {
    fn drop(&mut self) {
        let task = {
            let mut queue = lock(&self.page.queue);
            if queue.run != self.run {
                return;
            }
            let former = std::mem::replace(&mut *queue, Queue { run: self.run, ..Queue::default() });
            former.current.map(|current| current.task)
        };
        if let Some(task) = task {
            self.page.playback.end_stems(task);
        }
        self.page.tell_queue();
    }
}
