//! Units as NumPy arrays: integers, books x time, as the Python packages take them without the batch.

use std::path::Path;

use crate::error::{Error, Result};

/// The largest accepted file: a day of codes.
pub const MAX_BYTES: u64 = 1 << 30;
const MAGIC: &[u8] = b"\x93NUMPY";

/// Returns the file of series of codes: int64, which PyTorch takes as indices.
pub fn of_codes(books: &[Vec<i32>]) -> Vec<u8> {
    let mut bytes = header("<i8", &[books.len(), books.first().map_or(0, Vec::len)]);
    bytes.extend(books.iter().flatten().flat_map(|&code| i64::from(code).to_le_bytes()));
    bytes
}

/// Returns the file of the scales of segments: float32.
pub fn of_scales(scales: &[f32]) -> Vec<u8> {
    let mut bytes = header("<f4", &[scales.len()]);
    bytes.extend(scales.iter().flat_map(|scale| scale.to_le_bytes()));
    bytes
}

fn header(kind: &str, shape: &[usize]) -> Vec<u8> {
    let sizes: String = shape.iter().map(|size| format!("{size}, ")).collect();
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({sizes}), }}");
    // The numbers begin at a multiple of 64 bytes.
    let length = (MAGIC.len() + 4 + text.len() + 1).next_multiple_of(64) - MAGIC.len() - 4;
    text.push_str(&" ".repeat(length - text.len() - 1));
    text.push('\n');
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    bytes.extend((length as u16).to_le_bytes());
    bytes.extend(text.bytes());
    bytes
}

/// Reads series of codes: an array of integers of two dimensions, or more of which all but the last two have one
/// element.
///
/// # Errors
/// [`Error::Malformed`] for anything else.
pub fn codes(bytes: &[u8], path: &Path) -> Result<Vec<Vec<i32>>> {
    let array = Array::read(bytes, path)?;
    let wrong = |reason: String| Error::malformed(reason, path);
    let (&[books, length], true) = (array.shape.last_chunk::<2>().unwrap_or(&[0, 0]), array.shape.len() >= 2) else {
        return Err(wrong(format!("The array has the shape {:?}; books x time was expected", array.shape)));
    };
    if array.shape[..array.shape.len() - 2].iter().any(|&size| size != 1) {
        return Err(wrong(format!("The array has the shape {:?}; one item of books x time was expected", array.shape)));
    }
    let (signed, width) = match (array.kind.as_bytes(), array.kind.get(2..)) {
        ([_, kind @ (b'i' | b'u'), _], Some(width @ ("1" | "2" | "4" | "8"))) => (*kind == b'i', usize::from(width.as_bytes()[0] - b'0')),
        _ => return Err(wrong(format!("The array has numbers of the kind {:?}; integers were expected", array.kind))),
    };
    let is_big = array.kind.starts_with('>');
    let read = |number: &[u8]| -> Option<i32> {
        let mut wide = [0; 8];
        for (n, &byte) in number.iter().enumerate() {
            wide[if is_big { number.len() - 1 - n } else { n }] = byte;
        }
        let value = u64::from_le_bytes(wide);
        // A negative number has its highest bit set, and names no code.
        let is_negative = signed && value >> (8 * width - 1) == 1;
        (!is_negative).then_some(value).and_then(|value| i32::try_from(value).ok())
    };
    let numbers: Option<Vec<i32>> = array.data(width, path)?.chunks(width).map(read).collect();
    let numbers = numbers.ok_or_else(|| wrong("A code is negative or larger than any book".into()))?;
    let at = |book: usize, n: usize| numbers[if array.is_fortran { n * books + book } else { book * length + n }];
    Ok((0..books).map(|book| (0..length).map(|n| at(book, n)).collect()).collect())
}

/// Reads the scales of segments: float32 or float64.
///
/// # Errors
/// [`Error::Malformed`] for anything else.
pub fn scales(bytes: &[u8], path: &Path) -> Result<Vec<f32>> {
    let array = Array::read(bytes, path)?;
    match array.kind.as_str() {
        "<f4" => Ok(array.data(4, path)?.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()),
        "<f8" => Ok(array.data(8, path)?.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes) as f32).collect()),
        kind => Err(Error::malformed(format!("The array has numbers of the kind {kind:?}; <f4 was expected"), path)),
    }
}

struct Array<'a> {
    kind: String,
    is_fortran: bool,
    shape: Vec<usize>,
    rest: &'a [u8],
}

