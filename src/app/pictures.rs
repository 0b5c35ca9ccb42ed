//! Waveforms as bytes, for a web view to draw without parsing.

use super::App;
use super::api::DocumentId;
use crate::error::Result;

impl App {
    /// Peaks of frames `start..end` in so many columns. Little-endian: channels, columns and whether all is exact (1 or
    /// 0) as u32, a reserved u32; then for each channel its minima, maxima and RMS values as f32. Columns of which
    /// nothing is known yet are not numbers.
    ///
    /// # Errors
    /// An unknown document, an empty range, too many columns, or a recording that cannot be read.
    pub fn peaks(&self, document: DocumentId, start: f64, end: f64, columns: usize) -> Result<Vec<u8>> {
        let found = self.shared.waveform(document)?.query(start, end, columns)?;
        let mut bytes = header(found.channels.len(), columns, u32::from(found.exact));
        for channel in &found.channels {
            for values in [&channel.min, &channel.max, &channel.rms] {
                bytes.extend_from_slice(bytemuck::cast_slice(values));
            }
        }
        Ok(bytes)
    }

    /// The samples of frames `start..end`, fewer where the document ends. Little-endian: channels and frames as u32,
    /// two reserved u32; then each channel's samples as f32.
    ///
    /// # Errors
    /// An unknown document, too long a range, or a recording that cannot be read.
    pub fn samples(&self, document: DocumentId, start: u64, end: u64) -> Result<Vec<u8>> {
        let samples = self.shared.waveform(document)?.samples(start, end)?;
        let mut bytes = header(samples.channels(), samples.frames(), 0);
        for channel in samples.iter() {
            bytes.extend_from_slice(bytemuck::cast_slice(channel));
        }
        Ok(bytes)
    }
}

// Every platform this program runs on is little-endian, and so is the web view.
fn header(channels: usize, length: usize, flag: u32) -> Vec<u8> {
    let words = [channels as u32, length as u32, flag, 0];
    bytemuck::cast_slice(&words).to_vec()
}
