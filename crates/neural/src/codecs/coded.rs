//! Coded sound.

use std::sync::Arc;

use audio::AudioFormat;
use base::error::{Error, Result};

/// A coded sound.
#[derive(Clone, Debug, PartialEq)]
pub struct Coded {
    /// The format of the decoded sound.
    pub format: AudioFormat,
    /// The number of decoded frames.
    pub frames: u64,
    /// The coded sound itself.
    pub payload: Payload,
}

/// The form of a codec's result.
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
    scales: Vec<f32>,
}

impl Units {
    /// Creates units from series of equal length whose values have `bits` bits each.
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
        Ok(Self { bits, books, scales: Vec::new() })
    }

    /// Adds the scale factors of segments, for a model that normalises the level of each.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a factor that is not a finite number above 0.
    pub fn with_scales(self, scales: Vec<f32>) -> Result<Self> {
        match scales.iter().find(|scale| !(scale.is_finite() && **scale > 0.0)) {
            Some(wrong) => Err(Error::invalid("scale of a segment", wrong.to_string(), "a finite number above 0")),
            None => Ok(Self { scales, ..self }),
        }
    }

    /// The width of a unit in bits.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The series.
    pub fn books(&self) -> &[Vec<i32>] {
        &self.books
    }

    /// The factors of segments, of 32 bits each; empty for all but models that need them.
    pub fn scales(&self) -> &[f32] {
        &self.scales
    }

    fn size_bits(&self) -> u64 {
        let of_books: u64 = self.books.iter().map(|book| u64::from(self.bits) * book.len() as u64).sum();
        of_books + 32 * self.scales.len() as u64
    }
}

impl Coded {
    /// Returns the size in bits.
    pub fn bits(&self) -> u64 {
        match &self.payload {
            Payload::File(bytes) => 8 * bytes.len() as u64,
            Payload::Units(units) => units.size_bits(),
        }
    }

    /// Returns the bit rate in kbit/s; `None` without frames.
    pub fn kbps(&self) -> Option<f64> {
        (self.frames > 0).then(|| self.bits() as f64 / self.format.rate.seconds_from_frames(self.frames) / 1000.0)
    }

    /// Returns the bytes, for a codec that makes files.
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
