//! Loudness over time of both sides of open documents.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use super::App;
use super::api::{DocumentId, Event, LoudnessQuery, LoudnessView, Side};
use super::state::{Shared, lock};
use crate::audio::AudioReader;
use crate::chain::passes;
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::view::loudness::{LoudnessTrack, TrackState};

/// The curve of each side of each document.
#[derive(Default)]
pub struct LoudnessTracks {
    tracks: Mutex<HashMap<(DocumentId, Side), Held>>,
    generations: AtomicU32,
}

struct Held {
    /// What stands for the sound that is measured.
    key: String,
    generation: u32,
    track: LoudnessTrack,
}

impl LoudnessTracks {
    /// Forgets a document that is closed.
    pub fn forget(&self, document: DocumentId) {
        lock(&self.tracks).retain(|(of, _), _| *of != document);
    }

    /// Ends what is being measured.
    pub fn stop_all(&self) {
        lock(&self.tracks).values().for_each(|held| held.track.cancel());
    }
}

impl App {
    /// The part of a side's loudness over time that the asker does not have yet; the measurement begins with the first
    /// question, and anew where the sound is another one by now. Little-endian words of 32 bits: the curve's number, the
    /// first point that follows (0 where the curve is another one than the asker's), how many follow, whether all is
    /// measured (1 or 0); as f32 the share that is done, integrated loudness, loudness range, highest momentary and
    /// highest short-term loudness - not numbers where there is none - and seven reserved words. Then the momentary and
    /// the short-term loudness of the points in LUFS as f32, ten a second.
    ///
    /// # Errors
    /// An unknown document, a recording that cannot be read or measured.
    pub fn loudness(&self, document: DocumentId, query: LoudnessQuery) -> Result<Vec<u8>> {
        let shared = &self.shared;
        let key = shared.side_key(document, query.side)?;
        let mut tracks = lock(&shared.loudness.tracks);
        let place = (document, query.side);
        let current = tracks.get(&place).is_some_and(|held| held.key == key && !held.track.is_cancelled());
        if !current {
            // What is superseded ends as it is dropped.
            tracks.remove(&place);
            let held = start(shared, document, query.side, key)?;
            tracks.insert(place, held);
        }
        let Some(held) = tracks.get(&place) else { return Err(Error::Internal("no track".to_owned())) };
        let state = held.track.state();
        if let Some(failure) = state.failure {
            return Err(Error::unsupported("measuring this sound's loudness over time", failure));
        }
        Ok(held.track.read(|curve| {
            let from = if query.generation == held.generation { (query.from as usize).min(curve.len()) } else { 0 };
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

    pub(super) fn stop_loudness(&self, document: DocumentId) -> Result<()> {
        for ((of, _), held) in lock(&self.shared.loudness.tracks).iter() {
            if *of == document && !held.track.state().finished {
                held.track.cancel();
            }
        }
        Ok(())
    }
}

fn start(shared: &Arc<Shared>, document: DocumentId, side: Side, key: String) -> Result<Held> {
    let generation = shared.loudness.generations.fetch_add(1, Ordering::Relaxed) + 1;
    let host = Arc::clone(&shared.host);
    let on_change = Box::new(move |state: TrackState| {
        let TrackState { share, points, finished, failure } = state;
        let loudness = LoudnessView { generation, share, points, finished, failure };
        host.emit(Event::Loudness { document, side, loudness });
    });
    let (opener, wanted) = (Arc::clone(shared), key.clone());
    let open = move |progress: &Progress| opener.open_side(document, side, &wanted, progress);
    Ok(Held { key, generation, track: LoudnessTrack::start(open, on_change)? })
}

impl Shared {
    /// A reader of one side of a document as it was when the key was made; what effects ask of the whole signal is
    /// measured first, as part of the work that the progress counts.
    fn open_side(&self, id: DocumentId, side: Side, key: &str, progress: &Progress) -> Result<Box<dyn AudioReader>> {
        let (readers, chain) = {
            let state = self.state();
            let open = state.document(id)?;
            (open.readers()?, open.document().chain.clone())
        };
        let reader = readers()?;
        let passes = if side == Side::Processed { passes(&chain, reader.as_ref())? } else { 0 };
        progress.set_total(reader.frames() * (1 + passes as u64));
        let source = self.spectrogram_source(id, side, progress)?;
        // Another edit came in between; who made it asks again.
        if source.key() != key {
            return Err(Error::Cancelled);
        }
        // What was measured before, for another view, is no work any more.
        progress.set_total(progress.snapshot().done + reader.frames());
        source.open()
    }
}
