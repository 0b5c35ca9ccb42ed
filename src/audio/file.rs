//! A recording on disk.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::opened::Opened;
use super::source::Source;
use super::tags::{self, Tags};
use super::{AudioFormat, AudioReader, probe};
use crate::error::Result;
use crate::waiting::may_wait;

/// A recording on disk that was looked at: what it holds, and readers of it. Cheap to clone; clones share the open file.
#[derive(Clone, Debug)]
pub struct AudioFile(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    source: Arc<Source>,
    info: FileInfo,
    opened: Opened,
}

/// What a recording is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct FileInfo {
    /// The container: "WAV", "FLAC", "MP4".
    pub format: String,
    /// The codec: "PCM 16 bit", "MP3".
    pub codec: String,
    /// Bits of a stored sample, for codecs that have such a thing.
    pub bits: Option<u32>,
    /// Rate and channels.
    pub audio: AudioFormat,
    /// The exact length in frames, without encoder delay and padding.
    #[ts(type = "number")]
    pub frames: u64,
    /// Title, artist and the like, and pictures.
    pub tags: Tags,
    /// Size of the file in bytes.
    #[ts(type = "number")]
    pub bytes: u64,
    /// What is damaged or left out, in words for people.
    pub warnings: Vec<String>,
}

impl AudioFile {
    /// Opens the recording at `path`: tells its format by its content, counts its frames exactly, reads its tags.
    /// Nothing is decoded yet and nothing is kept in memory but indexes.
    ///
    /// # Errors
    /// [`crate::Error::Io`] when the file cannot be read; [`crate::Error::Malformed`] when it is empty, no file, not
    /// audio or broken beyond use; [`crate::Error::Unsupported`] for a format that this program has no decoder for;
    /// [`crate::Error::Limit`] for headers that ask for more than any real recording.
    pub fn open(path: &Path) -> Result<Self> {
        may_wait("a recording");
        let source = Arc::new(Source::open(path)?);
        let opened = probe::open(&source)?;
        opened.body.check()?;
        let mut warnings = opened.warnings.clone();
        let tags = tags::read(&source, &opened, &mut warnings);
        let info = FileInfo {
            format: opened.format.clone(),
            codec: opened.codec.clone(),
            bits: opened.bits,
            audio: opened.audio,
            frames: opened.frames,
            tags,
            bytes: source.bytes(),
            warnings,
        };
        Ok(Self(Arc::new(Inner { source, info, opened })))
    }

    /// What it is.
    pub fn info(&self) -> &FileInfo {
        &self.0.info
    }

    /// The path it was opened by.
    pub fn path(&self) -> &Path {
        self.0.source.path()
    }

    /// A new reader at frame 0, independent of all others.
    ///
    /// # Errors
    /// [`crate::Error::Unsupported`] when the decoder refuses the stream after all.
    pub fn reader(&self) -> Result<Box<dyn AudioReader>> {
        may_wait("a recording");
        self.0.opened.body.reader(&self.0.source)
    }
}
