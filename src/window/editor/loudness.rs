//! Loudness over time for both sides of open documents.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use super::spectrograms::SpectrogramTiles;
use crate::audio::AudioReader;
use crate::chain::passes;
use crate::error::{Error, Result};
use crate::lock::lock;
use crate::playback::Side;
use crate::progress::Progress;
use crate::view::loudness::LoudnessTrack;
use crate::window::App;
use crate::window::event::Event;
use crate::window::workspace::Workspace;
use crate::window::workspace::types::DocumentId;

/// The loudness curves, by document and side.
pub struct LoudnessTracks {
    workspace: Arc<Workspace>,
    spectrograms: Arc<SpectrogramTiles>,
    tracks: Mutex<HashMap<(DocumentId, Side), HeldLoudness>>,
    generations: AtomicU32,
}

struct HeldLoudness {
    /// Identifies the audio that is measured.
    key: String,
    generation: u32,
    track: LoudnessTrack,
}

impl LoudnessTracks {
    /// Creates an empty collection. The audio of a side is the audio of its spectrogram.
    pub fn new(workspace: Arc<Workspace>, spectrograms: Arc<SpectrogramTiles>) -> Self {
        Self { workspace, spectrograms, tracks: Mutex::default(), generations: AtomicU32::new(0) }
    }

    /// Removes the curves of a closed document.
    pub fn forget(&self, document: DocumentId) {
        lock(&self.tracks).retain(|(of, _), _| *of != document);
    }

    /// Cancels all measurements.
    pub fn stop_all(&self) {
        lock(&self.tracks).values().for_each(|held| held.track.cancel());
    }
}

impl App {
    /// Returns the part of a side's loudness over time that the caller does not have yet: the points from `from` on, if it
    /// has those before of this `generation` of the curve (0 for none). The measurement starts with the first call, and
    /// restarts when the audio has changed.
    ///
    /// The result is little-endian. 32-bit words: the curve's generation, the index of the first point that follows (0
    /// if the caller has another curve), the number of points that follow, whether everything is measured (1 or 0). As
    /// f32: the share that is done (0..=1), integrated loudness in LUFS, loudness range in LU, highest momentary and
    /// highest short-term loudness in LUFS (`NaN` if unknown), and seven reserved words. Then the momentary and the
    /// short-term loudness of the points in LUFS as f32, ten points a second.
    pub fn loudness(&self, document: DocumentId, side: Side, generation: u32, from: u32) -> Result<Vec<u8>> {
        let key = self.workspace.side(document, side)?.key;
        let mut tracks = lock(&self.loudness.tracks);
        let place = (document, side);
        let current = tracks.get(&place).is_some_and(|held| held.key == key && !held.track.is_cancelled());
        if !current {
            // Dropping the superseded track cancels its measurement.
            tracks.remove(&place);
            let held = self.loudness.start(document, side, key)?;
            tracks.insert(place, held);
        }
        let Some(held) = tracks.get(&place) else { return Err(Error::Internal("no track".to_owned())) };
        let state = held.track.state();
        if let Some(failure) = state.failure {
            return Err(Error::unsupported("Measuring this loudness", failure));
        }
        Ok(held.track.read(|curve| {
            let from = if generation == held.generation { (from as usize).min(curve.len()) } else { 0 };
            let summary = curve.summary();
            let number = |value: Option<f64>| value.map_or(f32::NAN, |value| value as f32).to_bits();
            let share = (state.share as f32).to_bits();
            let counts = [held.generation, from as u32, (curve.len() - from) as u32, u32::from(state.finished)];
            let values = [summary.integrated, summary.range, summary.max_momentary, summary.max_short_term].map(number);
            let mut bytes = bytemuck::cast_slice(&counts).to_vec();
            bytes.extend_from_slice(bytemuck::cast_slice(&[share]));
            bytes.extend_from_slice(bytemuck::cast_slice(&values));
            bytes.extend_from_slice(bytemuck::cast_slice(&[0u32; 7]));
            bytes.extend_from_slice(bytemuck::cast_slice(&curve.momentary()[from..]));
            bytes.extend_from_slice(bytemuck::cast_slice(&curve.short_term()[from..]));
            bytes
        }))
    }

    pub(in crate::window) fn cancel_loudness(&self, document: DocumentId) -> Result<()> {
        for ((of, _), held) in lock(&self.loudness.tracks).iter() {
            if *of == document && !held.track.state().finished {
                held.track.cancel();
            }
        }
        Ok(())
    }
}

impl LoudnessTracks {
    fn start(&self, document: DocumentId, side: Side, key: String) -> Result<HeldLoudness> {
        let generation = self.generations.fetch_add(1, Ordering::Relaxed) + 1;
        let host = Arc::clone(&self.workspace.host);
        let on_change = Box::new(move |_| host.emit(Event::Loudness { document, side, generation }));
        let (workspace, spectrograms) = (Arc::clone(&self.workspace), Arc::clone(&self.spectrograms));
        let wanted = key.clone();
        let open = move |progress: &Progress| open_side(&workspace, &spectrograms, (document, side), &wanted, progress);
        Ok(HeldLoudness { key, generation, track: LoudnessTrack::start(open, on_change)? })
    }
}

/// Opens a reader of one side of a document, in the state for which the key was made. Whole-signal measurements
/// that its effects need run first and are counted by `progress`.
fn open_side(
    workspace: &Workspace,
    spectrograms: &SpectrogramTiles,
    (id, side): (DocumentId, Side),
    key: &str,
    progress: &Progress,
) -> Result<Box<dyn AudioReader>> {
    let (readers, chain) = {
        let state = workspace.state();
        let open = state.document(id)?;
        (open.readers()?, open.document().chain.clone())
    };
    let reader = readers()?;
    let passes = if side == Side::Processed { passes(&chain, reader.as_ref())? } else { 0 };
    progress.set_total(reader.frames() * (1 + passes as u64));
    let source = spectrograms.source(id, side, progress)?;
    // The document was edited in the meantime. The caller that edited it asks again.
    if source.key() != key {
        return Err(Error::Cancelled);
    }
    // Measurements that another view has already made need no further work.
    progress.set_total(progress.snapshot().done + reader.frames());
    source.open()
}
