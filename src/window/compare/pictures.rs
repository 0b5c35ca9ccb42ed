//! Waveforms and spectrograms of versions and differences, as bytes.

use super::ComparePage;
use super::types::CompareSound;
use crate::error::Result;
use crate::lock::lock;
use crate::playback::Side;
use crate::progress::Progress;
use crate::window::App;
use crate::window::editor::pictures::{peaks_bytes, samples_bytes};
use crate::window::editor::spectrograms::SpectrogramTile;

impl App {
    /// Returns the peaks of frames `start..end` of a sound in `columns` columns, laid out as [`App::peaks`] does.
    pub fn compare_peaks(&self, sound: CompareSound, start: f64, end: f64, columns: usize) -> Result<Vec<u8>> {
        Ok(peaks_bytes(&self.compare.peaks_of(sound)?.query(start, end, columns)?, columns))
    }

    /// Returns the samples of frames `start..end` of a sound, laid out as [`App::samples`] does.
    pub fn compare_samples(&self, sound: CompareSound, start: u64, end: u64) -> Result<Vec<u8>> {
        Ok(samples_bytes(&self.compare.peaks_of(sound)?.samples(start, end)?))
    }

    /// Returns a run of tiles of one of two overlaid sounds, laid out as [`App::spectrogram`] does. The tile's side
    /// selects the sound.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`] if the tile's request was cancelled.
    pub fn compare_spectrogram(
        &self,
        original: CompareSound,
        processed: CompareSound,
        tile: SpectrogramTile,
    ) -> Result<Vec<u8>> {
        let progress = Progress::new();
        lock(&self.compare.tiles).insert(tile.request, progress.clone());
        let wanted = if tile.side == Side::Original { original } else { processed };
        let found = self
            .compare
            .sound(wanted)
            .and_then(|sound| self.spectrograms.tile_bytes(&sound.source, &tile.spec, &progress));
        lock(&self.compare.tiles).remove(&tile.request);
        found
    }
}

impl ComparePage {
    #[allow(clippy::unnecessary_wraps, reason = "commands give results")]
    pub(in crate::window) fn cancel_tiles(&self, requests: Vec<u32>) -> Result<()> {
        let running = lock(&self.tiles);
        for request in requests {
            if let Some(progress) = running.get(&request) {
                progress.cancel();
            }
        }
        Ok(())
    }
}
