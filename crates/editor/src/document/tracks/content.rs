//! The contents of the tracks of a separated recording, and listening presets for them.

use serde::{Deserialize, Serialize};

use super::{Racks, TrackId, TrackStrip};
use crate::document::{Clip, Document, EditList, Source};
use base::declared::TS;
use base::error::{Error, Result};
use base::stem::StemKind;

/// A purpose for which the stems of a recording are heard. Tracks that are not stems are left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum StemPreset {
    /// All but the voice.
    Karaoke,
    /// The voice alone.
    ACappella,
    /// All but the drums.
    Drumless,
    /// The voice 12 dB softer, to sing along with.
    PracticeVoice,
    /// The drums 12 dB softer.
    PracticeDrums,
    /// The bass 12 dB softer.
    PracticeBass,
    /// Each as loud as in the recording.
    All,
}

impl StemPreset {
    /// The gain of the practised part, in dB.
    pub const PRACTICE_DB: f64 = -12.0;

    /// Returns whether the preset concerns this content.
    const fn is_about(self, content: StemKind) -> bool {
        match self {
            Self::Karaoke | Self::ACappella | Self::PracticeVoice => content.is_voice(),
            Self::PracticeDrums | Self::Drumless => matches!(content, StemKind::Drums),
            Self::PracticeBass => matches!(content, StemKind::Bass),
            Self::All => true,
        }
    }

    fn set(self, strip: &mut TrackStrip, content: StemKind) {
        let is_about = self.is_about(content);
        strip.mute = match self {
            Self::Karaoke | Self::Drumless => is_about,
            Self::ACappella => !is_about,
            _ => false,
        };
        let is_practised = matches!(self, Self::PracticeVoice | Self::PracticeDrums | Self::PracticeBass) && is_about;
        strip.gain_db = if is_practised { Self::PRACTICE_DB } else { 0.0 };
        (strip.solo, strip.pan) = (false, 0.0);
    }
}

impl Document {
    /// Creates a document of stems, each complete on a separate track, in the order of [`StemKind::ALL`]. The first
    /// track is in front.
    pub fn of_stems(title: String, mut stems: Vec<(StemKind, String, Source)>) -> Result<Self> {
        stems.sort_by_key(|(content, ..)| *content);
        let track = |(at, (content, name, source)): (usize, &(StemKind, String, Source))| {
            let strip = TrackStrip::new(TrackId(at as u32 + 1), name.clone(), content.colour());
            let edits = EditList { clips: vec![Clip::whole(at, source.summary.frames)] };
            (TrackStrip { content: Some(*content), ..strip }, edits, Racks::default())
        };
        let tracks = stems.iter().enumerate().map(track).collect();
        let sources = stems.iter().map(|(_, _, source)| source.clone()).collect();
        Self { title, sources, ..Self::default() }.of_tracks(tracks, Racks::default(), None)
    }

    /// Mutes the stems that are not heard.
    pub fn mute_stems(&mut self, is_heard: impl Fn(StemKind) -> bool) {
        for track in &mut self.tracks.list {
            track.strip.mute = track.strip.content.is_some_and(|content| !is_heard(content));
        }
    }

    /// Applies a preset to the stems.
    ///
    /// # Errors
    /// [`Error::Impossible`] if no track has content that the preset concerns.
    pub(super) fn set_stem_preset(&mut self, preset: StemPreset) -> Result<()> {
        let stems = self.tracks.list.iter().filter_map(|track| track.strip.content);
        if !stems.into_iter().any(|content| preset.is_about(content)) {
            let what = match preset {
                StemPreset::PracticeDrums | StemPreset::Drumless => "No track is the drums of a separated recording.",
                StemPreset::PracticeBass => "No track is the bass of a separated recording.",
                StemPreset::All => "No track is a stem of a separated recording.",
                _ => "No track is the voice of a separated recording.",
            };
            return Err(Error::impossible(what));
        }
        for track in &mut self.tracks.list {
            if let Some(content) = track.strip.content {
                preset.set(&mut track.strip, content);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Crossfade, TrackEdit};

    #[test]
    fn names_lead_back_to_their_contents() {
        for content in StemKind::ALL {
            assert_eq!(StemKind::named(content.name()).unwrap(), content);
            assert_eq!(serde_json::to_value(content).unwrap(), content.name());
            assert!(content.colour() < super::super::COLOURS);
        }
        let message = StemKind::named("kazoo").unwrap_err().to_string();
        assert!(message.contains("kazoo") && message.contains("voice, vocals"), "{message}");
    }

    fn document(contents: &[Option<StemKind>]) -> Document {
        let track = |(at, content): (usize, &Option<StemKind>)| {
            let strip = TrackStrip::new(TrackId(at as u32 + 1), format!("{at}"), 0);
            (TrackStrip { content: *content, ..strip }, EditList::default(), Racks::default())
        };
        let tracks = contents.iter().enumerate().map(track).collect();
        Document::default().of_tracks(tracks, Racks::default(), None).unwrap()
    }

    #[test]
    fn presets_set_the_stems_and_nothing_else() {
        use StemKind::{Accompaniment, Drums, Vocals, Voice};
        let heard = |document: &Document, preset| {
            let (next, label) = document.with_tracks(&TrackEdit::Stems { preset }, Crossfade::NONE)?;
            assert_eq!(label, "Hear stems");
            Ok::<_, Error>(next.tracks().map(|track| (track.strip.mute, track.strip.gain_db)).collect::<Vec<_>>())
        };
        let song = document(&[Some(Voice), Some(Accompaniment), None]);
        assert_eq!(heard(&song, StemPreset::Karaoke).unwrap(), [(true, 0.0), (false, 0.0), (false, 0.0)]);
        assert_eq!(heard(&song, StemPreset::ACappella).unwrap(), [(false, 0.0), (true, 0.0), (false, 0.0)]);
        assert_eq!(heard(&song, StemPreset::PracticeVoice).unwrap(), [(false, -12.0), (false, 0.0), (false, 0.0)]);
        assert!(heard(&song, StemPreset::PracticeDrums).unwrap_err().to_string().contains("drums"));
        let mut mixed = document(&[Some(Vocals), Some(Drums), None]);
        for track in &mut mixed.tracks.list {
            (track.strip.gain_db, track.strip.mute, track.strip.solo, track.strip.pan) = (3.0, true, true, 0.5);
        }
        assert_eq!(heard(&mixed, StemPreset::PracticeDrums).unwrap(), [(false, 0.0), (false, -12.0), (true, 3.0)]);
        assert_eq!(heard(&mixed, StemPreset::Drumless).unwrap(), [(false, 0.0), (true, 0.0), (true, 3.0)]);
        assert!(heard(&song, StemPreset::Drumless).is_err());
        assert_eq!(heard(&mixed, StemPreset::All).unwrap(), [(false, 0.0), (false, 0.0), (true, 3.0)]);
        let plain = document(&[None, None]);
        assert!(heard(&plain, StemPreset::All).is_err() && heard(&plain, StemPreset::Karaoke).is_err());
    }
}
