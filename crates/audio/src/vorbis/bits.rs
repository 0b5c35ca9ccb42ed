//! Reads bits of a Vorbis header, least significant bit first (Vorbis I specification, section 2).

use super::Fault;

/// Reads bits from the front. Returns an error past the end.
pub(super) struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Bits<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Returns the index of the next bit.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Reads a number of at most 32 bits.
    pub fn take(&mut self, count: u32) -> Result<u32, Fault> {
        let end = self.end_of(u64::from(count))?;
        let mut value = 0u64;
        // Five bytes hold any 32 bits.
        for (place, byte) in self.bytes[self.at / 8..end.div_ceil(8)].iter().enumerate() {
            value |= u64::from(*byte) << (8 * place);
        }
        value = (value >> (self.at % 8)) & ((1u64 << count) - 1);
        self.at = end;
        Ok(value as u32)
    }

    /// Reads one bit.
    pub fn flag(&mut self) -> Result<bool, Fault> {
        self.take(1).map(|bit| bit == 1)
    }

    /// Skips `count` bits.
    pub fn skip(&mut self, count: u64) -> Result<(), Fault> {
        self.at = self.end_of(count)?;
        Ok(())
    }

    /// Returns the index of the bit after the next `count` bits.
    fn end_of(&self, count: u64) -> Result<usize, Fault> {
        let end = usize::try_from(count).ok().and_then(|count| self.at.checked_add(count));
        end.filter(|end| *end <= self.bytes.len() * 8)
            .ok_or_else(|| Fault::malformed("the setup header ends too early"))
    }
}

/// Overwrites `count` bits, from bit `at` on, with those of `value`.
pub(super) fn put(bytes: &mut [u8], at: usize, count: u32, value: u32) {
    for bit in 0..count as usize {
        let (byte, mask) = ((at + bit) / 8, 1 << ((at + bit) % 8));
        if value >> bit & 1 == 1 {
            bytes[byte] |= mask;
        } else {
            bytes[byte] &= !mask;
        }
    }
}

/// Returns the number of bits in `value`, defined as `ilog` in section 9.2.1.
pub(super) fn bits_of(value: u32) -> u32 {
    32 - value.leading_zeros()
}

/// Returns an error if `number` is not an existing book, floor, residue or mapping.
pub(super) fn below(what: &str, number: u32, count: u32) -> Result<u32, Fault> {
    if number < count {
        return Ok(number);
    }
    Err(Fault::Malformed(format!("{what} {number} is asked for, but there are {count}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_is_read() {
        let numbers = [(3, 5), (1, 1), (0xffff_ffff, 32), (0, 7), (0x0056_4342, 24), (0, 0), (0x8000_0001, 32)];
        let mut bytes = [0xaa; 16];
        let mut at = 3;
        for (value, count) in numbers {
            put(&mut bytes, at, count, value);
            at += count as usize;
        }
        let mut bits = Bits::new(&bytes);
        assert_eq!(bits.take(3), Ok(0xaa & 7));
        for (value, count) in numbers {
            assert_eq!(bits.take(count), Ok(value));
        }
        assert_eq!(bits.at(), at);
        assert_eq!((bits.skip(128 - at as u64), bits.take(0)), (Ok(()), Ok(0)));
        assert!(bits.flag().is_err() && bits.skip(1).is_err() && bits.skip(u64::MAX).is_err());
    }

    #[test]
    fn widths_of_numbers() {
        assert_eq!([0, 1, 2, 3, 4, 7].map(bits_of), [0, 1, 2, 2, 3, 3]);
    }
}
