//! Encodes waveforms as bytes, which a web view can draw without parsing.

use super::App;
use super::api::DocumentId;
use crate::error::Result;

impl App {
    /// Returns the peaks of frames `start..end` in `columns` columns. Little-endian: channels, columns and whether all
    /// columns are exact (1 or 0) as u32, and a reserved u32; then for each channel its minima, maxima and RMS values
    /// as f32. Columns that are not known yet are `NaN`.
    ///
    /// # Errors
    /// Returns an error if the document does not exist, the range is empty, there are too many columns, or the
    /// recording cannot be read.
    pub fn peaks(&self, document: DocumentId, start: f64, end: f64, columns: usize) -> Result<Vec<u8>> {
        let found = self.workspace.waveform(document)?.query(start, end, columns)?;
        let mut bytes = header(found.channels.len(), columns, u32::from(found.exact));
        for channel in &found.channels {
            for values in [&channel.min, &channel.max, &channel.rms] {
                bytes.extend_from_slice(bytemuck::cast_slice(values));
            }
        }
        Ok(bytes)
    }

    /// Returns the samples of frames `start..end`, fewer at the end of the document. Little-endian: channels and frames
    /// as u32, two reserved u32; then each channel's samples as f32.
    ///
    /// # Errors
    /// Returns an error if the document does not exist, the range is too long, or the recording cannot be read.
    pub fn samples(&self, document: DocumentId, start: u64, end: u64) -> Result<Vec<u8>> {
        let samples = self.workspace.waveform(document)?.samples(start, end)?;
        let mut bytes = header(samples.channels(), samples.frames(), 0);
        for channel in samples.iter() {
            bytes.extend_from_slice(bytemuck::cast_slice(channel));
        }
        Ok(bytes)
    }
}

// Every platform that this program supports is little-endian, and so is the web view.
fn header(channels: usize, length: usize, flag: u32) -> Vec<u8> {
    let words = [channels as u32, length as u32, flag, 0];
    bytemuck::cast_slice(&words).to_vec()
}
