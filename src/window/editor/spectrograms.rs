//! Spectrogram tiles and read-outs of open documents.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::thread;
use std::time::Duration;

use serde::Deserialize;

use crate::audio::{AudioReader, Lanes};
use crate::chain::{Chain, MeasuredMap, Placement, Rendered, Seeking, aligned, measure_whole};
use crate::device::{DeviceReport, RunPurpose};
use crate::document::{Document, Mix, MixRender, TrackChoice};
use crate::error::{Error, Result};
use crate::lock::lock;
use crate::playback::Side;
use crate::progress::Progress;
use crate::view::FileCache;
use crate::view::peaks::OpenReader;
use crate::view::spectrogram::{Analysis, SpectrogramSource, Spectrograms, SpectrumReading, TileSpec, spectrum_at};
use crate::window::App;
use crate::window::event::Event;
use crate::window::workspace::Workspace;
use crate::window::workspace::types::DocumentId;
use base::declared::TS;

/// A run of spectrogram tiles of one side of a document.
#[derive(Clone, Copy, Debug, Deserialize, TS)]
pub struct SpectrogramTile {
    /// The tiles.
    #[serde(flatten)]
    pub spec: TileSpec,
    /// The side: original or processed.
    pub side: Side,
    /// A request number chosen by the window, with which `editor.cancel_tiles` can cancel it.
    pub request: u32,
}

/// The limit of the tile cache in memory, in bytes. The window keeps the tiles that it shows itself.
const MEMORY_BYTES: usize = 96 << 20;
/// The number of sounds whose measurements are remembered.
const REMEMBERED: usize = 16;
/// How often to check whether another request has finished measuring.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Computes tiles for all documents.
pub struct SpectrogramTiles {
    workspace: Arc<Workspace>,
    service: Spectrograms,
    sources: Mutex<HashMap<(DocumentId, Side), Arc<SpectrogramSource>>>,
    /// Locked while a side is prepared, so that a chain is measured once for all requests.
    turns: Mutex<HashMap<(DocumentId, Side), Arc<Mutex<()>>>>,
    /// The measurements of whole sounds that effects need, by the key of the sound, the latest last.
    measured: Mutex<VecDeque<(String, MeasuredMap)>>,
    /// The progress of requests that have not been answered yet.
    running: Mutex<HashMap<(DocumentId, u32), Progress>>,
}

impl SpectrogramTiles {
    /// Creates the service with a disk cache for tiles that are expensive to compute.
    pub fn new(workspace: Arc<Workspace>) -> Self {
        let limit_bytes = u64::from(workspace.state().settings.cache_mib) << 20;
        let disk = FileCache::new(&workspace.directories.data().join("spectrograms"), "tiles", limit_bytes);
        let service = Spectrograms::new(MEMORY_BYTES, Some(disk));
        Self {
            workspace,
            service,
            sources: Mutex::default(),
            turns: Mutex::default(),
            measured: Mutex::default(),
            running: Mutex::default(),
        }
    }

    /// Cancels the requests of a closed document and removes its sources.
    pub fn forget(&self, document: DocumentId) {
        lock(&self.running).iter().filter(|((of, _), _)| *of == document).for_each(|(_, progress)| progress.cancel());
        lock(&self.sources).retain(|(of, _), _| *of != document);
        lock(&self.turns).retain(|(of, _), _| *of != document);
    }

    /// Cancels all running requests.
    pub fn stop_all(&self) {
        lock(&self.running).values().for_each(Progress::cancel);
    }
}

impl App {
    /// Returns a run of tiles of a document's spectrogram. Little-endian: columns, rows and whether the tile is exact
    /// (1 or 0) as u32, and a reserved u32; then codes in steps of 0.005 dB from -200 dB as u16, row after row from the
    /// lowest frequency up. A tile that is not exact is a preview; the next request for it returns the exact one.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`] if the tile's request was cancelled.
    pub fn spectrogram(&self, document: DocumentId, tile: SpectrogramTile) -> Result<Vec<u8>> {
        let tiles = &self.spectrograms;
        let progress = Progress::new();
        lock(&tiles.running).insert((document, tile.request), progress.clone());
        let found = self
            .spectrograms
            .source(document, tile.side, &progress)
            .and_then(|source| tiles.tile_bytes(&source, &tile.spec, &progress));
        lock(&tiles.running).remove(&(document, tile.request));
        found
    }

