//! Files of units, as the Python packages of codec models write and read them.
//!
//! | file | content |
//! |---|---|
//! | `.npy` | integers, books x codes, after dimensions of 1; scales in a separate file |
//! | `.ecdc` | EnCodec's container: JSON, and packed codes, in segments with scales at 48 kHz |
//! | `.dac` | DAC's container: a dictionary pickled by NumPy |
//!
//! Files are recognised by their content. They are read with bounds; nothing in them is executed.

mod array;
mod dac;
mod ecdc;
mod npy;
mod pickled;

use std::path::Path;

use base::error::{Error, Result};
use base::files;
use base::files::npy::{Header, MAGIC as ARRAY};

pub use dac::DacFile;
pub use ecdc::{EcdcFile, EcdcModel, EcdcSegment};
pub use npy::{npy_bytes, read_scales, scales_bytes};

use super::Units;

/// The longest file of units: three hours of EnCodec with all books in 64 bits.
const MAX_BYTES: u64 = 256 << 20;
/// The most books.
const MAX_BOOKS: usize = 1024;

/// A file of units.
#[derive(Clone, Debug, PartialEq)]
pub enum UnitFile {
    /// Plain integers, in the smallest width that fits them.
    Npy(Units),
    /// EnCodec's container.
    Ecdc(EcdcFile),
    /// DAC's container.
    Dac(DacFile),
}

impl UnitFile {
    /// Reads a file.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for contents that need more than codes; [`Error::Limit`] beyond 256 MiB.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = files::read(path, "file of units", MAX_BYTES)?;
        if bytes.starts_with(ecdc::MAGIC) {
            return EcdcFile::parse(&bytes, path).map(Self::Ecdc);
        }
        let malformed = |reason| Error::malformed(reason, path);
        if !bytes.starts_with(ARRAY) {
            return Err(malformed("This is not a file of units: neither .npy, .ecdc nor .dac".to_owned()));
        }
        let header = Header::parse(&bytes).map_err(malformed)?;
        // Objects of Python.
        if header.format.ends_with('O') {
            return DacFile::parse(header.data(&bytes), path).map(Self::Dac);
        }
        npy::units(&header, &bytes).map(Self::Npy).map_err(malformed)
    }
}

/// Returns books of units in the smallest width that fits them.
fn units_of(books: Vec<Vec<i32>>) -> std::result::Result<Units, String> {
    let most = books.iter().flatten().max().copied().unwrap_or(0);
    let bits = (i32::BITS - most.leading_zeros()).max(1);
    Units::new(bits, books).map_err(|error| error.sentences())
}
