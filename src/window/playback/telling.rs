//! Reports the state of playback to the window.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::Inner;
use super::types::{Meters, TransportView};
use crate::chain::NodeId;
use crate::document::TrackId;
use crate::lock::lock;
use crate::playback;
use crate::units::db_from_gain;
use crate::window::event::Event;
use crate::window::moment::Moment;

/// The interval of playback events while something changes.
const TELL_EVERY: Duration = Duration::from_millis(33);

impl Inner {
    pub(super) fn view(&self) -> TransportView {
        let loaded = lock(&self.loaded);
        let now = self.player.transport();
        // The player's state may still refer to the previous load.
        let told = now.loads >= loaded.load;
        let frame = if told { now.frame } else { loaded.from };
        TransportView {
            moment: Moment::next(),
            document: loaded.document,
            audition: loaded.audition.map(|audition| audition.view(frame)),
            comparison: loaded.comparison.as_ref().map(|comparison| comparison.heard),
            stems: loaded.stems.as_ref().map(|stems| stems.view(told && now.held)),
            documents_side: loaded.documents_side,
            matched_documents: loaded.matched_documents.iter().copied().collect(),
            player: playback::Transport {
                playing: told && now.playing,
                frame,
                looping: loaded.looping,
                // The requested side: the player follows within milliseconds, and the switch shows the user's choice.
                side: loaded.listening.side,
                matched: loaded.listening.matched,
                ..now
            },
        }
    }

    fn meters(&self) -> Meters {
        let levels = self.player.meters();
        let db = |gain: f64| Some(db_from_gain(gain)).filter(|db| db.is_finite());
        let track = |&(track, peak): &(TrackId, f32)| (track, db(peak.into()));
        let reduction = |&(node, db): &(NodeId, f32)| (node, db.into());
        Meters {
            peak_db: levels.peak.iter().copied().map(db).collect(),
            rms_db: levels.rms.iter().copied().map(db).collect(),
            clipped: levels.clipped,
            reductions: levels.reductions.iter().map(reduction).collect(),
            tracks: levels.tracks.iter().map(track).collect(),
        }
    }

    /// Reports playback while something changes, and once more when nothing changes any more.
    pub(super) fn tell(&self) {
        let mut last = None;
        while !self.ended.load(Ordering::Relaxed) {
            std::thread::sleep(TELL_EVERY);
            let now = (self.player.transport(), self.player.meters());
            if last.as_ref() != Some(&now) {
                self.host.emit(Event::Transport { transport: self.view(), meters: self.meters() });
                last = Some(now);
            }
        }
    }
}
