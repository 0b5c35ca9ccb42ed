//! The recordings a document is made of: where they are, what they were, and whether they still are.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use crate::audio::AudioFormat;
use crate::error::{Error, Result};
use crate::waiting::may_wait;

use super::stored_path;

/// What tells one file's content from another's: its length and a hash over parts of it.
///
/// BLAKE3 over the length, the first and the last 256 KiB and 64 pieces of 4 KiB evenly between, so that a file of
/// gigabytes is recognised in milliseconds. Files up to 768 KiB are hashed whole. A change that keeps the length and
/// falls between the pieces is not seen by the key; [`Source::state`] sees it by the file's time of change.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContentKey(String);

const END_BYTES: u64 = 256 << 10;
const PIECE_BYTES: u64 = 4 << 10;
const PIECES: u64 = 64;

impl ContentKey {
    /// The key of the file at `path`.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn of_file(path: &Path) -> Result<Self> {
        Self::read(crate::files::open(path)?).map_err(|source| Error::io("read", path, source))
    }

    fn read(mut file: File) -> std::io::Result<Self> {
        let length = file.metadata()?.len();
        let mut hasher = blake3::Hasher::new();
        hasher.update(&length.to_le_bytes());
        let mut piece = Vec::new();
        let mut add = |offset: u64, bytes: u64| -> std::io::Result<()> {
            file.seek(SeekFrom::Start(offset))?;
            piece.clear();
            (&mut file).take(bytes).read_to_end(&mut piece)?;
            hasher.update(&piece);
            Ok(())
        };
        if length <= 2 * END_BYTES + PIECES * PIECE_BYTES {
            add(0, length)?;
        } else {
            add(0, END_BYTES)?;
            let (from, span) = (END_BYTES, length - 2 * END_BYTES - PIECE_BYTES);
            for index in 0..PIECES {
                add(from + (span as u128 * index as u128 / (PIECES - 1) as u128) as u64, PIECE_BYTES)?;
            }
            add(length - END_BYTES, END_BYTES)?;
        }
        Ok(Self(hasher.finalize().to_hex().to_string()))
    }

    /// A key of something that is not one file, such as an edit list over several, made of `parts`.
    pub fn of_parts<'a>(parts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        Self(hasher.finalize().to_hex().to_string())
    }

    /// The key as 64 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What is remembered of a source, to be shown while it cannot be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceSummary {
    /// Container: "WAV".
    pub container: String,
    /// Codec: "PCM 16 bit".
    pub codec: String,
    /// Rate and channels.
    pub format: AudioFormat,
    /// Exact length in frames.
    pub frames: u64,
}

/// A recording that a document is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// Where it was last found.
    #[serde(with = "stored_path")]
    pub path: PathBuf,
    /// Its content.
    pub content_key: ContentKey,
    /// The file's length and time of change when it was opened, by which an untouched file is known without reading.
    #[serde(default)]
    pub stamp: FileStamp,
    /// What it is.
    pub summary: SourceSummary,
}

/// A file's length and time of change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStamp {
    /// Bytes.
    pub bytes: u64,
    /// Nanoseconds since 1970; 0 where the system does not say.
    pub modified_ns: u64,
}

impl FileStamp {
    /// The stamp of the file at `path`.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn of_file(path: &Path) -> Result<Self> {
        may_wait("a file");
        let metadata = fs::metadata(path).map_err(|source| Error::io("open", path, source))?;
        let modified = metadata.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        Ok(Self { bytes: metadata.len(), modified_ns: modified.map_or(0, |since| since.as_nanos() as u64) })
    }
}

/// Whether a source can still be read as what it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceState {
    /// It is there, unchanged.
    Present,
    /// It cannot be read; why.
    Missing(String),
    /// It is there with another content.
    Changed,
}

impl SourceState {
    /// The reason to show, if the source cannot be used.
    pub fn problem(&self) -> Option<String> {
        match self {
            Self::Present => None,
            Self::Missing(reason) => Some(reason.clone()),
            Self::Changed => Some("the file was changed since it was opened; open it anew".into()),
        }
    }
}

impl Source {
    /// The source at `path`, which was just opened and found to be as `summary` says.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn open(path: &Path, summary: SourceSummary) -> Result<Self> {
        // Relative paths mean something else to a later start.
        let path = std::path::absolute(path).map_err(|source| Error::io("open", path, source))?;
        let stamp = FileStamp::of_file(&path)?;
        Ok(Self { content_key: ContentKey::of_file(&path)?, stamp, summary, path })
    }

    /// Whether it can still be read as what it was.
    pub fn state(&self) -> SourceState {
        let found = FileStamp::of_file(&self.path)
            .and_then(|stamp| Ok((stamp, stamp == self.stamp || ContentKey::of_file(&self.path)? == self.content_key)));
        match found {
            Ok((_, true)) => SourceState::Present,
            Ok(_) => SourceState::Changed,
            Err(error) => SourceState::Missing(match error {
                Error::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                    "the file was moved or deleted".into()
                }
                Error::Io { source, .. } => format!("the file cannot be read: {source}"),
                other => other.to_string(),
            }),
        }
    }

    /// The same source at the place where its file is now.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the file there has another content; [`Error::Io`].
    pub fn relinked(&self, path: &Path) -> Result<Self> {
        let found = Self::open(path, self.summary.clone())?;
        if found.content_key == self.content_key {
            Ok(found)
        } else {
            Err(Error::invalid("file to take the place of a missing one", "another recording", "the same content"))
        }
    }

    /// The file's name without its folder.
    pub fn name(&self) -> String {
        self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }
}
