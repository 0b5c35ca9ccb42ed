//! The recordings to separate.

use std::path::Path;
use std::sync::Arc;

use crate::audio::{AudioFile, AudioFormat, AudioReader};
use crate::document::{ContentKey, Document, DocumentMarkers, MixPart, OpenSource, TrackChoice, TrackId, document_of};
use crate::error::{Error, Result};
use crate::window::workspace::State;
use crate::window::workspace::open_document::{file_name, title_of};
use crate::window::workspace::types::DocumentId;

/// A recording to separate: a track before its rack, or a file.
pub(super) struct Recording {
    /// The name, without the extension of a file.
    pub name: String,
    /// The markers of its document or file.
    pub markers: DocumentMarkers,
    part: MixPart,
    open: OpenSource,
}

impl Recording {
    /// Opens a file.
    pub(super) fn of_file(path: &Path) -> Result<Self> {
        let file = AudioFile::open(path)?;
        let document = document_of(&file)?;
        let open: OpenSource = Arc::new(move |_| file.reader());
        Self::new(title_of(path), &document, None, open)
    }

    /// Takes a track of a document, or the one in front.
    ///
    /// # Errors
    /// [`Error::Impossible`] if the sum is chosen and no track is named.
    pub(super) fn of_document(state: &State, document: DocumentId, track: Option<TrackId>) -> Result<Self> {
        let open = state.document(document)?;
        let now = open.document();
        if track.is_none() && now.chosen() == Some(TrackChoice::Sum) {
            return Err(Error::impossible("Choose the track to separate first."));
        }
        let track = track.or(now.front_track());
        let name = match track {
            Some(track) => now.track(track)?.strip.name.clone(),
            None => open.base_name(),
        };
        Self::new(name, now, track, open.open_source()?)
    }

    fn new(name: String, document: &Document, track: Option<TrackId>, open: OpenSource) -> Result<Self> {
        let id = track.unwrap_or_default();
        let part = document.stems()?.into_iter().find(|part| part.id == id);
        let part = part.ok_or_else(|| Error::NotFound { what: "track", name: id.0.to_string() })?;
        Ok(Self { name, markers: document.markers.clone(), part, open })
    }

    /// Returns a reader of the recording.
    pub(super) fn reader(&self) -> Result<Box<dyn AudioReader>> {
        Ok(Box::new(self.part.reader(|source| (self.open)(source))?))
    }

    /// Returns the sample rate and channels.
    pub(super) fn format(&self) -> AudioFormat {
        self.part.format
    }

    /// Returns the length in frames.
    pub(super) fn frames(&self) -> u64 {
        self.part.edits().frames()
    }

    /// Returns the length in seconds.
    pub(super) fn seconds(&self) -> f64 {
        self.format().rate.seconds_from_frames(self.frames())
    }

    /// Returns the number of samples in all channels.
    pub(super) fn samples(&self) -> u64 {
        self.frames().saturating_mul(self.format().channels as u64)
    }

    /// Returns the length in milliseconds, at least 1, for progress.
    pub(super) fn milliseconds(&self) -> u64 {
        ((self.seconds() * 1000.0) as u64).max(1)
    }

    /// Returns a key of the recording's sound.
    pub(super) fn sound_key(&self) -> ContentKey {
        let format = self.format();
        let (part, rate) = (self.part.content_key(), format.rate.hz().to_string());
        ContentKey::of_parts([part.as_str(), &rate, &format.channels.to_string()])
    }
}

/// Returns a message with the name of a file that could not be opened, and the reason.
pub(super) fn unread(path: &Path, error: &Error) -> String {
    format!("{}: {}", file_name(path), error.sentences())
}
