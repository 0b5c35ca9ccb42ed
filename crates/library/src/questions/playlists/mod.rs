//! Playlists: tracks in an order, for other programs to play.
//!
//! ```text
//! two tracks -> path: from one to the other, each step near the line between them
//! tracks -> mix: an order in which neighbours fit in tempo and key
//! entries -> write: M3U8, XSPF
//! ```

mod m3u8;
pub mod mix;
mod path;
mod places;
mod xspf;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use path::{MAX_STEPS, path};
pub use places::Places;

use base::declared::TS;
use base::error::{Error, Result};
use base::files::SafeFile;

/// The formats of playlists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(rename = "PlaylistFormat")]
pub enum Format {
    /// A line of text for each file, with title and length before it.
    M3u8,
    /// The XML of xspf.org, version 1.
    Xspf,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 2] = [Self::M3u8, Self::Xspf];

    /// Returns the name, which is also the file extension.
    pub fn name(self) -> &'static str {
        match self {
            Self::M3u8 => "m3u8",
            Self::Xspf => "xspf",
        }
    }

    /// Returns the format for the extension of a path.
    pub fn of_path(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?;
        Self::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(extension))
    }
}

/// A track of a playlist.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// Its file.
    pub path: PathBuf,
    /// Its title.
    pub title: Option<String>,
    /// Its artist.
    pub artist: Option<String>,
    /// Its album.
    pub album: Option<String>,
    /// Its number on the album.
    pub track_no: Option<i64>,
    /// Its length in seconds.
    pub duration_s: Option<f64>,
}

/// Writes a playlist to `target`, which must not be one of `inputs`. The file is written beside its target and renamed
/// when complete. Returns its size in bytes.
pub fn write(
    target: &Path,
    format: Format,
    entries: &[Entry],
    places: &Places,
    overwrite: bool,
    inputs: &[PathBuf],
) -> Result<u64> {
    let mut text = Vec::new();
    let written = match format {
        Format::M3u8 => m3u8::write(&mut text, entries, places),
        Format::Xspf => xspf::write(&mut text, entries, places),
    };
    written.map_err(|error| Error::Internal(format!("playlist: {error}")))?;
    let mut file = SafeFile::create(target, overwrite, inputs)?;
    file.append(&text)?;
    file.commit()
}

#[cfg(test)]
mod tests;
