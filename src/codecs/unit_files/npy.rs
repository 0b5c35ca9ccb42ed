//! Plain integers in NumPy's `.npy` files.

use super::array::{Integers, rows};
use super::{MAX_BOOKS, units_of};
use crate::codecs::Units;
use crate::files::npy::{self, Header};

/// Reads the integers of a file.
///
/// # Errors
/// What is wrong, as a sentence.
pub fn units(header: &Header, file: &[u8]) -> Result<Units, String> {
    let integers = Integers::parse(&header.format, '<')?;
    let shape = match header.shape[..] {
        // A dimension of one changes nothing, in either order.
        [books, codes] | [1, books, codes] if (1..=MAX_BOOKS).contains(&books) => [books, codes],
        _ => {
            return Err(format!(
                "The array has the shape {:?}; units have (books, codes) or (1, books, codes), with 1 to {MAX_BOOKS} books",
                header.shape
            ));
        }
    };
    units_of(rows(integers, shape, header.is_columns, header.data(file))?)
}

/// Returns units as a `.npy` file of 64-bit integers, books x codes: what PyTorch takes as codes as it is.
pub fn npy_bytes(units: &Units) -> Vec<u8> {
    let (books, codes) = (units.books().len(), units.books().first().map_or(0, Vec::len));
    let mut file = npy::header("<i8", false, &[books, codes]);
    file.extend(units.books().iter().flatten().flat_map(|&unit| i64::from(unit).to_le_bytes()));
    file
}
