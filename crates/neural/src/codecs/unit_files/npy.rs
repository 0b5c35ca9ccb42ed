//! Plain integers in NumPy's `.npy` files.

use std::path::Path;

use super::array::{Integers, rows};
use super::{MAX_BOOKS, MAX_BYTES, units_of};
use crate::codecs::Units;
use base::error::{Error, Result};
use base::files;
use base::files::npy::{self, Header};

/// Reads the integers of a file.
pub fn units(header: &Header, file: &[u8]) -> std::result::Result<Units, String> {
    let integers = Integers::parse(&header.format, '<')?;
    let shape = match header.shape[..] {
        // A dimension of one changes nothing, in either order.
        [ref outer @ .., books, codes] if outer.iter().all(|&size| size == 1) && (1..=MAX_BOOKS).contains(&books) => {
            [books, codes]
        }
        _ => {
            return Err(format!(
                "The array has the shape {:?}; units have (books, codes), after dimensions of 1, with 1 to {MAX_BOOKS} books",
                header.shape
            ));
        }
    };
    units_of(rows(integers, shape, header.is_columns, header.data(file))?)
}

/// Returns units as a `.npy` file of 64-bit integers, books x codes: the form that PyTorch accepts directly as codes.
pub fn npy_bytes(units: &Units) -> Vec<u8> {
    let (books, codes) = (units.books().len(), units.books().first().map_or(0, Vec::len));
    let mut file = npy::header("<i8", false, &[books, codes]);
    file.extend(units.books().iter().flatten().flat_map(|&unit| i64::from(unit).to_le_bytes()));
    file
}

/// Returns the scales of segments as a `.npy` file of f32.
pub fn scales_bytes(scales: &[f32]) -> Vec<u8> {
    let mut file = npy::header("<f4", false, &[scales.len()]);
    file.extend(scales.iter().flat_map(|scale| scale.to_le_bytes()));
    file
}

/// Reads the scales of segments, f32 or f64 in one dimension.
pub fn read_scales(path: &Path) -> Result<Vec<f32>> {
    let file = files::read(path, "file of scales", MAX_BYTES)?;
    let scales = || -> std::result::Result<Vec<f32>, String> {
        if !file.starts_with(npy::MAGIC) {
            return Err("This is not a NumPy array (.npy)".into());
        }
        let header = Header::parse(&file)?;
        let data = header.data(&file);
        let bytes = if header.format == "<f8" { 8 } else { 4 };
        let count = header.shape.iter().try_fold(1usize, |product, &size| product.checked_mul(size));
        if count.and_then(|count| count.checked_mul(bytes)) != Some(data.len()) {
            return Err(format!("The array says {:?}, but has {} bytes", header.shape, data.len()));
        }
        match header.format.as_str() {
            "<f4" => Ok(data.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()),
            "<f8" => Ok(data.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes) as f32).collect()),
            other => Err(format!("The array has numbers of the format {other:?}; <f4 was expected")),
        }
    };
    scales().map_err(|reason| Error::malformed(reason, path))
}
