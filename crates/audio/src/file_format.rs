//! The formats of files that are written.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use base::declared::TS;

/// A file format that can be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[ts(rename = "ExportFormat")]
pub enum FileFormat {
    /// WAV; RF64 beyond 4 GiB.
    #[default]
    Wav,
    /// FLAC.
    Flac,
    /// Vorbis in Ogg.
    Vorbis,
    /// Opus in Ogg.
    Opus,
    /// MP3, where the system has LAME.
    Mp3,
}

impl FileFormat {
    /// All formats.
    pub const ALL: [Self; 5] = [Self::Wav, Self::Flac, Self::Vorbis, Self::Opus, Self::Mp3];

    /// Returns the usual file extension, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Wav => "wav",
            Self::Flac => "flac",
            Self::Vorbis => "ogg",
            Self::Opus => "opus",
            Self::Mp3 => "mp3",
        }
    }
}
