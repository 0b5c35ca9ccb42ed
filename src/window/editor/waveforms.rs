//! Waveforms of the processed sides of open documents.
//!
//! The chain renders a waveform in the background, first coarsely; the disk cache stores it under a key of its content.
//! Only one is rendered at a time, for the document requested last. Finished ones stay in memory up to a limit.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::spectrograms::{SideState, SpectrogramTiles};
use crate::chain::{Chain, aligned_format};
use crate::document::TrackChoice;
use crate::error::{Error, Result};
use crate::lock::lock;
use crate::playback::Side;
use crate::progress::Progress;
use crate::view::peaks::{OnChange, OpenReader, PeakCache, Peaks, Prepare, Waveform};
use crate::window::event::Event;
use crate::window::workspace::Workspace;
use crate::window::workspace::open_document::waveform_view;
use crate::window::workspace::types::DocumentId;

/// The limit on finished waveforms in memory, in bytes, apart from the one requested last.
const MEMORY_BYTES: u64 = 32 << 20;

/// The waveforms of processed sides, by document.
pub struct ProcessedWaveforms {
    workspace: Arc<Workspace>,
    spectrograms: Arc<SpectrogramTiles>,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    waveforms: HashMap<(DocumentId, Side), HeldWaveform>,
    /// Counts requests.
    uses: u64,
}

struct HeldWaveform {
    key: String,
    /// The revision of the document that it shows.
    revision: u64,
    used: u64,
    peaks: Arc<Peaks>,
}

impl ProcessedWaveforms {
    /// Creates an empty collection. The audio of a side is the audio of its spectrogram.
    pub fn new(workspace: Arc<Workspace>, spectrograms: Arc<SpectrogramTiles>) -> Self {
        Self { workspace, spectrograms, held: Mutex::default() }
    }

    /// Removes the waveform of a closed document.
    pub fn forget(&self, document: DocumentId) {
        let former = {
            let waveforms = &mut lock(&self.held).waveforms;
            [Side::Original, Side::Processed].map(|side| waveforms.remove(&(document, side)))
        };
        // Dropping them ends threads, which must not happen under the lock.
        drop(former);
    }

    /// Ends all rendering.
    pub fn stop_all(&self) {
        let former = std::mem::take(&mut lock(&self.held).waveforms);
        drop(former);
    }

    /// Returns the waveform of one side of a document. Rendering that of the processed side starts with the first
    /// request, and again when the chain has changed. A chain without effects has the original's waveform.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a chain that stretches time.
    pub fn of(&self, document: DocumentId, side: Side) -> Result<Waveform> {
        let is_sum = self.workspace.state().document(document)?.document().chosen() == Some(TrackChoice::Sum);
        if side == Side::Original && !is_sum {
            return self.workspace.waveform(document);
        }
        let mut state = self.workspace.side(document, side)?;
        let mut side = side;
        if state.chain.nodes.iter().all(|node| node.bypass) {
            if !is_sum {
                return self.workspace.waveform(document);
            }
            (side, state) = (Side::Original, self.workspace.side(document, Side::Original)?);
        }
        if let Some(known) = lock(&self.held).find((document, side), &state) {
            return Ok(Waveform::Rendered(known));
        }
        // Planning a chain may read its files, so the lock is not held.
        let none = Chain::default();
        let shape = self.shape(document, if side == Side::Original { &none } else { &state.chain })?;
        let mut held = lock(&self.held);
        if let Some(known) = held.find((document, side), &state) {
            return Ok(Waveform::Rendered(known));
        }
        let former: Vec<HeldWaveform> =
            held.waveforms.remove(&(document, side)).into_iter().chain(held.surplus(document)).collect();
        let (key, revision, used) = (state.key.clone(), state.revision, held.uses);
        let found = self.start(document, side, shape, state).map(Arc::new);
        if let Ok(peaks) = &found {
            held.waveforms.insert((document, side), HeldWaveform { key, revision, used, peaks: Arc::clone(peaks) });
        }
        drop(held);
        // Their threads end within a block of frames; the caller does not wait for them.
        if !former.is_empty() {
            self.workspace.in_background("Ending a waveform", move || drop(former));
        }
        found.map(Waveform::Rendered)
    }

    /// Returns the channels and the frames of the processed side.
    fn shape(&self, document: DocumentId, chain: &Chain) -> Result<(usize, u64)> {
        let (format, frames) = {
            let state = self.workspace.state();
            let open = state.document(document)?;
            (open.format()?, open.document().frames())
        };
        Ok((aligned_format(chain, format)?.channels, frames))
    }

    fn start(&self, document: DocumentId, side: Side, shape: (usize, u64), state: SideState) -> Result<Peaks> {
        let limit_bytes = u64::from(self.workspace.state().settings.cache_mib) << 20;
        let host = Arc::clone(&self.workspace.host);
        let on_change: OnChange = Box::new(move |state| {
            host.emit(Event::Peaks { document, side, waveform: waveform_view(&state) });
        });
        let (spectrograms, wanted) = (Arc::clone(&self.spectrograms), state.key.clone());
        let prepare: Prepare = Box::new(move |progress: &Progress| {
            let source = spectrograms.source(document, side, progress)?;
            // The document was edited in the meantime. The caller that edited it asks again.
            if source.key() != wanted {
                return Err(Error::Cancelled);
            }
            let open: OpenReader = Arc::new(move || source.open());
            Ok(open)
        });
        let cache = PeakCache::new(&self.workspace.directories.data().join("peaks"), limit_bytes);
        Peaks::start_prepared(shape, prepare, cache, state.key, on_change)
    }
}

impl Held {
    /// Returns the waveform of a document in the caller's state or a newer one.
    fn find(&mut self, of: (DocumentId, Side), state: &SideState) -> Option<Arc<Peaks>> {
        self.uses += 1;
        let known = self.waveforms.get_mut(&of)?;
        if known.key != state.key && known.revision <= state.revision {
            return None;
        }
        known.used = self.uses;
        known.revision = known.revision.max(state.revision);
        Some(Arc::clone(&known.peaks))
    }

    /// Removes and returns unfinished waveforms of other documents, and, beyond the limit, the finished ones that were
    /// requested least recently.
    fn surplus(&mut self, wanted: DocumentId) -> Vec<HeldWaveform> {
        let mut latest_first: Vec<(u64, (DocumentId, Side))> =
            self.waveforms.iter().map(|(id, waveform)| (waveform.used, *id)).collect();
        latest_first.sort_by_key(|(used, _)| std::cmp::Reverse(*used));
        let mut kept = 0;
        let mut surplus = Vec::new();
        for (_, id) in latest_first {
            let keeps = self.waveforms.get(&id).is_some_and(|waveform| {
                let bytes = waveform.peaks.bytes();
                let is_finished = waveform.peaks.state().exact_share >= 1.0;
                id.0 == wanted
                    || is_finished && kept + bytes <= MEMORY_BYTES && {
                        kept += bytes;
                        true
                    }
            });
            if !keeps {
                surplus.extend(self.waveforms.remove(&id));
            }
        }
        surplus
    }
}
