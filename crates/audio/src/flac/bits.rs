//! Reads bits, most significant first.

/// The largest Rice parameter with which no code within a word exceeds 32 bits: up to 63 zeros stand for 6 bits.
const MAX_SMALL_PARAMETER: u32 = 26;

/// A position within bytes. Beyond their end there is nothing to read.
pub(super) struct Bits<'a> {
    /// The number of bytes in all.
    bytes: usize,
    /// The bytes that `held` does not count.
    rest: &'a [u8],
    /// The next bits, from the highest on. Below `count` bits it may already have some of the rest.
    held: u64,
    /// The number of bits in `held` that count, at most 63.
    count: u32,
}

impl<'a> Bits<'a> {
    /// Creates a reader of the bytes from `at` on.
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes: bytes.len(), rest: bytes.get(at..).unwrap_or_default(), held: 0, count: 0 }
    }

    /// Fills `held` to at least 56 bits, or with all that is left.
    #[inline(always)]
    fn refill(&mut self) {
        let Some(eight) = self.rest.first_chunk::<8>() else { return self.refill_at_end() };
        self.held |= u64::from_be_bytes(*eight) >> self.count;
        // As many whole bytes as fit, up to 63 bits.
        self.rest = &self.rest[((self.count ^ 63) >> 3 & 7) as usize..];
        self.count |= 0x38;
    }

    #[cold]
    fn refill_at_end(&mut self) {
        while self.count < 56
            && let Some((byte, rest)) = self.rest.split_first()
        {
            self.held |= u64::from(*byte) << (56 - self.count);
            self.rest = rest;
            self.count += 8;
        }
    }

    /// Reads a number of up to 56 bits.
    #[inline(always)]
    pub(super) fn take(&mut self, width: u32) -> Option<u64> {
        if self.count < width {
            self.refill();
        }
        self.count = self.count.checked_sub(width)?;
        // In two steps, because a width of 0 would shift by 64.
        let value = self.held >> 1 >> (63 - width);
        self.held <<= width;
        Some(value)
    }

    /// Reads a number of 1 to 56 bits in two's complement.
    #[inline(always)]
    pub(super) fn take_signed(&mut self, width: u32) -> Option<i64> {
        let value = self.take(width)?;
        Some((value << (64 - width)) as i64 >> (64 - width))
    }

    /// Reads zeros up to a one, and returns how many.
    pub(super) fn take_unary(&mut self) -> Option<u32> {
        let mut before = 0;
        loop {
            self.refill();
            let zeros = self.held.leading_zeros();
            if zeros < self.count {
                self.held = self.held << zeros << 1;
                self.count -= zeros + 1;
                return Some(before + zeros);
            }
            if self.count == 0 {
                return None;
            }
            before += self.count;
            (self.held, self.count) = (0, 0);
        }
    }

    /// Fills `out` with numbers in Rice coding with a parameter of up to 30. Returns `None` if one exceeds 32 bits or the
    /// bytes end.
    pub(super) fn take_rice<S: From<i32>>(&mut self, parameter: u32, out: &mut [S]) -> Option<()> {
        if parameter > MAX_SMALL_PARAMETER {
            for out in out {
                *out = S::from(self.take_long_rice(parameter)?);
            }
            return Some(());
        }
        // A copy on the stack of this function stays in registers.
        let mut here = Self { ..*self };
        for out in out {
            here.refill();
            let zeros = here.held.leading_zeros();
            *out = S::from(if zeros + 1 + parameter <= here.count {
                // The one, with which the code's lower part begins, is the highest bit.
                let low = here.held << zeros;
                here.held = low << (parameter + 1);
                here.count -= zeros + 1 + parameter;
                unfolded((zeros.wrapping_sub(1) << parameter).wrapping_add((low >> (63 - parameter)) as u32))
            } else {
                let mut slow = Self { ..here };
                let value = slow.take_long_rice(parameter)?;
                here = slow;
                value
            });
        }
        *self = here;
        Some(())
    }

    /// Reads a Rice code of any length.
    #[cold]
    fn take_long_rice(&mut self, parameter: u32) -> Option<i32> {
        let high = u64::from(self.take_unary()?);
        let folded = high << parameter | self.take(parameter)?;
        u32::try_from(folded).ok().map(unfolded)
    }

    /// Returns the next whole byte's offset.
    pub(super) fn byte(&self) -> usize {
        self.bytes - self.rest.len() - self.count as usize / 8
    }
}

/// Returns the signed number that an unsigned one stands for: 0, -1, 1, -2 and so on.
const fn unfolded(folded: u32) -> i32 {
    (folded >> 1) as i32 ^ -((folded & 1) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_all_widths_up_to_the_end() {
        let bytes: Vec<u8> = (0..97u32).map(|n| (n * n * 41 + n * 11) as u8).collect();
        let bit = |at: usize| u64::from(bytes[at / 8] >> (7 - at % 8) & 1);
        let mut bits = Bits::new(&bytes, 0);
        let (mut at, mut width) = (0, 0);
        while at + width <= 8 * bytes.len() {
            let expected = (at..at + width).fold(0, |value, at| value << 1 | bit(at));
            assert_eq!(bits.take(width as u32), Some(expected), "{width} bits from {at}");
            at += width;
            assert_eq!(bits.byte(), at.div_ceil(8), "after {at} bits");
            width = (width + 13) % 57;
        }
        assert_eq!(bits.take(width as u32), None);
    }

    #[test]
    fn zeros_are_counted_over_any_distance() {
        for zeros in [0, 1, 7, 8, 55, 56, 57, 63, 64, 65, 700] {
            for lead in 0..9 {
                let mut bytes = vec![0; (lead + zeros) / 8 + 1];
                bytes[(lead + zeros) / 8] |= 0x80 >> ((lead + zeros) % 8);
                let mut bits = Bits::new(&bytes, 0);
                assert_eq!(bits.take(lead as u32), Some(0));
                assert_eq!(bits.take_unary(), Some(zeros as u32), "{zeros} zeros after {lead} bits");
                assert_eq!(bits.take_unary(), None);
            }
        }
    }

    #[test]
    fn a_rice_code_beyond_32_bits_is_refused() {
        let read = |bytes: &[u8], parameter| {
            let mut read = [0i32];
            Bits::new(bytes, 0).take_rice(parameter, &mut read).map(|()| read[0])
        };
        // Three zeros, a one and 30 bits are 3 << 30 | bits, the largest number of 32 bits; four zeros are beyond.
        assert_eq!(read(&[0x1f, 0xff, 0xff, 0xff, 0xff, 0], 30), Some(i32::MIN));
        assert_eq!(read(&[0x1f, 0xff, 0xff, 0xff, 0xbf, 0], 30), Some(i32::MAX));
        assert_eq!(read(&[0x0f, 0xff, 0xff, 0xff, 0xff, 0], 30), None);
        assert_eq!(read(&[0, 0, 0, 0, 0, 0, 0, 0], 3), None);
    }
}
