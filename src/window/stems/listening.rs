//! Plays the finished part of a recording's stems while the rest is computed.
//!
//! Each block of stems is also appended to an unnamed file ([`Growing`]), which the player reads. Playback stops at its
//! current end. When the separation is complete, playback continues in the document of the stems from the same frame,
//! with the unheard stems muted. On a cancel or a failure, the player unloads the file.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::StemsPage;
use super::recordings::Recording;
use super::types::StemsTask;
use crate::error::{Error, Result};
use crate::lock::lock;
use crate::playback::Growing;
use crate::stems::StemKind;
use crate::window::event::{Notice, NoticeLevel};
use crate::window::playback::StemsSoFar;
use crate::window::playback::types::TransportView;
use crate::window::workspace::types::DocumentId;
use crate::work::stem_files::Follow;

/// The interval at which the window is told that more of the stems is ready.
const TELL_EVERY: Duration = Duration::from_millis(100);
/// The shortest finished sound after a frame, in seconds, from which playback starts.
const LEAST_S: f64 = 0.2;

impl StemsPage {
    pub(in crate::window) fn hear(
        &self,
        task: StemsTask,
        stems: Vec<StemKind>,
        from_frame: Option<u64>,
    ) -> Result<TransportView> {
        self.playback.check_free()?;
        let so_far = self.listened(task)?;
        if let Some(unknown) = stems.iter().find(|stem| !so_far.stems.contains(stem)) {
            let names: Vec<&str> = so_far.stems.iter().map(|stem| stem.name()).collect();
            return Err(Error::invalid("stem to hear", unknown.name(), names.join(", ")));
        }
        so_far.growing.hear(|part| stems.contains(&so_far.stems[part]));
        let is_loaded = self.playback.choose_stems(&so_far);
        let Some(from) = from_frame else { return Ok(self.playback.view()) };
        let (settled, rate) = (so_far.growing.settled_frames(), so_far.growing.format().rate);
        let is_whole = settled == so_far.growing.frames();
        if !is_whole && settled < from.saturating_add(rate.frames_from_seconds(LEAST_S)) {
            return Err(Error::impossible("No more of the stems is there yet. Wait a moment."));
        }
        let wish = self.playback.next_wish();
        if is_loaded {
            self.playback.play(from, None);
        } else {
            self.playback.load_stems(wish, so_far, from);
            // The separation may have ended during loading.
            if self.listened(task).is_err() {
                self.playback.end_stems(task);
            }
        }
        Ok(self.playback.view())
    }

    /// Returns the finished part of a recording that is being separated.
    fn listened(&self, task: StemsTask) -> Result<StemsSoFar> {
        let mut queue = lock(&self.queue);
        let current = queue.of_task(task).filter(|current| !current.progress.is_cancelled());
        let current = current.ok_or_else(|| Error::impossible("The recording is not being separated any more."))?;
        current.so_far.clone().ok_or_else(|| {
            let reason = current.problem.clone();
            Error::impossible(reason.unwrap_or_else(|| "Nothing of the stems is there yet. Wait a moment.".to_owned()))
        })
    }

    /// Creates the file from which a recording is played while it is being separated. If this fails, it is separated
    /// all the same.
    pub(super) fn so_far(&self, task: StemsTask, stems: &[StemKind], recording: &Recording) -> Option<StemsSoFar> {
        match Growing::begin(&self.folder(), recording.format(), stems.len(), recording.frames()) {
            Ok(growing) => {
                let so_far = StemsSoFar { task, stems: stems.to_vec(), growing: Arc::new(growing) };
                if let Some(current) = lock(&self.queue).of_task(task) {
                    current.so_far = Some(so_far.clone());
                }
                Some(so_far)
            }
            Err(error) => {
                self.cannot_be_heard(task, &error);
                None
            }
        }
    }

    /// Returns a callback that appends blocks of stems to the file that is played.
    pub(super) fn follow(self: &Arc<Self>, so_far: StemsSoFar) -> Follow {
        let (page, mut told, mut ended) = (Arc::clone(self), None::<Instant>, false);
        Box::new(move |blocks| {
            if ended {
                return;
            }
            if let Err(error) = so_far.growing.append(blocks) {
                ended = true;
                page.cannot_be_heard(so_far.task, &error);
            } else if told.is_none_or(|told| told.elapsed() >= TELL_EVERY) {
                told = Some(Instant::now());
                page.tell_queue();
            }
        })
    }

    /// Continues playback in the document of the stems; stops it if there is no document.
    pub(super) fn hand_over(&self, task: StemsTask, name: &str, document: Option<DocumentId>) {
        // Any playback requested from here on takes precedence.
        let wish = self.playback.wish();
        let heard = self.playback.stems_frame(task);
        match (heard, document) {
            (Some(frame), Some(document)) => {
                let loaded = self.playback.load_document(&self.workspace, wish, document, Some((frame, None)));
                if let Err(error) = loaded {
                    tracing::warn!("{error}");
                }
            }
            (Some(_), None) => {
                let message = format!("Playback has stopped: {name} is not being separated any more.");
                self.workspace.notify(Notice { level: NoticeLevel::Info, message });
            }
            (None, _) => {}
        }
        self.is_done(task);
        self.playback.end_stems(task);
    }

    fn cannot_be_heard(&self, task: StemsTask, error: &Error) {
        tracing::warn!("{error}");
        if let Some(current) = lock(&self.queue).of_task(task) {
            current.problem = Some(error.sentences());
        }
        self.tell_queue();
    }
}
