//! Auditions of tracks of the library in the player.

use std::sync::Arc;

use super::{ListeningMode, PlayRequest, PlaybackPage};
use crate::chain::Chain;
use crate::lock::lock;
use crate::playback::{PlaybackSource, Side};
use crate::units::SampleRate;
use crate::window::library::types::{AuditionTrack, AuditionView};

/// An audition of one or two tracks of the library.
#[derive(Clone, Copy)]
pub struct Audition {
    /// The track on side A.
    pub a: AuditionTrack,
    /// The track on side B.
    pub b: Option<AuditionTrack>,
    /// The sample rate of the common time.
    pub rate: SampleRate,
    /// The length in frames of the common time.
    pub frames: u64,
}

impl Audition {
    pub(super) fn view(&self, frame: u64) -> AuditionView {
        AuditionView {
            a: self.a.track,
            b: self.b.map(|b| b.track),
            rate: self.rate.hz(),
            duration_s: self.rate.seconds_from_frames(self.frames),
            at_s: self.rate.seconds_from_frames(frame.min(self.frames)),
        }
    }
}

impl PlaybackPage {
    /// Loads an audition and plays it from a frame of the common time, if its request is still the latest. `side`
    /// selects what is heard; without it, an audition that follows a document starts with side A, and one that follows
    /// an audition keeps the side. `matched` applies only after a document.
    pub fn load_audition(
        &self,
        wish: PlayRequest,
        audition: Audition,
        source: Arc<dyn PlaybackSource>,
        from: u64,
        (side, matched): (Option<Side>, bool),
    ) {
        let mut loaded = lock(&self.inner.loaded);
        if self.wish() != wish || loaded.is_take {
            return;
        }
        if loaded.audition.is_none() {
            self.inner.listen(&mut loaded, ListeningMode { side: Side::Original, matched });
        }
        if let Some(side) = side {
            let listening = ListeningMode { side, ..loaded.listening };
            self.inner.listen(&mut loaded, listening);
        }
        loaded.let_go();
        loaded.audition = Some(audition);
        loaded.load = self.inner.player.load_at(Some(source), Chain::default(), from);
        loaded.from = from;
        self.inner.repeat(&loaded);
        self.inner.play(from, None);
    }

    /// Returns the loaded audition.
    pub fn audition(&self) -> Option<Audition> {
        lock(&self.inner.loaded).audition
    }

    /// Turns loudness matching of auditions on or off.
    pub fn match_auditions(&self, matched: bool) {
        let mut loaded = lock(&self.inner.loaded);
        if loaded.audition.is_some() {
            let listening = ListeningMode { matched, ..loaded.listening };
            self.inner.listen(&mut loaded, listening);
        }
    }
}
