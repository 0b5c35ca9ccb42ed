//! Replaces single fields in the tags of an existing file. Only the bytes of these fields change, with what counts them:
//! all other frames, comments, items and chunks stay as they are, whatever is in them. The caller verifies the result:
//! the file to edit is always a copy.

mod chunks;
mod comments;
mod flac;
mod id3;
mod mp4;
mod ogg;
mod splice;

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use crate::FileInfo;
use crate::guarded::guarded;
use crate::source::{FileWindow, SourceFile};
use base::error::{Error, Result};

/// The largest file that is edited, in bytes.
const MAX_BYTES: u64 = 2 << 30;

/// The kinds of files whose tags can be edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagFormat {
    /// FLAC: Vorbis comments.
    Flac,
    /// MP3: an `ID3v2` tag.
    Mp3,
    /// MP4 and M4A: the iTunes list.
    Mp4,
    /// Ogg Vorbis: Vorbis comments.
    Vorbis,
    /// Ogg Opus: Vorbis comments.
    Opus,
    /// FLAC in Ogg: Vorbis comments.
    OggFlac,
    /// WAV: an `ID3v2` chunk.
    Wav,
    /// AIFF: an `ID3v2` chunk.
    Aiff,
}

impl TagFormat {
    /// Returns the kind of a file; `None` if its tags cannot be edited.
    pub fn of(info: &FileInfo) -> Option<Self> {
        Some(match (info.format.as_str(), info.codec.as_str()) {
            ("FLAC", _) => Self::Flac,
            ("MP3", _) => Self::Mp3,
            ("MP4", _) => Self::Mp4,
            ("Ogg", "Vorbis") => Self::Vorbis,
            ("Ogg", "Opus") => Self::Opus,
            ("Ogg", codec) if codec.starts_with("FLAC") => Self::OggFlac,
            ("WAV", _) => Self::Wav,
            ("AIFF" | "AIFF-C", _) => Self::Aiff,
            _ => return None,
        })
    }

    /// Returns whether the format has only whole numbers for the tempo.
    pub fn has_whole_tempo(self) -> bool {
        !matches!(self, Self::Flac | Self::Vorbis | Self::Opus | Self::OggFlac)
    }
}

/// A field that can be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EditedTag {
    /// The musical key at the beginning.
    InitialKey,
    /// Beats per minute.
    Bpm,
    /// The gain of `ReplayGain`.
    TrackGain,
    /// The peak of `ReplayGain`.
    TrackPeak,
    /// The gain of Opus files (RFC 7845).
    R128TrackGain,
    /// The gain of `ReplayGain` for the whole album.
    AlbumGain,
    /// The peak of `ReplayGain` for the whole album.
    AlbumPeak,
    /// The gain of Opus files for the whole album.
    R128AlbumGain,
}

impl EditedTag {
    /// Returns the field's name in [`super::Tags::items`].
    pub fn name(self) -> &'static str {
        match self {
            Self::InitialKey => "INITIALKEY",
            Self::Bpm => "BPM",
            Self::TrackGain => "REPLAYGAIN_TRACK_GAIN",
            Self::TrackPeak => "REPLAYGAIN_TRACK_PEAK",
            Self::R128TrackGain => "R128_TRACK_GAIN",
            Self::AlbumGain => "REPLAYGAIN_ALBUM_GAIN",
            Self::AlbumPeak => "REPLAYGAIN_ALBUM_PEAK",
            Self::R128AlbumGain => "R128_ALBUM_GAIN",
        }
    }

    /// Returns the `ID3v2` frame that the field has to itself, if any. The others are user texts.
    pub fn id3_frame(self) -> Option<&'static str> {
        match self {
            Self::InitialKey => Some("TKEY"),
            Self::Bpm => Some("TBPM"),
            _ => None,
        }
    }

    /// Returns the name within the free fields of iTunes.
    fn itunes_name(self) -> &'static str {
        match self {
            Self::InitialKey => "initialkey",
            Self::Bpm => "BPM",
            Self::TrackGain => "replaygain_track_gain",
            Self::TrackPeak => "replaygain_track_peak",
            Self::R128TrackGain => "r128_track_gain",
            Self::AlbumGain => "replaygain_album_gain",
            Self::AlbumPeak => "replaygain_album_peak",
            Self::R128AlbumGain => "r128_album_gain",
        }
    }
}

/// Replaces fields in the file at `path`, which must be of this format. All values are ASCII. On failure the file may
/// be damaged.
///
/// # Errors
/// [`Error::Unsupported`] for a file that is built in an unusual way; [`Error::Limit`] for a file over 2 GiB.
pub fn edit(path: &Path, format: TagFormat, fields: &[(EditedTag, String)]) -> Result<()> {
    let failed = |source| Error::io("write the tags of", path, source);
    let mut file = File::options().read(true).write(true).open(path).map_err(failed)?;
    let bytes = file.metadata().map_err(failed)?.len();
    if bytes > MAX_BYTES {
        let (got, limit) = (format!("{bytes} bytes"), format!("{MAX_BYTES} bytes"));
        return Err(Error::Limit { what: "the size of a file whose tags are written".into(), got, limit });
    }
    // Reads the file as it was.
    let source = Arc::new(SourceFile::open(path)?);
    let edited = guarded(|| {
        let edit = Edit { file: &mut file, window: FileWindow::new(&source), fields };
        match format {
            TagFormat::Flac => flac::edit(edit),
            TagFormat::Vorbis | TagFormat::Opus | TagFormat::OggFlac => ogg::edit(edit),
            TagFormat::Mp4 => mp4::edit(edit),
            TagFormat::Mp3 => id3::edit(edit),
            TagFormat::Wav => chunks::edit(edit, false),
            TagFormat::Aiff => chunks::edit(edit, true),
        }
    });
    match edited {
        Some(Ok(())) => Ok(()),
        Some(Err(Stop::Unusual(reason))) => Err(Error::unsupported("Writing tags into this file", reason)),
        Some(Err(Stop::Failed(error))) => Err(error),
        Some(Err(Stop::Io(error))) => Err(failed(error)),
        None => Err(Error::unsupported("Writing tags into this file", UNUSUAL)),
    }
}

/// An edit of a file.
struct Edit<'a> {
    /// The file, to write to.
    file: &'a mut File,
    /// The file, as it is before anything is written.
    window: FileWindow,
    fields: &'a [(EditedTag, String)],
}

/// Why an edit stopped.
enum Stop {
    /// The file is built in a way that this does not change.
    Unusual(&'static str),
    Failed(Error),
    Io(std::io::Error),
}

/// The reason for a file that is not built as its format says.
const UNUSUAL: &str = "Its tags are built in an unusual way";

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}
