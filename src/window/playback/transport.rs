//! Plays documents and moves the playhead.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::documents::LoadedDocument;
use super::types::TransportView;
use super::{PlayRequest, PlaybackPage};
use crate::audio::AudioReader;
use crate::chain::Placement;
use crate::device::RunPurpose;
use crate::document::{Document, Moves};
use crate::error::Result;
use crate::lock::lock;
use crate::playback::{self, MixSource, OutputInfo, PlaybackSource, Side};
use crate::window::App;
use crate::window::workspace::Workspace;
use crate::window::workspace::types::DocumentId;

impl PlaybackPage {
    /// Loads a document into the player, and plays it if requested, if this request is still the latest.
    pub(in crate::window) fn load_document(
        &self,
        workspace: &Workspace,
        wish: PlayRequest,
        document: DocumentId,
        play: Option<(u64, Option<u64>)>,
    ) -> Result<()> {
        let now = workspace.state().document(document)?.history.shared();
        let LoadedDocument { source, mix, .. } = playable(workspace, document, &now)?;
        // The current chain and selection: both may have changed while the recording was opened.
        let now = workspace.state().document(document)?.history.shared();
        let selection = now.selection;
        let opened = LoadedDocument { source, mix, chain: now.chain.clone(), selection };
        self.load(wish, document, opened, play);
        // An edit between reading the state and loading has updated a player that did not have the document yet.
        let latest = workspace.state().document(document)?.history.shared();
        if latest.chain != now.chain {
            self.set_chain(document, &latest.chain);
        }
        Ok(())
    }
}

fn playable(workspace: &Workspace, document: DocumentId, heard: &Arc<Document>) -> Result<LoadedDocument> {
    let (open, measured, device) = {
        let state = workspace.state();
        let open = state.document(document)?;
        (open.open_source()?, Arc::clone(&open.mix_measured), state.settings.device.clone())
    };
    let placement = Placement::new(device, Arc::clone(&workspace.devices), RunPurpose::Preview);
    let (source, mix): (Arc<dyn PlaybackSource>, _) = if let Some(mix) = heard.mix()? {
        let source = Arc::new(MixSource::new(mix, open, measured, placement));
        (Arc::clone(&source) as Arc<dyn PlaybackSource>, Some(source))
    } else {
        let whole = Arc::clone(heard);
        let readers = move || Ok(Box::new(whole.reader(|source| open(source))?) as Box<dyn AudioReader>);
        (Arc::new(playback::ChainSource::new(Arc::new(readers), placement)?), None)
    };
    Ok(LoadedDocument { source, mix, chain: heard.chain.clone(), selection: heard.selection })
}

impl App {
    pub(in crate::window) fn play(
        &self,
        document: DocumentId,
        from_frame: u64,
        until_frame: Option<u64>,
    ) -> Result<TransportView> {
        let transport = &self.playback;
        transport.check_free()?;
        let wish = transport.next_wish();
        if transport.has(document) {
            transport.play(from_frame, until_frame);
        } else {
            self.load_document(wish, document, Some((from_frame, until_frame)))?;
        }
        self.transport_view()
    }

    /// Opens a state of a document for playback.
    pub(in crate::window) fn playable(&self, document: DocumentId, heard: &Arc<Document>) -> Result<LoadedDocument> {
        playable(&self.workspace, document, heard)
    }

    fn load_document(&self, wish: PlayRequest, document: DocumentId, play: Option<(u64, Option<u64>)>) -> Result<()> {
        self.playback.load_document(&self.workspace, wish, document, play)
    }

    /// Reloads an edited document if it is the loaded one. Playback continues from the same place in the edited sound.
    pub(in crate::window) fn reload_document(&self, document: DocumentId, moves: Option<&Moves>) -> Result<()> {
        if !self.playback.has(document) {
            return Ok(());
        }
        let wish = self.playback.next_wish();
        let frames = self.workspace.state().document(document)?.document().frames();
        let now = self.playback.view().player;
        let frame = moves.map_or(now.frame, |moves| moves.of_frame(now.frame)).min(frames);
        let plays = now.playing && !self.playback.inner.stopped.load(Ordering::Relaxed);
        let play = plays.then_some((frame, None));
        self.load_document(wish, document, play)
    }

    pub(in crate::window) fn stop(&self) -> Result<TransportView> {
        self.playback.next_wish();
        self.playback.stop();
        self.transport_view()
    }

    pub(in crate::window) fn seek(&self, frame: u64) -> Result<TransportView> {
        self.playback.check_free()?;
        self.playback.inner.player.seek(frame);
        self.transport_view()
    }

    pub(in crate::window) fn set_loop(&self, looping: bool) -> Result<TransportView> {
        {
            let inner = &self.playback.inner;
            let mut loaded = lock(&inner.loaded);
            loaded.looping = looping;
            inner.repeat(&loaded);
        }
        self.transport_view()
    }

    pub(in crate::window) fn set_side(&self, side: Side) -> Result<TransportView> {
        self.playback.listen_to(side);
        self.transport_view()
    }

    pub(in crate::window) fn set_matched(&self, document: DocumentId, matched: bool) -> Result<TransportView> {
        self.workspace.state().document(document)?;
        // A request to play in the meantime takes precedence.
        let wish = self.playback.wish();
        if self.playback.match_document(document, matched) {
            self.load_document(wish, document, None)?;
        }
        self.transport_view()
    }

    pub(in crate::window) fn outputs(&self) -> Result<Vec<OutputInfo>> {
        playback::outputs()
    }

    #[allow(clippy::unnecessary_wraps, reason = "commands give results")]
    fn transport_view(&self) -> Result<TransportView> {
        Ok(self.playback.view())
    }
}
