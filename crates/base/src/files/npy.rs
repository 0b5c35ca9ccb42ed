//! The header of NumPy's `.npy` files (numpy.lib.format, versions 1 to 3).

/// How a file begins.
pub const MAGIC: &[u8] = b"\x93NUMPY";
/// The longest header that is read.
const MAX_HEADER_BYTES: usize = 1 << 16;
/// Headers are padded to a multiple of this.
const ALIGNMENT: usize = 64;

/// The contents of a header: `{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), }`.
#[derive(Debug, PartialEq)]
pub struct Header {
    /// The number format: byte order, kind and bytes of a number.
    pub format: String,
    /// Whether columns are stored side by side (Fortran's order) instead of rows.
    pub is_columns: bool,
    /// The sizes of the dimensions.
    pub shape: Vec<usize>,
    /// Where the numbers begin.
    start: usize,
}

impl Header {
    /// Reads the header of a file. The error is a sentence that says what is wrong.
    pub fn parse(file: &[u8]) -> Result<Self, String> {
        let damaged = || "The array's header is damaged".to_owned();
        let major = *file.get(6).ok_or_else(damaged)?;
        let (length, begin) = match major {
            1 => (file.get(8..10).ok_or_else(damaged)?.iter().rev().fold(0, |n, &byte| n << 8 | usize::from(byte)), 10),
            2 | 3 => {
                (file.get(8..12).ok_or_else(damaged)?.iter().rev().fold(0, |n, &byte| n << 8 | usize::from(byte)), 12)
            }
            other => return Err(format!("The array has version {other} of the format; versions 1 to 3 are read")),
        };
        if length > MAX_HEADER_BYTES {
            return Err(damaged());
        }
        let text = file.get(begin..begin + length).ok_or_else(damaged)?;
        let text = std::str::from_utf8(text).map_err(|_| damaged())?;
        let (mut format, mut is_columns, mut shape) = (None, None, None);
        let mut rest = text.trim().strip_prefix('{').ok_or_else(damaged)?.trim_start();
        while !rest.starts_with('}') {
            let (key, after) = quoted(rest).ok_or_else(damaged)?;
            let value = after.trim_start().strip_prefix(':').ok_or_else(damaged)?.trim_start();
            rest = match key {
                "descr" => {
                    let (text, after) = quoted(value).ok_or_else(|| {
                        "The array has numbers of several kinds side by side; one kind is read".to_owned()
                    })?;
                    format = Some(text.to_owned());
                    after
                }
                "fortran_order" => {
                    let word = value.find([',', '}']).map_or(value, |end| &value[..end]);
                    is_columns = Some(match word.trim_end() {
                        "True" => true,
                        "False" => false,
                        _ => return Err(damaged()),
                    });
                    &value[word.len()..]
                }
                "shape" => {
                    let (inner, after) =
                        value.strip_prefix('(').and_then(|value| value.split_once(')')).ok_or_else(damaged)?;
                    let sizes = inner.split(',').map(str::trim).filter(|size| !size.is_empty());
                    shape = Some(sizes.map(str::parse).collect::<Result<Vec<usize>, _>>().map_err(|_| damaged())?);
                    after
                }
                _ => return Err(damaged()),
            }
            .trim_start();
            rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
        }
        let (Some(format), Some(is_columns), Some(shape)) = (format, is_columns, shape) else { return Err(damaged()) };
        Ok(Self { format, is_columns, shape, start: begin + length })
    }

    /// The bytes behind the header.
    pub fn data<'a>(&self, file: &'a [u8]) -> &'a [u8] {
        &file[self.start..]
    }
}

/// Splits a text in single or double quotes from what follows it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
    text[1..].split_once(quote)
}

/// Returns the header of an array, to which its numbers are appended: rows side by side, or columns.
pub fn header(format: &str, is_columns: bool, shape: &[usize]) -> Vec<u8> {
    let mut sizes: String = shape.iter().map(|size| format!("{size}, ")).collect();
    // Only a single size ends with a comma.
    sizes.truncate(sizes.len().saturating_sub(if shape.len() == 1 { 1 } else { 2 }));
    let order = if is_columns { "True" } else { "False" };
    let mut words = format!("{{'descr': '{format}', 'fortran_order': {order}, 'shape': ({sizes}), }}");
    // Magic, version and length take ten bytes; a line feed ends the header.
    let padded = (10 + words.len() + 1).next_multiple_of(ALIGNMENT) - 10;
    words.push_str(&" ".repeat(padded - words.len() - 1));
    words.push('\n');
    [MAGIC, &[1, 0], &(words.len() as u16).to_le_bytes(), words.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_aligned_and_is_read_as_it_was_written() {
        for shape in [&[][..], &[7], &[2, 3], &[1, 513, 7], &[2, 32_769, 123_456_789]] {
            let bytes = header("<f4", shape.len() == 3, shape);
            assert_eq!(bytes.len() % 64, 0);
            let read = Header::parse(&bytes).unwrap();
            assert_eq!(
                (read.format.as_str(), read.is_columns, read.shape.as_slice()),
                ("<f4", shape.len() == 3, shape)
            );
            assert!(read.data(&bytes).is_empty());
        }
    }

    #[test]
    fn damaged_headers_are_refused() {
        let whole = header("<i8", false, &[2, 3]);
        for end in 0..whole.len() {
            assert!(Header::parse(&whole[..end]).is_err(), "cut at {end}");
        }
        let with = |words: &str| {
            let bytes = [MAGIC, &[1, 0], &(words.len() as u16).to_le_bytes(), words.as_bytes()].concat();
            Header::parse(&bytes)
        };
        assert!(with("{'shape': (2,), 'fortran_order': True, \"descr\": '>u2'}").unwrap().is_columns);
        for words in [
            "",
            "{",
            "{}",
            "{'descr': '<i8', 'fortran_order': False, 'shape': (2, -3), }",
            "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 99999999999999999999), }",
            "{'descr': '<i8', 'fortran_order': Maybe, 'shape': (2, 3), }",
            "{'descr': [('a', '<i8')], 'fortran_order': False, 'shape': (2, 3), }",
            "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3",
            "{'descr' '<i8'}",
            "{'other': 1}",
        ] {
            assert!(with(words).is_err(), "{words}");
        }
        let mut newer = whole;
        newer[6] = 4;
        assert!(Header::parse(&newer).unwrap_err().contains("version 4"));
    }
}
