//! Forecasts of a file before it is written: its size, and which tags it cannot hold.

use super::lossy::LossySettings;
use super::{EncodeSettings, FileFormat, wav};
use crate::markers::riff;
use crate::tags::{self, TagLimits, Tags};
use crate::{AudioFormat, MarkerList};

/// The size of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileSize {
    /// In bytes.
    pub bytes: u64,
    /// Whether it is exact. It is an estimate for coded audio, whose size depends on the sound.
    pub exact: bool,
}

/// The typical size of FLAC relative to PCM.
const FLAC_SHARE: f64 = 0.6;
/// The bit rates of Vorbis in kbit/s at the qualities -1, 0, ... 10, for stereo at 44.1 kHz (Xiph's nominal rates).
const VORBIS_KBPS: [f64; 12] = [45.0, 64.0, 80.0, 96.0, 112.0, 128.0, 160.0, 192.0, 224.0, 256.0, 320.0, 500.0];
/// The bit rates of MP3 in kbit/s at the qualities V0 to V9, for stereo at 44.1 kHz (LAME's documentation).
const MP3_KBPS: [f64; 10] = [245.0, 225.0, 190.0, 175.0, 165.0, 130.0, 115.0, 100.0, 85.0, 65.0];

/// Returns the size of a file of `frames` frames with these tags and markers.
pub fn size(
    settings: &EncodeSettings,
    format: AudioFormat,
    frames: u64,
    tags: &Tags,
    markers: &MarkerList,
) -> FileSize {
    let pcm = frames.saturating_mul((format.channels * settings.sample.bytes()) as u64);
    if settings.format == FileFormat::Wav {
        let tags = (tags::riff_chunks(tags).len() + tags::sound_chunks(tags).len()) as u64;
        let cues = riff::chunks(markers).len() as u64;
        let bytes = wav::header_bytes(settings.sample, format) + pcm + pcm % 2 + tags + cues;
        return FileSize { bytes, exact: true };
    }
    let texts: usize =
        tags.items.iter().map(|(name, text)| (name.len() + 8) * text.values().count() + text.len()).sum();
    // A chapter in Vorbis comments, or in ID3.
    let chapters: usize = markers.iter().map(|marker| marker.name.len() + 44).sum();
    let pictures: usize = tags.pictures.iter().map(|picture| picture.data.len()).sum();
    let seconds = format.rate.seconds_from_frames(frames);
    let sound = match settings.format {
        FileFormat::Wav | FileFormat::Flac => pcm as f64 * FLAC_SHARE,
        coded => seconds * kbps(coded, &settings.lossy, format) * 125.0,
    };
    // Pictures in Ogg are written in Base64.
    let ogg = matches!(settings.format, FileFormat::Vorbis | FileFormat::Opus);
    let pictures = if ogg { pictures / 3 * 4 } else { pictures };
    FileSize { bytes: sound.round() as u64 + (texts + chapters + pictures) as u64, exact: false }
}

/// Returns the usual bit rate of a lossy format in kbit/s.
fn kbps(kind: FileFormat, lossy: &LossySettings, format: AudioFormat) -> f64 {
    // The tables are for stereo at 44.1 kHz. A second channel costs less than the first one.
    let channels = if format.channels == 1 { 0.6 } else { format.channels as f64 / 2.0 };
    let scale = channels * (f64::from(format.rate.hz()) / 44_100.0).min(1.1);
    match kind {
        FileFormat::Opus => f64::from(lossy.opus_kbps(format.channels)),
        FileFormat::Vorbis => {
            let place = (lossy.vorbis_quality + 1.0).clamp(0.0, 11.0);
            let (below, share) = (place.floor() as usize, place.fract());
            let above = VORBIS_KBPS[(below + 1).min(11)];
            (VORBIS_KBPS[below] + share * (above - VORBIS_KBPS[below])) * scale
        }
        FileFormat::Mp3 => match lossy.mp3_kbps {
            Some(kbps) => f64::from(kbps),
            None => MP3_KBPS[usize::from(lossy.mp3_quality.min(9))] * scale,
        },
        FileFormat::Wav | FileFormat::Flac => 0.0,
    }
}

/// Returns, in words, which of `tags` a file of this format cannot hold, or holds where not every program looks.
pub fn tag_limits(format: FileFormat, tags: &Tags) -> Vec<String> {
    let TagLimits { mut lost, notes } = tags::limits_of(format, tags);
    lost.extend(notes);
    lost
}
