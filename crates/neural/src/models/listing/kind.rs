//! The kinds of models.

use serde::{Deserialize, Serialize};

use crate::models::CodecKind;
use base::declared::TS;
use base::error::Error;
use base::units::SampleRate;

/// A kind of model: its layers, and the rate that it was trained for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[allow(missing_docs, reason = "each is named after its model")]
pub enum ModelKind {
    #[serde(rename = "encodec_24khz")]
    Encodec24,
    #[serde(rename = "encodec_48khz")]
    Encodec48,
    #[serde(rename = "dac_16khz")]
    Dac16,
    #[serde(rename = "dac_24khz")]
    Dac24,
    #[serde(rename = "dac_44khz")]
    Dac44,
    #[serde(rename = "mimi")]
    Mimi,
    #[serde(rename = "htdemucs")]
    Demucs,
}

impl ModelKind {
    /// All kinds.
    pub const ALL: [Self; 7] =
        [Self::Encodec24, Self::Encodec48, Self::Dac16, Self::Dac24, Self::Dac44, Self::Mimi, Self::Demucs];

    /// Returns the kind of a codec with sound of this rate. Unpublished rates count as the nearest published one.
    pub fn of_codec(kind: CodecKind, rate: SampleRate) -> Self {
        match (kind, rate.hz()) {
            (CodecKind::Encodec, ..=36_000) => Self::Encodec24,
            (CodecKind::Encodec, _) => Self::Encodec48,
            (CodecKind::Dac, ..=20_000) => Self::Dac16,
            (CodecKind::Dac, ..=34_000) => Self::Dac24,
            (CodecKind::Dac, _) => Self::Dac44,
            (CodecKind::Mimi, _) => Self::Mimi,
        }
    }

    /// The name in results and settings, the same as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Encodec24 => "encodec_24khz",
            Self::Encodec48 => "encodec_48khz",
            Self::Dac16 => "dac_16khz",
            Self::Dac24 => "dac_24khz",
            Self::Dac44 => "dac_44khz",
            Self::Mimi => "mimi",
            Self::Demucs => "htdemucs",
        }
    }

    /// The name as its authors write it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Encodec24 => "EnCodec 24 kHz",
            Self::Encodec48 => "EnCodec 48 kHz",
            Self::Dac16 => "DAC 16 kHz",
            Self::Dac24 => "DAC 24 kHz",
            Self::Dac44 => "DAC 44.1 kHz",
            Self::Mimi => "Mimi",
            Self::Demucs => "Demucs",
        }
    }

    /// The purpose of the model.
    pub fn purpose(self) -> &'static str {
        match self {
            Self::Demucs => "Splits music into stems",
            _ => "Codes sound at low bit rates",
        }
    }

    /// The licence, as far as its authors state it.
    pub fn licence(self) -> &'static str {
        match self {
            Self::Encodec24 | Self::Encodec48 => {
                "Code: MIT. Weights: not stated clearly by their authors; an earlier package said CC BY-NC 4.0 (no \
                 commercial use)."
            }
            Self::Dac16 | Self::Dac24 | Self::Dac44 => "MIT, code and weights.",
            Self::Mimi => "Weights: CC BY 4.0 (name the authors).",
            Self::Demucs => {
                "Code: MIT. Weights: stated differently in different places. Their author: not covered by MIT, for \
                 scientific purposes. Model card: MIT."
            }
        }
    }

    /// The error of a use in the window before the licence is confirmed, with what to do.
    pub fn unconfirmed(self) -> Error {
        Error::impossible(format!(
            "The licence of {} is not confirmed. Read it on the Models page and confirm it before you use the model.",
            self.title()
        ))
    }

    /// Where its authors offer the weights, in words.
    pub fn source(self) -> &'static str {
        match self {
            Self::Encodec24 | Self::Encodec48 => {
                "The Python package encodec fetches them (encodec_24khz-….th, encodec_48khz-….th); on Hugging Face, \
                 facebook offers encodec_24khz and encodec_48khz"
            }
            Self::Dac16 | Self::Dac24 | Self::Dac44 => {
                "The Python package descript-audio-codec fetches them (weights_….pth); on Hugging Face, descript offers \
                 dac_16khz, dac_24khz and dac_44khz"
            }
            Self::Mimi => "On Hugging Face, kyutai offers mimi",
            Self::Demucs => {
                "The Python package demucs fetches it (955717e8-….th and others; of hdemucs_mmi 75fc33f5-….th)"
            }
        }
    }
}