impl<'a> Array<'a> {
    fn read(bytes: &'a [u8], path: &Path) -> Result<Self> {
        let wrong = |reason: &str| Error::malformed(reason, path);
        let start = bytes.strip_prefix(MAGIC).ok_or_else(|| wrong("This is not a NumPy array (.npy)"))?;
        let (length, start) = match start {
            [1, 0, a, b, rest @ ..] => (usize::from(u16::from_le_bytes([*a, *b])), rest),
            [2 | 3, 0, a, b, c, d, rest @ ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, rest),
            _ => return Err(wrong("The array has a version that is not known")),
        };
        let header = start.get(..length).and_then(|header| std::str::from_utf8(header).ok());
        let header = header.filter(|header| header.len() <= 4096).ok_or_else(|| wrong("The header of the array is damaged"))?;
        let after = |key: &str| header.split_once(&format!("'{key}':")).map(|(_, after)| after.trim_start());
        let kind = after("descr").and_then(|text| text.strip_prefix('\'')).and_then(|text| text.split_once('\''));
        let is_fortran = after("fortran_order").map(|text| text.starts_with("True"));
        let shape = after("shape").and_then(|text| text.strip_prefix('(')).and_then(|text| text.split_once(')'));
        let (Some((kind, _)), Some(is_fortran), Some((shape, _))) = (kind, is_fortran, shape) else {
            return Err(wrong("The header of the array is damaged"));
        };
        let sizes = shape.split(',').map(str::trim).filter(|size| !size.is_empty());
        let shape: Option<Vec<usize>> = sizes.map(|size| size.parse().ok()).collect();
        let shape = shape.ok_or_else(|| wrong("The header of the array is damaged"))?;
        Ok(Self { kind: kind.to_owned(), is_fortran, shape, rest: &start[length..] })
    }

    /// The numbers of a width in bytes, as many as the shape says.
    fn data(&self, width: usize, path: &Path) -> Result<&'a [u8]> {
        let count = self.shape.iter().try_fold(width, |product, &size| product.checked_mul(size));
        match count.filter(|&count| count == self.rest.len()) {
            Some(_) => Ok(self.rest),
            None => {
                let reason = format!("The array says {:?}, but has {} bytes", self.shape, self.rest.len());
                Err(Error::malformed(reason, path))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(kind: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
        let fortran = if fortran { "True" } else { "False" };
        let text = format!("{{'descr': '{kind}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
        [MAGIC, &[1, 0], &(text.len() as u16).to_le_bytes(), text.as_bytes(), data].concat()
    }

    #[test]
    fn codes_and_scales_survive() {
        let path = Path::new("a.npy");
        for books in [vec![vec![0, 1023, 5], vec![7, 8, 9]], vec![vec![]], vec![]] {
            let bytes = of_codes(&books);
            assert_eq!(bytes.len() % 64, 8 * books.iter().map(Vec::len).sum::<usize>() % 64);
            assert_eq!(codes(&bytes, path).unwrap(), books);
        }
        assert_eq!(scales(&of_scales(&[0.5, 2.0]), path).unwrap(), [0.5, 2.0]);
    }

    #[test]
    fn other_layouts_are_read() {
        let path = Path::new("a.npy");
        let expected = vec![vec![1, 2, 3], vec![4, 5, 300]];
        let little: Vec<u8> = [1u16, 2, 3, 4, 5, 300].iter().flat_map(|x| x.to_le_bytes()).collect();
        assert_eq!(codes(&made("<u2", false, "(2, 3)", &little), path).unwrap(), expected);
        assert_eq!(codes(&made("<u2", false, "(1, 1, 2, 3)", &little), path).unwrap(), expected);
        let big: Vec<u8> = [1i32, 4, 2, 5, 3, 300].iter().flat_map(|x| x.to_be_bytes()).collect();
        assert_eq!(codes(&made(">i4", true, "(2, 3)", &big), path).unwrap(), expected);
        assert_eq!(codes(&made("|u1", false, "(1, 2)", &[200, 1]), path).unwrap(), [[200, 1]]);
    }

    #[test]
    fn what_lies_is_refused() {
        let path = Path::new("a.npy");
        for bytes in [
            b"".to_vec(),
            b"RIFF".to_vec(),
            MAGIC.to_vec(),
            [MAGIC, &[9, 0, 1, 0], b"{"].concat(),
            made("<f4", false, "(1, 1)", &[0; 4]),
            made("<i8", false, "(2, 3)", &[0; 8]),
            made("<i8", false, "(3,)", &[0; 24]),
            made("<i8", false, "(2, 1, 1)", &[0; 16]),
            made("<i8", false, "(18446744073709551615, 2)", &[0; 16]),
            made("<i8", false, "(-1, 2)", &[0; 16]),
            made("|O", false, "(1, 1)", &[0; 8]),
            made("<i8", false, "(1, 1)", &(-1i64).to_le_bytes()),
            made("<i8", false, "(1, 1)", &i64::MAX.to_le_bytes()),
            made("|i1", false, "(1, 1)", &[255]),
        ] {
            assert!(matches!(codes(&bytes, path), Err(Error::Malformed { .. })), "{bytes:?}");
        }
    }
}
