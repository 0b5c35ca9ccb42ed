//! Replaces single fields in the tags of an existing file and keeps everything else. Written with lofty, whose result
//! the caller must verify, since it rewrites whole tags: the file to edit is always a copy.

use std::borrow::Cow;
use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::Path;

use lofty::TextEncoding;
use lofty::config::{ParseOptions, WriteOptions};
use lofty::file::AudioFile as _;
use lofty::flac::FlacFile;
use lofty::id3::v2::{ExtendedTextFrame, Frame, FrameId, Id3v2Tag, Id3v2Version, TextInformationFrame};
use lofty::iff::aiff::AiffFile;
use lofty::iff::wav::WavFile;
use lofty::mp4::{Atom, AtomData, AtomIdent, DataType, Ilst, Mp4File};
use lofty::mpeg::MpegFile;
use lofty::ogg::tag::VorbisComments;
use lofty::ogg::{OpusFile, VorbisFile};
use lofty::tag::TagExt;

use crate::FileInfo;
use crate::guarded::guarded;
use base::error::{Error, Result};

/// The largest file that is edited, in bytes. Some formats are rewritten in memory.
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
            ("WAV", _) => Self::Wav,
            ("AIFF" | "AIFF-C", _) => Self::Aiff,
            _ => return None,
        })
    }

    /// Returns whether the format has only whole numbers for the tempo.
    pub fn has_whole_tempo(self) -> bool {
        !matches!(self, Self::Flac | Self::Vorbis | Self::Opus)
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
/// [`Error::Unsupported`] for tags that cannot be rewritten without loss; [`Error::Limit`] for a file over 2 GiB.
pub fn edit(path: &Path, format: TagFormat, fields: &[(EditedTag, String)]) -> Result<()> {
    let failed = |source| Error::io("write the tags of", path, source);
    let mut file = File::options().read(true).write(true).open(path).map_err(failed)?;
    let bytes = file.metadata().map_err(failed)?.len();
    if bytes > MAX_BYTES {
        let (got, limit) = (format!("{bytes} bytes"), format!("{MAX_BYTES} bytes"));
        return Err(Error::Limit { what: "the size of a file whose tags are written".into(), got, limit });
    }
    let edited = guarded(|| match format {
        TagFormat::Flac => flac(&mut file, fields),
        TagFormat::Vorbis | TagFormat::Opus => ogg(&mut file, format, fields),
        TagFormat::Mp4 => mp4(&mut file, fields),
        TagFormat::Mp3 | TagFormat::Wav | TagFormat::Aiff => id3(&mut file, format, fields),
    });
    match edited {
        Some(Ok(())) => Ok(()),
        Some(Err(Stop::Lossy(reason))) => Err(Error::unsupported("Writing tags into this file", reason)),
        Some(Err(Stop::Lofty(error))) => Err(failed(std::io::Error::other(error))),
        Some(Err(Stop::Io(error))) => Err(failed(error)),
        None => Err(Error::unsupported("Writing tags into this file", "Its tags are built in an unusual way")),
    }
}

/// Why an edit stopped.
enum Stop {
    /// It would lose something.
    Lossy(&'static str),
    /// An error message from lofty.
    Lofty(String),
    Io(std::io::Error),
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

fn lofty(error: impl std::fmt::Display) -> Stop {
    Stop::Lofty(error.to_string())
}

/// Fields are read as they are, not converted to newer versions.
fn parse_options() -> ParseOptions {
    ParseOptions::new().read_properties(false).implicit_conversions(false)
}

fn flac(file: &mut File, fields: &[(EditedTag, String)]) -> Result<(), Stop> {
    let mut flac = FlacFile::read_from(file, parse_options()).map_err(lofty)?;
    // An ID3 tag in front stays as it is.
    flac.remove_id3v2();
    let mut comments = flac.remove_vorbis_comments().unwrap_or_default();
    replace_comments(&mut comments, fields);
    flac.set_vorbis_comments(comments);
    file.seek(SeekFrom::Start(0))?;
    flac.save_to(file, WriteOptions::default()).map_err(lofty)
}

fn ogg(file: &mut File, format: TagFormat, fields: &[(EditedTag, String)]) -> Result<(), Stop> {
    let mut comments = match format {
        TagFormat::Opus => OpusFile::read_from(file, parse_options()).map_err(lofty)?.vorbis_comments().clone(),
        _ => VorbisFile::read_from(file, parse_options()).map_err(lofty)?.vorbis_comments().clone(),
    };
    replace_comments(&mut comments, fields);
    file.seek(SeekFrom::Start(0))?;
    // Padding would fill a whole page of 64 KiB.
    comments.save_to(file, WriteOptions::default().preferred_padding(0)).map_err(lofty)
}

/// Replaces comments in place, so that the order of all others stays.
fn replace_comments(comments: &mut VorbisComments, fields: &[(EditedTag, String)]) {
    let former: Vec<(String, String)> = comments.take_items().collect();
    let mut left: Vec<&(EditedTag, String)> = fields.iter().collect();
    for (key, value) in former {
        if !fields.iter().any(|(tag, _)| tag.name().eq_ignore_ascii_case(&key)) {
            comments.push(key, value);
        } else if let Some(at) = left.iter().position(|(tag, _)| tag.name().eq_ignore_ascii_case(&key)) {
            comments.push(key, left.remove(at).1.clone());
        }
    }
    for (tag, value) in left {
        comments.push(tag.name().to_owned(), value.clone());
    }
}

fn id3(file: &mut File, format: TagFormat, fields: &[(EditedTag, String)]) -> Result<(), Stop> {
    let options = parse_options();
    let known = match format {
        TagFormat::Wav => WavFile::read_from(file, options).map_err(lofty)?.remove_id3v2(),
        TagFormat::Aiff => AiffFile::read_from(file, options).map_err(lofty)?.remove_id3v2(),
        _ => MpegFile::read_from(file, options).map_err(lofty)?.remove_id3v2(),
    };
    let mut tag = known.unwrap_or_default();
    if tag.original_version() == Id3v2Version::V2 {
        return Err(Stop::Lossy("Its ID3 tag is of version 2.2, which cannot be rewritten without loss"));
    }
    let version_3 = tag.original_version() == Id3v2Version::V3;
    replace_frames(&mut tag, fields);
    file.seek(SeekFrom::Start(0))?;
    let mut writing = WriteOptions::default();
    tag.save_to(file, writing.use_id3v23(version_3).lossy_text_encoding(false).parse_options(options)).map_err(lofty)
}

fn replace_frames(tag: &mut Id3v2Tag, fields: &[(EditedTag, String)]) {
    let is_replaced = |id: &str, description: Option<&str>| {
        fields.iter().any(|(tag, _)| match description {
            Some(description) => tag.name().eq_ignore_ascii_case(description),
            None => tag.id3_frame() == Some(id),
        })
    };
    tag.retain(|frame| match frame {
        Frame::UserText(text) => !is_replaced("TXXX", Some(&text.description)),
        _ => !is_replaced(frame.id_str(), None),
    });
    for (field, value) in fields {
        // Version 2.3 has no UTF-8; all values are ASCII.
        let encoding = TextEncoding::Latin1;
        tag.insert(match field.id3_frame() {
            Some(id) => {
                let id = FrameId::Valid(Cow::Borrowed(id));
                Frame::Text(TextInformationFrame::new(id, encoding, value.clone()))
            }
            None => Frame::UserText(ExtendedTextFrame::new(encoding, field.name(), value.clone())),
        });
    }
}

const ITUNES: &str = "com.apple.iTunes";

fn mp4(file: &mut File, fields: &[(EditedTag, String)]) -> Result<(), Stop> {
    let mut list = Mp4File::read_from(file, parse_options()).map_err(lofty)?.remove_ilst().unwrap_or_default();
    replace_atoms(&mut list, fields)?;
    file.seek(SeekFrom::Start(0))?;
    let mut writing = WriteOptions::default();
    list.save_to(file, writing.parse_options(parse_options())).map_err(lofty)
}

fn replace_atoms(list: &mut Ilst, fields: &[(EditedTag, String)]) -> Result<(), Stop> {
    list.retain(|atom| {
        !fields.iter().any(|(tag, _)| match atom.ident() {
            AtomIdent::Fourcc(code) => *tag == EditedTag::Bpm && code == b"tmpo",
            AtomIdent::Freeform { name, .. } => tag.itunes_name().eq_ignore_ascii_case(name),
        })
    });
    for (tag, value) in fields {
        let atom = if *tag == EditedTag::Bpm {
            let bpm: u16 = value.parse().map_err(|_| Stop::Lossy("Its format has whole numbers for the tempo"))?;
            let data = AtomData::Unknown { code: DataType::BeSignedInteger, data: bpm.to_be_bytes().to_vec() };
            Atom::new(AtomIdent::Fourcc(*b"tmpo"), data)
        } else {
            let ident = AtomIdent::Freeform { mean: ITUNES.into(), name: tag.itunes_name().into() };
            Atom::new(ident, AtomData::UTF8(value.clone()))
        };
        list.insert(atom);
    }
    Ok(())
}
