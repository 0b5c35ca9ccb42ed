//! Reads bits, most significant first.

/// A position within bytes. Beyond their end there are zeros, which only [`Bits::skip`] and [`Bits::ahead`] can reach.
#[derive(Clone)]
pub(super) struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Bits<'a> {
    /// Creates a reader of the bits from bit `at` on.
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// Returns the number of bits before the next.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Returns the number of bits that are left; `None` beyond the end.
    pub(super) fn left(&self) -> Option<usize> {
        (self.bytes.len() * 8).checked_sub(self.at)
    }

    /// Returns the next 56 bits or more, from the highest on.
    #[inline(always)]
    pub(super) fn ahead(&self) -> u64 {
        let rest = self.bytes.get(self.at / 8..).unwrap_or_default();
        let word = match rest.first_chunk::<8>() {
            Some(eight) => u64::from_be_bytes(*eight),
            None => (0..8).fold(0, |word, at| word << 8 | u64::from(rest.get(at).copied().unwrap_or(0))),
        };
        word << (self.at % 8)
    }

    /// Goes on by so many bits.
    #[inline(always)]
    pub(super) fn skip(&mut self, count: usize) {
        self.at += count;
    }

    /// Reads a number of up to 32 bits; `None` if fewer are left.
    #[inline(always)]
    pub(super) fn take(&mut self, count: usize) -> Option<u32> {
        // In two steps, because a count of 0 would shift by 64.
        let value = (self.ahead() >> 1 >> (63 - count)) as u32;
        self.at += count;
        self.left().map(|_| value)
    }

    /// Goes to the next whole byte.
    pub(super) fn align(&mut self) {
        self.at = self.at.next_multiple_of(8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_all_widths_up_to_the_end() {
        let bytes: Vec<u8> = (0..97u32).map(|n| (n * n * 41 + n * 11) as u8).collect();
        let bit = |at: usize| u32::from(bytes[at / 8] >> (7 - at % 8) & 1);
        let mut bits = Bits::new(&bytes, 0);
        let (mut at, mut count) = (0, 0);
        while at + count <= 8 * bytes.len() {
            let expected = (at..at + count).fold(0, |value, at| value << 1 | bit(at));
            assert_eq!(bits.take(count), Some(expected), "{count} bits from {at}");
            at += count;
            assert_eq!((bits.at(), bits.left()), (at, Some(8 * bytes.len() - at)));
            count = (count + 13) % 33;
        }
        assert_eq!(bits.take(count), None);
        assert_eq!((bits.left(), bits.ahead()), (None, 0));
    }
}
