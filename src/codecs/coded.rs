//! Coded sound.

use std::sync::Arc;

use crate::audio::AudioFormat;
use crate::error::{Error, Result};

/// What a codec made of a sound.
#[derive(Clone, Debug, PartialEq)]
pub struct Coded {
    /// The format of the sound that decoding gives.
    pub format: AudioFormat,
    /// The number of frames that decoding gives.
    pub frames: u64,
    /// The coded sound itself.
    pub payload: Payload,
}

/// The form in which a codec gives its result.
#[derive(Clone, Debug, PartialEq)]
pub enum Payload {
    /// The bytes of a file, headers included.
    File(Arc<[u8]>),
    /// Units: integers of a fixed width.
    Units(Units),
}

/// Integers of a fixed width in parallel series: the codes of a model's codebooks, or samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Units {
    bits: u32,
    books: Vec<Vec<i32>>,
}

impl Units {
    /// Takes series of equal lengths whose values need `bits` bits each.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a width beyond 1..=32 or unequal lengths.
    pub fn new(bits: u32, books: Vec<Vec<i32>>) -> Result<Self> {
        if !(1..=32).contains(&bits) {
            return Err(Error::invalid("width of units", format!("{bits} bits"), "1 to 32 bits"));
        }
        if let Some(pair) = books.windows(2).find(|pair| pair[0].len() != pair[1].len()) {
            return Err(Error::invalid(
                "series of units",
                format!("{} units", pair[1].len()),
                pair[0].len().to_string(),
            ));
        }
        Ok(Self { bits, books })
    }

    /// The width of a unit in bits.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The series.
    pub fn books(&self) -> &[Vec<i32>] {
        &self.books
    }
}

impl Coded {
    /// Returns the size in bits.
    pub fn bits(&self) -> u64 {
        match &self.payload {
            Payload::File(bytes) => 8 * bytes.len() as u64,
            Payload::Units(units) => units.books.iter().map(|book| u64::from(units.bits) * book.len() as u64).sum(),
        }
    }

    /// Returns the bit rate in kbit/s; `None` without frames.
    pub fn kbps(&self) -> Option<f64> {
        (self.frames > 0).then(|| self.bits() as f64 / self.format.rate.seconds_from_frames(self.frames) / 1000.0)
    }

    /// Returns the bytes, for a codec that makes files.
    ///
    /// # Errors
    /// [`Error::Invalid`] for units.
    pub(super) fn file(&self) -> Result<&Arc<[u8]>> {
        match &self.payload {
            Payload::File(bytes) => Ok(bytes),
            Payload::Units(_) => Err(Error::invalid("coded sound", "units", "the bytes of a file")),
        }
    }

    /// Returns the units, for a codec that makes them of one width.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a file, other widths, or another number of series than channels.
    pub(super) fn units(&self, bits: u32) -> Result<&Units> {
        let units = match &self.payload {
            Payload::Units(units) => units,
            Payload::File(_) => return Err(Error::invalid("coded sound", "the bytes of a file", "units")),
        };
        if units.bits != bits || units.books.len() != self.format.channels {
            let got = format!("{} series of {} bits", units.books.len(), units.bits);
            return Err(Error::invalid("units", got, format!("{} of {bits} bits", self.format.channels)));
        }
        Ok(units)
    }
}
