//! Recordings in the player while they are being separated.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{ListeningMode, PlayRequest, PlaybackPage};
use crate::chain::Chain;
use crate::lock::lock;
use crate::playback::{Growing, GrowingSource, Side};
use crate::stems::StemKind;
use crate::window::stems::types::{StemsHeard, StemsTask};

/// The finished part of the stems of a recording that is being separated.
#[derive(Clone)]
pub struct StemsSoFar {
    /// The recording.
    pub task: StemsTask,
    /// The stems, in the order of the parts.
    pub stems: Vec<StemKind>,
    /// The sound of the stems.
    pub growing: Arc<Growing>,
}

impl StemsSoFar {
    /// Returns whether a stem is heard.
    pub fn is_heard(&self, stem: StemKind) -> bool {
        self.stems.iter().position(|kind| *kind == stem).is_some_and(|part| self.growing.is_heard(part))
    }

    pub(super) fn view(&self, held: bool) -> StemsHeard {
        let stems = self.stems.iter().copied().filter(|stem| self.is_heard(*stem)).collect();
        StemsHeard { task: self.task, stems, held }
    }
}

impl PlaybackPage {
    /// Chooses the stems that are heard, if this recording is loaded. Returns whether it is.
    pub(in crate::window) fn choose_stems(&self, so_far: &StemsSoFar) -> bool {
        let is_loaded = lock(&self.inner.loaded).stems.as_ref().is_some_and(|stems| stems.task == so_far.task);
        if is_loaded {
            self.inner.player.set_chain(Chain::default());
        }
        is_loaded
    }

    /// Loads stems and plays them from a frame, if the request is still the latest.
    pub(in crate::window) fn load_stems(&self, wish: PlayRequest, so_far: StemsSoFar, from: u64) {
        let mut loaded = lock(&self.inner.loaded);
        if self.wish() != wish || loaded.is_take {
            return;
        }
        self.inner.listen(&mut loaded, ListeningMode { side: Side::Processed, matched: false });
        loaded.let_go();
        let source = Arc::new(GrowingSource::new(Arc::clone(&so_far.growing)));
        loaded.stems = Some(so_far);
        loaded.load = self.inner.player.load_at(Some(source), Chain::default(), from);
        loaded.from = from;
        self.inner.repeat(&loaded);
        self.inner.play(from, None);
    }

    /// Returns the frame of a recording's stems that is heard, if they play.
    pub(in crate::window) fn stems_frame(&self, task: StemsTask) -> Option<u64> {
        let view = self.view();
        view.stems.filter(|stems| stems.task == task)?;
        let plays = view.player.playing && !self.inner.stopped.load(Ordering::Relaxed);
        plays.then_some(view.player.frame)
    }

    /// Unloads the stems of a recording if they are loaded.
    pub(in crate::window) fn end_stems(&self, task: StemsTask) {
        let mut loaded = lock(&self.inner.loaded);
        if loaded.stems.take_if(|stems| stems.task == task).is_some() {
            loaded.load = self.inner.player.load(None, Chain::default());
            loaded.from = 0;
        }
    }
}
