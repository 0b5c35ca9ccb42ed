//! Plays the versions: one source for all, one of which is heard.

use std::sync::Arc;

use super::types::{CompareSound, CompareView, ComparisonHeard};
use super::{ComparePage, DIFFERENCE_GAIN_DB, State};
use crate::error::{Error, Result};
use crate::playback::{HeardVersion, PlaybackSource, VersionsSource};
use crate::units::gain_from_db;
use crate::window::playback::types::TransportView;
use crate::window::playback::{Comparison, PlayedSound};

impl State {
    /// Returns the sound that is played, as the player has it, and its linear gain.
    fn played(&self) -> Option<(PlayedSound, f32)> {
        let heard = self.heard?;
        let gain_db = match heard {
            CompareSound::Version { version } if self.matched => self.matching_gain_db(version).unwrap_or(0.0),
            CompareSound::Version { .. } => 0.0,
            CompareSound::Difference { .. } => self.difference_gain_db,
        };
        let level = matches!(heard, CompareSound::Difference { .. }) && self.matched;
        Some(((heard, level), gain_from_db(gain_db) as f32))
    }
}

impl ComparePage {
    /// Plays the chosen sound from a frame of the timeline.
    pub(in crate::window) fn play(&self, from_frame: u64) -> Result<TransportView> {
        self.playback.check_free()?;
        let wish = self.playback.next_wish();
        let (laid, played, open, reference) = {
            let state = self.locked();
            let none = || Error::impossible("There is nothing to play. Add versions of a recording.");
            let (laid, played) = (state.laid.ok_or_else(none)?, state.played().ok_or_else(none)?);
            let reference = CompareSound::Version { version: laid.reference };
            let ((sound, level), _) = played;
            (laid, played, state.plan(sound, level)?.open, (reference, state.plan(reference, false)?.open))
        };
        if self.playback.hear_comparison(laid, played, Arc::clone(&open)) {
            self.playback.play(from_frame, None);
            return Ok(self.playback.view());
        }
        let (((sound, level), gain), (reference, open_reference)) = (played, reference);
        // The reference comes first: the monitor compares the heard sound with it.
        let (mut sounds, mut versions) = (vec![(reference, false)], vec![open_reference]);
        if sound != reference {
            sounds.push((sound, level));
            versions.push(open);
        }
        let heard = HeardVersion { version: sounds.len() - 1, gain };
        let source = Arc::new(VersionsSource::new(versions, heard)?);
        let heard = ComparisonHeard { sound: Some(sound), rate: source.format().rate.hz(), frames: source.frames() };
        self.playback.load_comparison(
            wish,
            Comparison { source, laid: Some(laid), passage: None, sounds, heard },
            from_frame,
        );
        Ok(self.playback.view())
    }

    /// Chooses the sound to play, continuing at the same position.
    pub(in crate::window) fn hear(&self, sound: CompareSound) -> Result<CompareView> {
        {
            let mut state = self.locked();
            state.plan(sound, state.matched)?;
            state.heard = Some(sound);
        }
        self.hear_again();
        Ok(self.locked().view())
    }

    /// Turns loudness matching on or off.
    #[allow(clippy::unnecessary_wraps, reason = "commands give results")]
    pub(in crate::window) fn set_matched(&self, matched: bool) -> Result<CompareView> {
        let former = {
            let mut state = self.locked();
            let changed = std::mem::replace(&mut state.matched, matched) != matched;
            // Differences are drawn again.
            state.revision += u32::from(changed);
            state.drop_sounds(|sound| !changed || matches!(sound, CompareSound::Version { .. }))
        };
        self.let_go(former);
        self.hear_again();
        Ok(self.locked().view())
    }

    /// Sets the gain of differences.
    pub(in crate::window) fn set_difference_gain(&self, db: f64) -> Result<CompareView> {
        if !DIFFERENCE_GAIN_DB.contains(&db) {
            let (least, most) = DIFFERENCE_GAIN_DB.into_inner();
            return Err(Error::invalid("gain of the difference", format!("{db} dB"), format!("{least} to {most} dB")));
        }
        self.locked().difference_gain_db = db;
        self.hear_again();
        Ok(self.locked().view())
    }

    /// Switches the player to the current choice. Ends playback if it is on another timeline.
    pub(super) fn hear_again(&self) {
        let Some(loaded) = self.playback.comparison() else { return };
        let wanted = {
            let state = self.locked();
            let played = state.laid.filter(|laid| *laid == loaded).and_then(|_| state.played());
            played.and_then(|(sound, gain)| Some(((sound, gain), state.plan(sound.0, sound.1).ok()?.open)))
        };
        match wanted {
            Some((played, open)) => {
                self.playback.hear_comparison(loaded, played, open);
            }
            None => self.playback.end_comparison(),
        }
    }
}