    pub(in crate::window) fn cancel_tiles(&self, document: DocumentId, requests: Vec<u32>) -> Result<()> {
        let running = lock(&self.spectrograms.running);
        for request in requests {
            if let Some(progress) = running.get(&(document, request)) {
                progress.cancel();
            }
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments, reason = "a place in a picture has as many coordinates")]
    pub(in crate::window) fn spectrum_at(
        &self,
        document: DocumentId,
        analysis: Analysis,
        channels: Lanes,
        lane: usize,
        side: Side,
        frame: u64,
        hz: f64,
    ) -> Result<SpectrumReading> {
        let source = self.spectrograms.source(document, side, &Progress::new())?;
        spectrum_at(&source, &analysis, channels, lane, frame, hz)
    }
}

/// One side of a document at one moment.
pub(in crate::window) struct SideState {
    /// Identifies the audio: equal keys mean equal audio.
    pub key: String,
    /// Opens the recording before the chain.
    pub readers: OpenReader,
    /// The chain.
    pub chain: Chain,
    /// The key of the recording.
    content: String,
    /// Counts the changes of the document.
    pub revision: u64,
}

impl Workspace {
    /// Returns the current state of one side of a document.
    pub(in crate::window) fn side(&self, id: DocumentId, side: Side) -> Result<SideState> {
        let (document, readers, revision) = {
            let state = self.state();
            let open = state.document(id)?;
            (open.history.shared(), open.readers()?, open.revision)
        };
        if document.chosen() == Some(TrackChoice::Sum) {
            return self.sum_side(id, side, &document, revision);
        }
        // The keys read files, which may be slow, so the state lock is not held.
        let content = document.content_key().as_str().to_owned();
        let key = match side {
            Side::Original => content.clone(),
            Side::Processed => format!("{content}|{}", document.chain.sound_key()),
        };
        Ok(SideState { key, readers, chain: document.chain.clone(), content, revision })
    }

    /// Returns the state of a side of the sum of all tracks: its rack's input or output.
    fn sum_side(&self, id: DocumentId, side: Side, document: &Document, revision: u64) -> Result<SideState> {
        let (mix, readers) = self.mix_readers(id)?;
        let content = mix.content_key().as_str().to_owned();
        let key = match side {
            Side::Original => content.clone(),
            Side::Processed => format!("{content}|{}", mix.chain.sound_key()),
        };
        Ok(SideState { key, readers, chain: document.chain.clone(), content, revision })
    }

    /// Returns the sum of the tracks of a document, and a function that opens it before its rack.
    ///
    /// # Errors
    /// [`Error::Impossible`] if the document has only one track.
    pub(in crate::window) fn mix_readers(&self, id: DocumentId) -> Result<(Arc<Mix>, OpenReader)> {
        let (document, open, measured, request) = {
            let state = self.state();
            let open = state.document(id)?;
            (open.history.shared(), open.open_source()?, Arc::clone(&open.mix_measured), state.settings.device.clone())
        };
        let mix = Arc::new(document.mix()?.ok_or_else(|| Error::impossible("The document has only one track."))?);
        let placement = Placement::new(request, Arc::clone(&self.devices), RunPurpose::Preview);
        let opened = Arc::clone(&mix);
        let readers: OpenReader = Arc::new(move || {
            let (progress, seeking) = (Progress::new(), Seeking::Preroll);
            let how = MixRender { placement: &placement, measured: &measured, seeking, measures: Some(&progress) };
            Ok(Box::new(opened.reader(&open, &how)?))
        });
        Ok((mix, readers))
    }
}

impl SpectrogramTiles {
    /// Returns a run of tiles of a sound, laid out as described at [`App::spectrogram`].
    pub(in crate::window) fn tile_bytes(
        &self,
        source: &SpectrogramSource,
        spec: &TileSpec,
        progress: &Progress,
    ) -> Result<Vec<u8>> {
        let found = self.service.tile(source, spec, &self.placement(), progress)?;
        if let Some(report) = found.report {
            self.note_device(report);
        }
        let tiles = found.tiles;
        let header = [tiles.columns as u32, tiles.rows as u32, u32::from(tiles.exact), 0];
        let mut bytes = bytemuck::cast_slice(&header).to_vec();
        bytes.extend_from_slice(bytemuck::cast_slice(&tiles.codes));
        Ok(bytes)
    }

    /// Returns the placement for spectrograms on the device that the settings request.
    pub(in crate::window) fn placement(&self) -> Placement {
        let request = self.workspace.state().settings.device.clone();
        Placement::new(request, Arc::clone(&self.workspace.devices), RunPurpose::Preview)
    }

