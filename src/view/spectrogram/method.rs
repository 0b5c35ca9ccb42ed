//! The analysis methods.

use std::fmt;

use crate::error::{Error, Result};

/// How energy is resolved in time and frequency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Windows of one length ([`crate::kernels::stft`]).
    #[default]
    Fourier,
    /// Long windows for low frequencies, short windows for high ones ([`crate::kernels::multi_resolution`]).
    MultiResolution,
    /// Energy reassigned to its origin in time and frequency ([`crate::kernels::reassigned`]).
    Reassigned,
    /// Windows with the same number of periods at every frequency ([`crate::kernels::constant_q`]).
    ConstantQ {
        /// Bins per octave, 12 to 96.
        bins_per_octave: u32,
    },
}

impl Method {
    /// The names of the methods.
    pub const NAMES: [&str; 4] = ["fourier", "multi_resolution", "reassigned", "constant_q"];

    /// Returns the method with a name. `bins_per_octave` is used by the constant-Q transform only.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an unknown name.
    pub fn named(name: &str, bins_per_octave: u32) -> Result<Self> {
        match name {
            "fourier" => Ok(Self::Fourier),
            "multi_resolution" => Ok(Self::MultiResolution),
            "reassigned" => Ok(Self::Reassigned),
            "constant_q" => Ok(Self::ConstantQ { bins_per_octave }),
            _ => Err(Error::invalid("method of a spectrogram", name, Self::NAMES.join(", "))),
        }
    }
}

impl fmt::Display for Method {
    /// Writes the name that [`Method::named`] accepts.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fourier => "fourier",
            Self::MultiResolution => "multi_resolution",
            Self::Reassigned => "reassigned",
            Self::ConstantQ { .. } => "constant_q",
        })
    }
}
