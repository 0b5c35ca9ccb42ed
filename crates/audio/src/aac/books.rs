//! The lengths of the Huffman codes of AAC (ISO/IEC 14496-3, annex 4.A.5).
//!
//! All books are complete and canonical: the codes of one length are consecutive, and follow those of smaller lengths. So
//! the number of codes of each length says where a code ends, and which it is in the order of its bits. The coefficients
//! that codes stand for are not needed here. `tests/reference/aac.py` finds these numbers by experiment.

use std::sync::LazyLock;

/// The number of codes of each length from one bit on, and for each code the number of sign bits that follow it. Where
/// there is none, values have their signs in the code.
type Lengths = (&'static [u8], &'static [u8]);

/// The books of coefficients. The first four have codes for four, the others for two.
const SPECTRAL: [Lengths; 11] = [
    (&[1, 0, 0, 0, 8, 0, 24, 0, 24, 8, 16], b""),
    (&[0, 0, 1, 1, 7, 24, 15, 19, 14], b""),
    (
        &[1, 0, 0, 4, 2, 6, 3, 5, 15, 15, 8, 9, 3, 3, 5, 2],
        b"011112222232343311223232331221224334323244332333223243344233333344442233434443233",
    ),
    (
        &[0, 0, 0, 10, 6, 0, 9, 21, 8, 14, 11, 2],
        b"433331202222121144443333333333332222222222221111444444333333333433344422222243333",
    ),
    (&[1, 0, 0, 4, 4, 0, 4, 12, 12, 12, 18, 10, 4], b""),
    (&[0, 0, 0, 9, 0, 16, 13, 8, 23, 8, 4], b""),
    (&[1, 0, 2, 1, 0, 4, 5, 10, 14, 15, 8, 4], b"0112221122211222222221122212122222222211222222222222112222222222"),
    (&[0, 0, 1, 5, 7, 10, 14, 15, 8, 4], b"2212120112222222221122222222221212222222121222222222221212222112"),
    (
        &[1, 0, 2, 1, 0, 4, 3, 8, 11, 20, 31, 38, 32, 14, 4],
        b"0112221122211222222221122222221212222222212222222212221222212222112222222222222122212222222222222222\
        222212212222222122222222222222212212222122222222222222222222222222222",
    ),
    (
        &[0, 0, 0, 3, 8, 14, 17, 25, 31, 41, 22, 8],
        b"2222112222211222202211222222222222121222222222222121222222222222222222122222122222222222222222121222\
        222212222221222222222222222221212122222222222222212122212221222222122",
    ),
    (
        &[0, 0, 0, 2, 6, 7, 16, 59, 55, 95, 43, 6],
        b"0221122222212122222221122222222222222222222221212222222222222222222222222222222222122222212222222222\
        2222222212222221222222222222221222222222221222222121222222222222222222222222222222122222222222222222\
        21222222222222222222222222222112222222222222222222222222212212122212222211222212212112112",
    ),
];
/// The book of differences of scale factors.
const FACTORS: Lengths = (&[1, 0, 1, 3, 2, 4, 3, 5, 4, 6, 6, 6, 5, 8, 4, 7, 3, 7, 46], b"");
/// For each code of the last book of coefficients the number of escapes.
const ESCAPES: &[u8] =
    b"0020000000000000000000000000000000000011111010001011110000011001110010111010011000011000000110010100\
    0000010000000000000000000000000000000000001000000100000000000000000000000000000000000000000000000000\
    00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000";

/// The length of the longest code.
const LONGEST: u32 = 19;
/// Codes of up to this length, with their signs, are found in a table.
const SHORT: u32 = 10;

/// A code with the sign bits behind it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Code {
    /// The number of bits.
    pub bits: u8,
    /// The number of escapes that follow.
    pub escapes: u8,
}

/// A book of Huffman codes.
pub(super) struct Book {
    /// The number of coefficients that a code stands for.
    pub values: usize,
    /// For the next bits the code that begins them; of no bits if it is longer.
    short: Vec<Code>,
    /// For each code the number that it is if all codes have the longest length, and the code.
    long: Vec<(u64, Code)>,
}

impl Book {
    fn new(values: usize, (lengths, signs): Lengths, escapes: &[u8]) -> Self {
        let digit = |digits: &[u8], at: usize| digits.get(at).map_or(0, |digit| digit - b'0');
        let (mut short, mut long, mut start) = (vec![Code::default(); 1 << SHORT], Vec::new(), 0);
        for (length, count) in (1..).zip(lengths) {
            for _ in 0..*count {
                let signs = digit(signs, long.len());
                let code = Code { bits: length as u8 + signs, escapes: digit(escapes, long.len()) };
                long.push((start, code));
                let end = start + (1 << (LONGEST - length));
                if length <= SHORT {
                    let [from, to] = [start, end].map(|bits| bits as usize >> (LONGEST - SHORT));
                    short[from..to].fill(code);
                }
                start = end;
            }
        }
        Self { values, short, long }
    }

    /// Returns the code with which these bits begin, from the highest on.
    #[inline(always)]
    pub(super) fn code(&self, bits: u64) -> Code {
        let code = self.short[(bits >> (64 - SHORT)) as usize];
        if code.bits > 0 { code } else { self.long_code(bits) }
    }

    #[cold]
    fn long_code(&self, bits: u64) -> Code {
        let bits = bits >> (64 - LONGEST);
        self.long[self.long.partition_point(|(start, _)| *start <= bits) - 1].1
    }
}

/// All books.
pub(super) struct Books {
    spectral: Vec<Book>,
    pub factors: Book,
}

impl Books {
    /// Returns the book of coefficients of a number; `None` for bands without a code.
    #[inline(always)]
    pub(super) fn spectral(&self, number: u8) -> Option<&Book> {
        self.spectral.get(usize::from(number).wrapping_sub(1))
    }
}

/// Returns all books.
pub(super) fn books() -> &'static Books {
    static BOOKS: LazyLock<Books> = LazyLock::new(|| Books {
        spectral: (1..)
            .zip(SPECTRAL)
            .map(|(number, lengths)| {
                Book::new(if number <= 4 { 4 } else { 2 }, lengths, if number == 11 { ESCAPES } else { b"" })
            })
            .collect(),
        factors: Book::new(1, FACTORS, b""),
    });
    &BOOKS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_book_has_a_code_for_any_bits() {
        let sizes = [81, 81, 81, 81, 81, 81, 64, 64, 169, 169, 289, 121];
        for (number, ((lengths, signs), size)) in SPECTRAL.into_iter().chain([FACTORS]).zip(sizes).enumerate() {
            let codes: usize = lengths.iter().map(|count| usize::from(*count)).sum();
            let whole: u64 = (1..).zip(lengths).map(|(length, count)| u64::from(*count) << (LONGEST - length)).sum();
            assert_eq!((codes, whole), (size, 1 << LONGEST), "book {}", number + 1);
            assert!(signs.is_empty() || signs.len() == size, "book {}", number + 1);
        }
        assert_eq!(ESCAPES.len(), 289);
        assert_eq!(ESCAPES.iter().map(|digit| u32::from(digit - b'0')).sum::<u32>(), 2 + 2 * 16);
    }
}
