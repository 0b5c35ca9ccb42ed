//! The algorithmic delay of the file formats, without the containers' pages and without the time of computing.

use audio::AudioFormat;
use audio::encode::{EncodeSettings, Encoder, FileFormat};
use base::error::{Error, Result};

/// The frames of a FLAC block.
const FLAC_BLOCK: u64 = 4096;
/// Opus at 48 kHz: a packet of 20 ms, and the look-ahead of libopus (2.5 ms of the transform's overlap, 4 ms by which
/// the speech coder is delayed).
const OPUS_FRAMES: u64 = 960 + 312;
/// MP3: the delay of LAME's filter bank and that of any decoder's ("LAME technical FAQ"). The bit reservoir, which lets
/// a frame borrow from earlier ones, adds to it in a stream of constant rate.
const MP3_FILTERS: u64 = 576 + 529;
/// The rate from which on an MP3 frame has two granules of 576 frames, in Hz.
const MPEG1_HZ: u32 = 32_000;

/// Returns the delay in frames at the rate of `format`.
pub fn of_file(settings: &EncodeSettings, format: AudioFormat) -> Result<u64> {
    match settings.format {
        FileFormat::Wav => Ok(0),
        FileFormat::Flac => Ok(FLAC_BLOCK),
        FileFormat::Opus => Ok(OPUS_FRAMES),
        FileFormat::Mp3 => Ok(MP3_FILTERS + if format.rate.hz() >= MPEG1_HZ { 1152 } else { 576 }),
        FileFormat::Vorbis => vorbis_long_block(settings, format),
    }
}

/// Vorbis: a frame is complete when the next block, which overlaps it, is known: one long block later. The header of a
/// stream has the length, which depends on rate and quality.
fn vorbis_long_block(settings: &EncodeSettings, format: AudioFormat) -> Result<u64> {
    let (_, bytes) = Encoder::in_memory(settings, format)?.finish_in_memory()?;
    // A page header of one segment, then the identification header (Vorbis I, 4.2.2), whose 29th byte has the
    // logarithms of the two block lengths, the longer one in the upper half.
    let sizes = bytes.get(28..).filter(|packet| packet.starts_with(b"\x01vorbis")).and_then(|packet| packet.get(28));
    let long = sizes.map(|sizes| 1u64 << (sizes >> 4));
    long.ok_or_else(|| Error::Internal("a Vorbis stream without its first header".into()))
}
