//! Playback while a track is recorded.

use super::documents::LoadedDocument;
use super::{ListeningMode, PlaybackPage};
use crate::error::{Error, Result};
use crate::lock::lock;
use crate::playback::HeardLog;
use crate::window::workspace::types::DocumentId;

impl PlaybackPage {
    /// Plays a document while a track is recorded, and logs which frames are heard when. Until
    /// [`PlaybackPage::end_take`], nothing else may be played.
    pub(in crate::window) fn play_take(
        &self,
        document: DocumentId,
        opened: LoadedDocument,
        (from, until): (u64, Option<u64>),
    ) -> HeardLog {
        self.next_wish();
        let mut loaded = lock(&self.inner.loaded);
        loaded.let_go();
        let listening = ListeningMode { side: loaded.documents_side, matched: false };
        self.inner.listen(&mut loaded, listening);
        loaded.document = Some(document);
        loaded.is_take = true;
        loaded.load = self.inner.player.load_at(Some(opened.source), opened.chain, from);
        loaded.from = from;
        self.inner.player.set_repeat(None);
        let log = self.inner.player.watch();
        self.inner.play(from, until);
        log
    }

    /// Ends the playback of [`PlaybackPage::play_take`]. The document is loaded again when it is next played.
    pub fn end_take(&self) {
        let document = {
            let mut loaded = lock(&self.inner.loaded);
            let is_take = std::mem::take(&mut loaded.is_take);
            loaded.document.filter(|_| is_take)
        };
        if let Some(document) = document {
            self.unload(document);
        }
    }

    /// Returns an error while a track is recorded.
    pub(in crate::window) fn check_free(&self) -> Result<()> {
        if lock(&self.inner.loaded).is_take {
            return Err(Error::impossible("A recording onto a track is running. Stop it first"));
        }
        Ok(())
    }
}
