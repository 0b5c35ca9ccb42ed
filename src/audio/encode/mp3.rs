//! Writes MP3 with LAME: an `ID3v2` tag, then the LAME tag, a frame that tells players how much to trim at both ends,
//! then the audio. LAME is LGPL, so this module needs the feature `mp3`.

use std::num::NonZeroU32;

use mp3lame_encoder::{
    Bitrate, BuildError, Builder, DualPcm, EncodeError, Encoder, FlushGap, Mode, MonoPcm, Quality, VbrMode,
    max_required_buffer_size,
};

use super::lossy::LossySettings;
use crate::audio::AudioFormat;
use crate::error::{Error, Result};
use crate::files::SafeFile;

/// The number of frames passed to LAME at once.
const BLOCK: usize = 1152 * 8;

/// Writes an MP3 stream to a file.
pub struct Mp3Writer {
    encoder: Encoder,
    channels: usize,
    /// The byte offset of the LAME tag, whose contents are known only at the end.
    lame_tag: u64,
    /// Pending samples. LAME receives blocks of constant size, whatever the caller's block sizes are.
    waiting: [Vec<f32>; 2],
}

fn not_built(error: BuildError) -> Error {
    Error::unsupported("MP3 of this rate, number of channels and quality", format!("Choose others. LAME says: {error}"))
}

fn not_encoded(error: EncodeError) -> Error {
    Error::Internal(format!("the MP3 encoder failed: {error}"))
}

fn quality(number: u8) -> Quality {
    use Quality::{Best, Decent, Good, NearBest, Nice, Ok, SecondBest, SecondWorst, VeryNice, Worst};
    [Best, SecondBest, NearBest, VeryNice, Nice, Good, Decent, Ok, SecondWorst, Worst][usize::from(number.min(9))]
}

fn bit_rate(kbps: u32) -> Bitrate {
    use Bitrate as B;
    match kbps {
        ..=8 => B::Kbps8,
        ..=16 => B::Kbps16,
        ..=24 => B::Kbps24,
        ..=32 => B::Kbps32,
        ..=40 => B::Kbps40,
        ..=48 => B::Kbps48,
        ..=64 => B::Kbps64,
        ..=80 => B::Kbps80,
        ..=96 => B::Kbps96,
        ..=112 => B::Kbps112,
        ..=128 => B::Kbps128,
        ..=160 => B::Kbps160,
        ..=192 => B::Kbps192,
        ..=224 => B::Kbps224,
        ..=256 => B::Kbps256,
        _ => B::Kbps320,
    }
}

impl Mp3Writer {
    /// Configures LAME and writes the `ID3v2` tag `id3`. The caller has checked settings and format.
    ///
    /// # Errors
    /// Returns [`Error::Unsupported`] if LAME refuses the configuration; [`Error::Io`] if writing fails.
    pub fn begin(file: &mut SafeFile, settings: &LossySettings, format: AudioFormat, id3: &[u8]) -> Result<Self> {
        let mut builder = Builder::new().ok_or_else(|| Error::Internal("LAME could not be started".into()))?;
        let rate = format.rate.hz();
        builder.set_sample_rate(rate).map_err(not_built)?;
        builder.set_output_sample_rate(NonZeroU32::new(rate)).map_err(not_built)?;
        builder.set_num_channels(format.channels as u8).map_err(not_built)?;
        builder.set_mode(if format.channels == 1 { Mode::Mono } else { Mode::JointStereo }).map_err(not_built)?;
        builder.set_quality(Quality::NearBest).map_err(not_built)?;
        if let Some(kbps) = settings.mp3_kbps {
            builder.set_vbr_mode(VbrMode::Off).map_err(not_built)?;
            builder.set_brate(bit_rate(kbps)).map_err(not_built)?;
        } else {
            builder.set_vbr_mode(VbrMode::Mtrh).map_err(not_built)?;
            builder.set_vbr_quality(quality(settings.mp3_quality)).map_err(not_built)?;
        }
        builder.set_to_write_vbr_tag(true).map_err(not_built)?;
        let encoder = builder.build().map_err(not_built)?;
        file.append(id3)?;
        Ok(Self { encoder, channels: format.channels, lame_tag: id3.len() as u64, waiting: Default::default() })
    }

    /// Appends planar samples.
    ///
    /// # Errors
    /// Returns [`Error::Io`] if writing fails; [`Error::Internal`] if LAME fails.
    pub fn append(&mut self, file: &mut SafeFile, channels: &[&[f32]]) -> Result<()> {
        for (waiting, channel) in self.waiting.iter_mut().zip(channels) {
            waiting.extend_from_slice(channel);
        }
        let whole = self.waiting[0].len() / BLOCK;
        for index in 0..whole {
            self.encode(file, index * BLOCK..(index + 1) * BLOCK)?;
        }
        let used = whole * BLOCK;
        self.waiting.iter_mut().take(self.channels).for_each(|waiting| drop(waiting.drain(..used)));
        Ok(())
    }

    fn encode(&mut self, file: &mut SafeFile, span: std::ops::Range<usize>) -> Result<()> {
        let mut out = Vec::with_capacity(max_required_buffer_size(span.len()));
        let [left, right] = &self.waiting;
        if self.channels == 1 {
            self.encoder.encode_to_vec(MonoPcm(&left[span]), &mut out)
        } else {
            self.encoder.encode_to_vec(DualPcm { left: &left[span.clone()], right: &right[span] }, &mut out)
        }
        .map_err(not_encoded)?;
        file.append(&out)
    }

    /// Encodes the pending samples and writes the LAME tag.
    ///
    /// # Errors
    /// As for [`Mp3Writer::append`].
    pub fn end(mut self, file: &mut SafeFile) -> Result<()> {
        let left = self.waiting[0].len();
        if left > 0 {
            self.encode(file, 0..left)?;
        }
        let mut out = Vec::with_capacity(max_required_buffer_size(BLOCK));
        self.encoder.flush_to_vec::<FlushGap>(&mut out).map_err(not_encoded)?;
        file.append(&out)?;
        let mut tag = Vec::with_capacity(self.encoder.lame_tag_size());
        if self.encoder.lame_tag_encode_to_vec(&mut tag).is_some() {
            file.patch(self.lame_tag, &tag)?;
        }
        Ok(())
    }
}
