//! The recordings of a document: their location, their content, and whether the file still has that content.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use audio::AudioFormat;
use base::blocking::may_block;
use base::error::{Error, Result};

use super::EditList;
use base::files::stored_path;
use base::units::SampleRate;
use dsp::measure::resample::{ResamplePlan, converted_frames, frames_at_speed};

/// Identifies the content of a file by its length and a hash over parts of it.
///
/// The key is BLAKE3 over the length, the first and last 256 KiB and 64 evenly spaced pieces of 4 KiB, so that a file
/// of gigabytes takes milliseconds. Files up to 768 KiB are hashed whole. The key does not detect a change that keeps
/// the length and falls between the pieces; [`Source::state`] detects it by the file's modification time.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContentKey(String);

const END_BYTES: u64 = 256 << 10;
const PIECE_BYTES: u64 = 4 << 10;
const PIECES: u64 = 64;

impl ContentKey {
    /// Returns the key of the file at `path`.
    pub fn of_file(path: &Path) -> Result<Self> {
        Self::read(base::files::open(path)?).map_err(|source| Error::io("read", path, source))
    }

    /// Returns the key of an edit list over sources.
    pub(super) fn of_edits(edits: &EditList, sources: &[Source]) -> Self {
        let mut parts = vec![serde_json::to_string(edits).unwrap_or_default()];
        for source in sources {
            parts.push(source.content_key.as_str().to_owned());
            parts.push(format!("{} {}", source.stamp.bytes, source.stamp.modified_ns));
            if !source.clock.is_nominal() {
                parts.push(f64::from(source.clock).to_string());
            }
        }
        Self::of_parts(parts.iter().map(String::as_str))
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

    /// Returns a key made of `parts`, for data that is not a single file, such as an edit list over several.
    pub fn of_parts<'a>(parts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        Self(hasher.finalize().to_hex().to_string())
    }

    /// Returns the key that was stored as this text.
    pub(super) fn of_text(text: String) -> Self {
        Self(text)
    }

    /// Returns the key as 64 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Properties of a source that are shown while it cannot be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceSummary {
    /// The container, for example "WAV".
    pub container: String,
    /// The codec, for example "PCM 16 bit".
    pub codec: String,
    /// Sample rate and channels.
    pub format: AudioFormat,
    /// The exact length in frames.
    pub frames: u64,
}

/// The ratio of a recording's actual to its nominal rate: 1, except for a take whose input ran on a different clock
/// from the output it was played along to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct ClockSpeed(f64);

impl ClockSpeed {
    /// The clock that the file's rate means.
    pub const NOMINAL: Self = Self(1.0);
    /// By how much clocks of sound devices may differ. Usual are 0.0001.
    const MOST: f64 = 0.01;

    /// Creates the speed of a clock.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a speed outside 0.99 to 1.01.
    pub fn new(speed: f64) -> Result<Self> {
        if (speed - 1.0).abs() <= Self::MOST {
            return Ok(Self(speed));
        }
        let allowed = format!("{} to {}", 1.0 - Self::MOST, 1.0 + Self::MOST);
        Err(Error::invalid("speed of a recording's clock", speed.to_string(), allowed))
    }

    /// Returns whether it is 1.
    pub fn is_nominal(&self) -> bool {
        *self == Self::NOMINAL
    }

    /// Returns the number of frames at `to` of a recording of `frames` frames at `from`.
    pub fn frames(self, frames: u64, from: SampleRate, to: SampleRate) -> u64 {
        if self.is_nominal() { converted_frames(frames, from, to) } else { frames_at_speed(frames, from, to, self.0) }
    }

    /// Returns the conversion from one rate to another; `None` if nothing is to be done.
    ///
    /// # Errors
    /// None for a speed that [`Self::new`] allows.
    pub(super) fn conversion(self, from: SampleRate, to: SampleRate) -> Result<Option<Arc<ResamplePlan>>> {
        match (self.is_nominal(), from == to) {
            (true, true) => Ok(None),
            (true, false) => Ok(Some(ResamplePlan::new(from, to))),
            (false, _) => ResamplePlan::at_speed(from, to, self.0).map(Some),
        }
    }
}

impl Default for ClockSpeed {
    fn default() -> Self {
        Self::NOMINAL
    }
}

impl TryFrom<f64> for ClockSpeed {
    type Error = Error;

    fn try_from(speed: f64) -> Result<Self> {
        Self::new(speed)
    }
}

impl From<ClockSpeed> for f64 {
    fn from(ClockSpeed(speed): ClockSpeed) -> Self {
        speed
    }
}

/// A source recording of a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// The path at which it was last found.
    #[serde(with = "stored_path")]
    pub path: PathBuf,
    /// The key of its content.
    pub content_key: ContentKey,
    /// The file's size and modification time when it was opened. If they still match, the content is not read again.
    #[serde(default)]
    pub stamp: FileStamp,
    /// The properties of the recording.
    pub summary: SourceSummary,
    /// The clock by which it is read.
    #[serde(default, skip_serializing_if = "ClockSpeed::is_nominal")]
    pub clock: ClockSpeed,
}

/// The size and modification time of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStamp {
    /// The size in bytes.
    pub bytes: u64,
    /// The modification time in nanoseconds since 1970; 0 if the system does not report it.
    pub modified_ns: u64,
}

impl FileStamp {
    /// Returns the stamp of the file at `path`.
    pub fn of_file(path: &Path) -> Result<Self> {
        may_block("a file");
        let metadata = fs::metadata(path).map_err(|source| Error::io("open", path, source))?;
        let modified = metadata.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        Ok(Self { bytes: metadata.len(), modified_ns: modified.map_or(0, |since| since.as_nanos() as u64) })
    }
}

/// Whether a source's file still has its original content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceState {
    /// The file exists, unchanged.
    Present,
    /// The file cannot be read, for this reason.
    Missing(String),
    /// The file exists with different content.
    Changed,
}

impl SourceState {
    /// Returns the reason to show if the source cannot be used.
    pub fn problem(&self) -> Option<String> {
        match self {
            Self::Present => None,
            Self::Missing(reason) => Some(reason.clone()),
            Self::Changed => {
                Some("the file was changed since it was opened; locate the unchanged one, or open it anew".into())
            }
        }
    }
}

impl Source {
    /// Creates the source at `path`, which was just opened and has the properties in `summary`.
    pub fn open(path: &Path, summary: SourceSummary) -> Result<Self> {
        // A relative path would have another meaning at a later start.
        let path = std::path::absolute(path).map_err(|source| Error::io("open", path, source))?;
        let stamp = FileStamp::of_file(&path)?;
        Ok(Self { content_key: ContentKey::of_file(&path)?, stamp, summary, path, clock: ClockSpeed::NOMINAL })
    }

    /// Returns whether the file still has its original content.
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

    /// Returns the same source at the file's new path.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the file there has different content.
    pub fn relinked(&self, path: &Path) -> Result<Self> {
        let found = Self { clock: self.clock, ..Self::open(path, self.summary.clone())? };
        if found.content_key == self.content_key {
            Ok(found)
        } else {
            Err(Error::impossible("This is another recording. Choose the file that is missing."))
        }
    }

    /// Returns its length in frames at another rate, according to its clock.
    pub fn frames_at(&self, rate: SampleRate) -> u64 {
        self.clock.frames(self.summary.frames, self.summary.format.rate, rate)
    }

    /// Returns the file name without its folder.
    pub fn name(&self) -> String {
        self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }
}
