//! The limits on markers in each format of audio file.

use super::{Marker, by_number, flac_cuesheet};
use crate::file_format::FileFormat;

/// Returns, in words, what of `markers` a file of this format does not hold.
pub fn file_limits(format: FileFormat, markers: &[Marker]) -> Vec<String> {
    let mut told = Vec::new();
    let mut tell = |count: usize, one, more| told.extend((count > 0).then(|| by_number(count, one, more)));
    let regions = markers.iter().filter(|marker| marker.end_frame.is_some()).count();
    let notes = markers.iter().filter(|marker| !marker.note.is_empty()).count();
    match format {
        FileFormat::Wav => {
            let beyond = markers.iter().filter(|marker| u32::try_from(marker.start_frame).is_err()).count();
            tell(
                beyond,
                "1 marker is not written: WAV has markers up to frame 4294967295.",
                "{} markers are not written: WAV has markers up to frame 4294967295.",
            );
        }
        FileFormat::Flac | FileFormat::Vorbis | FileFormat::Opus => {
            tell(
                regions,
                "The end of 1 region is not written: chapters have places only.",
                "The ends of {} regions are not written: chapters have places only.",
            );
            tell(
                notes,
                "The comment of 1 marker is not written: chapters have names only.",
                "The comments of {} markers are not written: chapters have names only.",
            );
            let more = markers.len().saturating_sub(super::chapters::MAX_CHAPTERS);
            tell(
                more,
                "1 marker is not written: a file has up to 1000 chapters.",
                "{} markers are not written: a file has up to 1000 chapters.",
            );
            let coarse = format == FileFormat::Flac && markers.len() > flac_cuesheet::MAX_TRACKS;
            let all = "{} markers are written to the millisecond only: a FLAC cue sheet has up to 254.";
            tell(usize::from(coarse) * markers.len(), all, all);
        }
        FileFormat::Mp3 => {
            let more = markers.len().saturating_sub(super::id3::MAX_CHAPTERS);
            tell(
                more,
                "1 marker is not written: an MP3 file has up to 255 chapters.",
                "{} markers are not written: an MP3 file has up to 255 chapters.",
            );
        }
    }
    let bands = markers.iter().filter(|marker| marker.band_hz.is_some()).count();
    let performers = markers.iter().filter(|marker| !marker.performer.is_empty()).count();
    tell(bands, "The frequencies of 1 marker are not written.", "The frequencies of {} markers are not written.");
    tell(performers, "The performer of 1 marker is not written.", "The performers of {} markers are not written.");
    told
}