    /// Stores the device of a tile or picture, and tells the window if it has changed.
    pub(in crate::window) fn note_device(&self, report: DeviceReport) {
        let what = |report: &DeviceReport| (report.requested.clone(), report.used.clone(), report.fallback);
        let before = self.workspace.state().spectrogram_device.replace(report.clone());
        if before.as_ref().map(what) != Some(what(&report)) {
            self.workspace.host.emit(Event::SpectrogramDevice { device: report });
        }
    }

    /// Returns the audio of one side of a document. Its readers serve all its tiles until the chain changes.
    pub(in crate::window) fn source(
        &self,
        id: DocumentId,
        side: Side,
        progress: &Progress,
    ) -> Result<Arc<SpectrogramSource>> {
        let turn = Arc::clone(lock(&self.turns).entry((id, side)).or_default());
        let _turn = wait_for(&turn, progress)?;
        let SideState { key, readers, chain, content, .. } = self.workspace.side(id, side)?;
        let known = lock(&self.sources).get(&(id, side)).cloned();
        if let Some(source) = known.filter(|source| source.key() == key) {
            return Ok(source);
        }
        let open: OpenReader = match side {
            Side::Original => readers,
            Side::Processed => {
                let render = self.render(&key, &content, chain, readers()?.as_mut(), progress)?;
                Arc::new(move || {
                    let recording = readers()?;
                    let (format, frames) = (recording.format(), recording.frames());
                    aligned(render(recording)?, format, frames)
                })
            }
        };
        let source = Arc::new(SpectrogramSource::new(key, open)?);
        lock(&self.sources).insert((id, side), Arc::clone(&source));
        Ok(source)
    }

    /// Returns the key of one side of a document and an opener of its sound: a processed side may differ from the
    /// recording in length and sample rate.
    pub(in crate::window) fn whole(
        &self,
        id: DocumentId,
        side: Side,
        progress: &Progress,
    ) -> Result<(String, OpenReader)> {
        let turn = Arc::clone(lock(&self.turns).entry((id, side)).or_default());
        let _turn = wait_for(&turn, progress)?;
        let SideState { key, readers, chain, content, .. } = self.workspace.side(id, side)?;
        if side == Side::Original {
            return Ok((key, readers));
        }
        let render = self.render(&key, &content, chain, readers()?.as_mut(), progress)?;
        Ok((key, Arc::new(move || Ok(Box::new(render(readers()?)?) as Box<dyn AudioReader>))))
    }

    /// Returns a function that renders a recording through a chain, after the chain's effects have measured the whole
    /// recording.
    fn render(
        &self,
        key: &str,
        content: &str,
        chain: Chain,
        whole: &mut dyn AudioReader,
        progress: &Progress,
    ) -> Result<impl Fn(Box<dyn AudioReader>) -> Result<Rendered> + Send + Sync + use<>> {
        let placement = self.placement();
        let measured = self.measured(key, content, &chain, whole, progress)?;
        Ok(move |recording| Rendered::new(&chain, recording, &placement, &measured, Seeking::Preroll))
    }

    /// Returns what the effects of a chain need to know about the whole signal, cached or measured.
    fn measured(
        &self,
        key: &str,
        content: &str,
        chain: &Chain,
        whole: &mut dyn AudioReader,
        progress: &Progress,
    ) -> Result<MeasuredMap> {
        // Measurements belong to nodes, and a chain that sounds the same may have other nodes: an effect that was
        // removed and added again.
        let nodes: Vec<u32> = chain.walk().map(|node| node.id.0).collect();
        let key = format!("{key}|{nodes:?}");
        if let Some((_, known)) = lock(&self.measured).iter().find(|(of, _)| *of == key) {
            return Ok(known.clone());
        }
        let measured = measure_whole(chain, whole, content, &self.placement(), progress)?;
        let mut remembered = lock(&self.measured);
        if remembered.len() == REMEMBERED {
            remembered.pop_front();
        }
        remembered.push_back((key, measured.clone()));
        Ok(measured)
    }
}

/// Waits for a lock until `progress` is cancelled.
fn wait_for<'a>(turn: &'a Mutex<()>, progress: &Progress) -> Result<MutexGuard<'a, ()>> {
    loop {
        progress.check()?;
        match turn.try_lock() {
            Ok(held) => return Ok(held),
            Err(TryLockError::Poisoned(held)) => return Ok(held.into_inner()),
            Err(TryLockError::WouldBlock) => thread::sleep(LOOK_EVERY),
        }
    }
}
