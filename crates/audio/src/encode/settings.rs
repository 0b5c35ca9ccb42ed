//! The settings of a written file: its format, its samples, and how they are encoded.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::lame::Lame;
use super::{Dither, LossySettings};
use crate::AudioFormat;
use crate::file_format::FileFormat;
use base::declared::TS;
use base::error::Result;

impl FileFormat {
    /// Checks that this system can write the format. MP3 needs the LAME library.
    pub fn check_encoder(self) -> Result<()> {
        if self == Self::Mp3 { Lame::get().map(drop) } else { Ok(()) }
    }
}

/// A sample format that can be written. FLAC supports the first two; the lossy formats ignore it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS, ValueEnum)]
#[ts(rename = "ExportBits")]
#[allow(missing_docs, reason = "their own names")]
pub enum SampleFormat {
    #[serde(rename = "16")]
    #[value(name = "16")]
    Int16,
    #[default]
    #[serde(rename = "24")]
    #[value(name = "24")]
    Int24,
    #[serde(rename = "32")]
    #[value(name = "32")]
    Int32,
    #[serde(rename = "f32")]
    #[value(name = "f32")]
    Float32,
}

impl SampleFormat {
    /// Returns the bytes per sample.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Int16 => 2,
            Self::Int24 => 3,
            Self::Int32 | Self::Float32 => 4,
        }
    }

    /// Returns the bits per sample.
    pub const fn bits(self) -> u32 {
        self.bytes() as u32 * 8
    }
}

/// How a file is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EncodeSettings {
    /// The file format.
    pub format: FileFormat,
    /// The sample format.
    pub sample: SampleFormat,
    /// The dither applied when rounding. At 32 bits none is applied, because they hold the full precision of an `f32`.
    pub dither: Dither,
    /// The seed of the dither. The same audio and seed give the same file.
    pub seed: u64,
    /// How the lossy formats are written.
    pub lossy: LossySettings,
    /// The original sample rate in Hz, which Opus stores for information; 0 if unknown.
    pub source_rate: u32,
}

impl EncodeSettings {
    /// Checks that a format can hold this audio with these settings.
    pub(super) fn check(&self, format: AudioFormat) -> Result<()> {
        let kind = self.format;
        if kind.is_lossy() {
            kind.check_layout(format)?;
            kind.check_rate(format.rate)?;
            self.lossy.check(kind, format.channels)?;
        }
        Ok(())
    }
}
