//! Encodes waveforms as bytes, which a web view can draw without parsing.

use crate::audio::AudioBuffer;
use crate::error::Result;
use crate::playback::Side;
use crate::view::peaks::PeakColumns;
use crate::window::App;
use crate::window::workspace::types::DocumentId;

/// The kinds of columns in an answer: estimated, exact, or read before the waveform's builder reaches them.
const ESTIMATED: u32 = 0;
const EXACT: u32 = 1;
const AHEAD: u32 = 2;

impl App {
    /// Returns the peaks of frames `start..end` of one side in `columns` columns. Little-endian, as u32: channels,
    /// columns, and 1 if all columns are exact, 2 if some were rendered ahead of the rest and are accurate to about
    /// -120 dB, otherwise 0, and a reserved u32; then for each channel its minima, maxima and RMS values as f32.
    /// Columns that are not known yet are `NaN`.
    ///
    /// # Errors
    /// [`crate::Error::Invalid`] for an empty range or more than 16,384 columns; [`crate::Error::Unsupported`] if the
    /// chain stretches time.
    pub fn peaks(&self, document: DocumentId, side: Side, start: f64, end: f64, columns: usize) -> Result<Vec<u8>> {
        Ok(peaks_bytes(&self.waveforms.of(document, side)?.query(start, end, columns)?, columns))
    }

    /// Returns the samples of frames `start..end` of one side, fewer at the end of the document. Little-endian, as u32:
    /// channels, frames, whether they are known (0 with no frames while the chain is still being measured), and a
    /// reserved u32; then each channel's samples as f32.
    ///
    /// # Errors
    /// [`crate::Error::Limit`] for more than 4,194,304 frames; [`crate::Error::Unsupported`] if the chain stretches
    /// time.
    pub fn samples(&self, document: DocumentId, side: Side, start: u64, end: u64) -> Result<Vec<u8>> {
        let waveform = self.waveforms.of(document, side)?;
        if !waveform.is_ready() {
            return Ok(header(0, 0, 0));
        }
        Ok(samples_bytes(&waveform.samples(start, end)?))
    }
}

/// Lays out samples as described at [`App::samples`].
pub(in crate::window) fn samples_bytes(samples: &AudioBuffer) -> Vec<u8> {
    let mut bytes = header(samples.channels(), samples.frames(), 1);
    for channel in samples.iter() {
        bytes.extend_from_slice(bytemuck::cast_slice(channel));
    }
    bytes
}

// Every platform that this program supports is little-endian, and so is the web view.
fn header(channels: usize, length: usize, flag: u32) -> Vec<u8> {
    let words = [channels as u32, length as u32, flag, 0];
    bytemuck::cast_slice(&words).to_vec()
}

/// Lays out columns of peaks as described at [`App::peaks`].
pub(in crate::window) fn peaks_bytes(found: &PeakColumns, columns: usize) -> Vec<u8> {
    let quality = match (found.exact, found.ahead) {
        (true, _) => EXACT,
        (false, true) => AHEAD,
        (false, false) => ESTIMATED,
    };
    let mut bytes = header(found.channels.len(), columns, quality);
    for channel in &found.channels {
        for values in [&channel.min, &channel.max, &channel.rms] {
            bytes.extend_from_slice(bytemuck::cast_slice(values));
        }
    }
    bytes
}
