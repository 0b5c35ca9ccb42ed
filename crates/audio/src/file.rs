//! A recording on disk.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::flac::{CHANNEL_MASK, mask_of};
use super::probed::ProbedFile;
use super::source::{FileWindow, SourceFile};
use super::tags::{self, Tags};
use super::{AudioFormat, AudioReader, Layout, MarkerList, is_lossless, probe, unread};
use base::blocking::may_block;
use base::declared::TS;
use base::error::Result;

/// The version of how files are read: one more whenever a file may have another length, other channels, tags or warnings
/// than before, or can be opened at all.
pub const READING_VERSION: u32 = 1;

/// An opened and probed recording, which creates readers. Cheap to clone; clones share the open file.
#[derive(Clone, Debug)]
pub struct AudioFile(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    source: Arc<SourceFile>,
    info: FileInfo,
    markers: MarkerList,
    opened: ProbedFile,
}

/// The properties of a recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct FileInfo {
    /// The container, for example "WAV", "FLAC" or "MP4".
    pub format: String,
    /// The codec, for example "PCM 16 bit" or "MP3".
    pub codec: String,
    /// Bits per stored sample, for codecs that define it.
    pub bits: Option<u32>,
    /// Sample rate and channels.
    pub audio: AudioFormat,
    /// The exact length in frames, without encoder delay and padding.
    #[ts(type = "number")]
    pub frames: u64,
    /// The tags: title, artist and others, and pictures.
    pub tags: Tags,
    /// The size of the file in bytes.
    #[ts(type = "number")]
    pub bytes: u64,
    /// Human-readable warnings about damaged or skipped parts.
    pub warnings: Vec<String>,
}

impl AudioFile {
    /// Opens the recording at `path`: detects the format from its content, counts the frames exactly and reads
    /// tags and markers. Nothing is decoded, and only indexes are kept in memory.
    ///
    /// # Errors
    /// [`base::error::Error::Malformed`] if the file is empty, not a regular file, not audio, or too damaged to use;
    /// [`base::error::Error::Unsupported`] if there is no decoder for its format; [`base::error::Error::Limit`] if its
    /// headers exceed the limits for a real recording.
    pub fn open(path: &Path) -> Result<Self> {
        may_block("a recording");
        Self::probe(SourceFile::open(path)?)
    }

    /// Opens the contents of a file that is held in memory. `name` stands for its path in messages.
    pub fn from_bytes(bytes: impl Into<Arc<[u8]>>, name: &Path) -> Result<Self> {
        Self::probe(SourceFile::from_bytes(bytes.into(), name)?)
    }

    fn probe(source: SourceFile) -> Result<Self> {
        let mut source = Arc::new(source);
        let origin = probe::origin(&source)?;
        if origin > 0 {
            source = Arc::new(source.starting_at(origin));
        }
        let opened = probe::open(&source)?;
        opened.body.check()?;
        let mut warnings = opened.warnings.clone();
        if opened.bits.is_some_and(|bits| bits > 24)
            && is_lossless(&opened.codec)
            && !opened.codec.contains("32 bit float")
        {
            warnings.push("Its samples are processed as 32-bit floating point, with 24 bits of precision.".to_owned());
        }
        if let Some(read_to) = opened.read_to {
            warnings.extend(unread::warning(&mut FileWindow::new(&source), read_to)?);
        }
        let (mut tags, markers) = tags::read(&source, &opened, &mut warnings);
        // This field is about the channels, not a tag: it must not reach a file of another layout.
        let mask = tags.items.remove(CHANNEL_MASK);
        let stated =
            mask.filter(|_| opened.codec.starts_with("FLAC")).and_then(|mask| Layout::from_mask(mask_of(&mask)?));
        let opened = opened.arranged(stated.map(|layout| (layout, Vec::new())));
        let info = FileInfo {
            format: opened.format.clone(),
            codec: opened.codec.clone(),
            bits: opened.bits,
            audio: opened.audio,
            frames: opened.frames,
            tags,
            bytes: origin + source.bytes(),
            warnings,
        };
        Ok(Self(Arc::new(Inner { source, info, markers, opened })))
    }

    /// Returns the properties of the recording.
    pub fn info(&self) -> &FileInfo {
        &self.0.info
    }

    /// Returns the markers that the file has, at frames of its sample rate.
    pub fn markers(&self) -> &MarkerList {
        &self.0.markers
    }

    /// Returns the path that was opened.
    pub fn path(&self) -> &Path {
        self.0.source.path()
    }

    pub(crate) fn source(&self) -> &Arc<SourceFile> {
        &self.0.source
    }

    pub(crate) fn opened(&self) -> &ProbedFile {
        &self.0.opened
    }

    /// Creates a reader at frame 0, independent of all others.
    pub fn reader(&self) -> Result<Box<dyn AudioReader>> {
        may_block("a recording");
        self.0.opened.reader(&self.0.source)
    }
}
