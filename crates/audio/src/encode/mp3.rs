//! Writes MP3 with LAME ([`super::lame`]): an `ID3v2` tag, then the LAME tag, a frame that tells players how much to trim
//! at both ends, then the audio.

use super::lame::{Lame, LameEncoder};
use super::lossy::LossySettings;
use super::output::EncodeOutput;
use crate::AudioFormat;
use base::error::Result;

/// The number of frames passed to LAME at once.
const BLOCK: usize = 1152 * 8;

/// Writes an MP3 stream to a file.
pub struct Mp3Writer {
    encoder: LameEncoder,
    /// The byte offset of the LAME tag, whose contents are known only at the end.
    lame_tag: u64,
    /// Pending samples, a plane per channel. LAME receives blocks of constant size, whatever the caller's block sizes
    /// are.
    waiting: Vec<Vec<f32>>,
}

impl Mp3Writer {
    /// Configures LAME and writes the `ID3v2` tag `id3`. The caller has checked settings and format.
    pub fn begin(file: &mut EncodeOutput, settings: &LossySettings, format: AudioFormat, id3: &[u8]) -> Result<Self> {
        let encoder = Lame::get()?.encoder(settings, format)?;
        file.append(id3)?;
        Ok(Self { encoder, lame_tag: id3.len() as u64, waiting: vec![Vec::new(); format.channels] })
    }

    /// Appends planar samples.
    pub fn append(&mut self, file: &mut EncodeOutput, channels: &[&[f32]]) -> Result<()> {
        for (waiting, channel) in self.waiting.iter_mut().zip(channels) {
            waiting.extend_from_slice(channel);
        }
        let used = self.pending() / BLOCK * BLOCK;
        for start in (0..used).step_by(BLOCK) {
            self.encode(file, start..start + BLOCK)?;
        }
        self.waiting.iter_mut().for_each(|waiting| drop(waiting.drain(..used)));
        Ok(())
    }

    fn pending(&self) -> usize {
        self.waiting.first().map_or(0, Vec::len)
    }

    fn encode(&mut self, file: &mut EncodeOutput, span: std::ops::Range<usize>) -> Result<()> {
        let planes: Vec<&[f32]> = self.waiting.iter().map(|waiting| &waiting[span.clone()]).collect();
        let mut out = Vec::new();
        self.encoder.encode(&planes, &mut out)?;
        file.append(&out)
    }

    /// Encodes the pending samples and writes the LAME tag.
    pub fn end(mut self, file: &mut EncodeOutput) -> Result<()> {
        let left = self.pending();
        if left > 0 {
            self.encode(file, 0..left)?;
        }
        let mut out = Vec::new();
        self.encoder.flush(&mut out)?;
        file.append(&out)?;
        let tag = self.encoder.tag();
        if tag.is_empty() { Ok(()) } else { file.patch(self.lame_tag, &tag) }
    }
}
