//! The analysis methods.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use base::declared::TS;
use base::error::{Error, Result};

/// How energy is resolved in time and frequency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(rename = "SpectrogramMethod")]
pub enum Method {
    /// Windows of one length ([`dsp::kernels::signal::stft`]).
    #[default]
    Fourier,
    /// Long windows for low frequencies, short windows for high ones ([`dsp::kernels::signal::multi_resolution`]).
    MultiResolution,
    /// Energy reassigned to its origin in time and frequency ([`dsp::kernels::signal::reassigned`]).
    Reassigned,
    /// Windows with the same number of periods at every frequency ([`dsp::kernels::signal::constant_q`]).
    ConstantQ,
}

impl Method {
    /// Every method.
    pub const ALL: [Self; 4] = [Self::Fourier, Self::MultiResolution, Self::Reassigned, Self::ConstantQ];

    fn name(self) -> &'static str {
        match self {
            Self::Fourier => "fourier",
            Self::MultiResolution => "multi_resolution",
            Self::Reassigned => "reassigned",
            Self::ConstantQ => "constant_q",
        }
    }
}

impl fmt::Display for Method {
    /// Writes the name that [`Method::from_str`] accepts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|method| method.name() == text);
        found.ok_or_else(|| Error::invalid("method of a spectrogram", text, Self::ALL.map(Self::name).join(", ")))
    }
}
