//! Integers of NumPy's arrays.

/// The number format of an array, as NumPy writes it: byte order, kind, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integers {
    is_big: bool,
    is_signed: bool,
    bytes: usize,
}

impl Integers {
    /// Reads a format such as `<i8`, `|u1` or `>u2`. `order` replaces a missing byte order.
    pub fn parse(text: &str, order: char) -> Result<Self, String> {
        let wrong = || format!("The numbers have the format {text:?}; units are integers of 8 to 64 bits");
        let (order, rest) = match text.chars().next() {
            Some(first @ ('<' | '>' | '|' | '=')) => (first, &text[1..]),
            _ => (order, text),
        };
        let (is_signed, bytes) = match rest {
            "i1" => (true, 1),
            "i2" => (true, 2),
            "i4" => (true, 4),
            "i8" => (true, 8),
            "u1" => (false, 1),
            "u2" => (false, 2),
            "u4" => (false, 4),
            "u8" => (false, 8),
            _ => return Err(wrong()),
        };
        Ok(Self { is_big: order == '>', is_signed, bytes })
    }

    fn unit(self, bytes: &[u8]) -> Result<i32, String> {
        let join = |number: u64, &byte: &u8| number << 8 | u64::from(byte);
        let number = if self.is_big { bytes.iter().fold(0, join) } else { bytes.iter().rev().fold(0, join) };
        let shift = u64::BITS - 8 * self.bytes as u32;
        let number = if self.is_signed { i128::from((number << shift) as i64 >> shift) } else { i128::from(number) };
        i32::try_from(number)
            .ok()
            .filter(|number| *number >= 0)
            .ok_or_else(|| format!("The file has the unit {number}; units are 0 to {}", i32::MAX))
    }
}

/// Returns the rows of an array of two dimensions. `is_columns` says that its columns are contiguous (Fortran's order).
pub fn rows(
    integers: Integers,
    [rows, columns]: [usize; 2],
    is_columns: bool,
    data: &[u8],
) -> Result<Vec<Vec<i32>>, String> {
    let needed = rows.checked_mul(columns).and_then(|numbers| numbers.checked_mul(integers.bytes));
    if needed != Some(data.len()) {
        return Err(format!(
            "The file says {rows} x {columns} numbers of {} bytes each, and has {} bytes of them",
            integers.bytes,
            data.len()
        ));
    }
    let place = |row: usize, column: usize| if is_columns { column * rows + row } else { row * columns + column };
    let unit = |row: usize, column: usize| {
        let start = place(row, column) * integers.bytes;
        integers.unit(&data[start..start + integers.bytes])
    };
    (0..rows).map(|row| (0..columns).map(|column| unit(row, column)).collect()).collect()
}
