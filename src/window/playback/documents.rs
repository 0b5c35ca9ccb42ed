//! Documents in the player.

use std::sync::Arc;

use super::{ListeningMode, PlayRequest, PlaybackPage};
use crate::chain::Chain;
use crate::document::{FrameRange, Mix};
use crate::lock::lock;
use crate::playback::{MixSource, PlaybackSource, Side};
use crate::window::workspace::types::DocumentId;

/// A document that is ready to be played.
pub(in crate::window) struct LoadedDocument {
    pub(super) source: Arc<dyn PlaybackSource>,
    /// The same source with its concrete type, for a document of several tracks.
    pub(super) mix: Option<Arc<MixSource>>,
    pub(super) chain: Chain,
    pub(super) selection: Option<FrameRange>,
}

impl PlaybackPage {
    /// Loads a document and plays it if requested, if this request is still the latest.
    pub(super) fn load(
        &self,
        wish: PlayRequest,
        document: DocumentId,
        opened: LoadedDocument,
        play: Option<(u64, Option<u64>)>,
    ) {
        let mut loaded = lock(&self.inner.loaded);
        if self.wish() != wish || loaded.is_take {
            return;
        }
        loaded.let_go();
        let matched = loaded.matched_documents.contains(&document);
        let listening = ListeningMode { side: loaded.documents_side, matched };
        self.inner.listen(&mut loaded, listening);
        let from = play.map_or(0, |(from, _)| from);
        loaded.document = Some(document);
        loaded.mix = opened.mix;
        loaded.selection = opened.selection;
        loaded.load = self.inner.player.load_at(Some(opened.source), opened.chain, from);
        loaded.from = from;
        self.inner.repeat(&loaded);
        if let Some((from, until)) = play {
            self.inner.play(from, until);
        }
    }

    /// Unloads a document; it is loaded again when it is next played.
    pub(super) fn unload(&self, document: DocumentId) {
        let mut loaded = lock(&self.inner.loaded);
        if loaded.document == Some(document) {
            let load = self.inner.player.load(None, Chain::default());
            loaded.document = None;
            loaded.selection = None;
            loaded.is_take = false;
            loaded.load = load;
            loaded.from = 0;
        }
    }

    pub(super) fn has(&self, document: DocumentId) -> bool {
        let loaded = lock(&self.inner.loaded);
        loaded.document == Some(document) && !loaded.is_take
    }

    /// Unloads a closed document and forgets its listening mode.
    pub fn forget(&self, document: DocumentId) {
        self.unload(document);
        lock(&self.inner.loaded).matched_documents.remove(&document);
    }

    /// Updates the chain of the loaded document.
    pub fn set_chain(&self, document: DocumentId, chain: &Chain) {
        if lock(&self.inner.loaded).document == Some(document) {
            self.inner.player.set_chain(chain.clone());
        }
    }

    /// Updates the mix of the loaded document. `chain` is the chain of the chosen track or sum. Returns `false` if the
    /// document must be loaded again for that.
    pub fn set_mix(&self, document: DocumentId, mix: Mix, chain: &Chain) -> bool {
        let loaded = lock(&self.inner.loaded);
        if loaded.document != Some(document) {
            return true;
        }
        match &loaded.mix {
            Some(source) if loaded.listening.side == Side::Processed => {
                source.set_mix(mix);
                self.inner.player.set_chain(chain.clone());
                true
            }
            _ => false,
        }
    }

    /// Updates the selection of the loaded document, which a loop repeats.
    pub fn set_selection(&self, document: DocumentId, selection: Option<FrameRange>) {
        let mut loaded = lock(&self.inner.loaded);
        if loaded.document == Some(document) && !loaded.is_take {
            loaded.selection = selection;
            self.inner.repeat(&loaded);
        }
    }

    /// Turns loudness matching of a document on or off. Returns whether the document must be loaded to measure its
    /// loudness, because something else is loaded and is not playing.
    pub(super) fn match_document(&self, document: DocumentId, matched: bool) -> bool {
        let mut loaded = lock(&self.inner.loaded);
        if matched {
            loaded.matched_documents.insert(document);
        } else {
            loaded.matched_documents.remove(&document);
        }
        if loaded.document == Some(document) {
            let listening = ListeningMode { matched, ..loaded.listening };
            self.inner.listen(&mut loaded, listening);
            return false;
        }
        let now = self.inner.player.transport();
        matched && now.loads >= loaded.load && !now.playing
    }

    /// Unloads the document, so that the next play loads it on the newly chosen device.
    pub fn reload(&self) {
        let document = lock(&self.inner.loaded).document;
        if let Some(document) = document {
            self.unload(document);
        }
    }
}
