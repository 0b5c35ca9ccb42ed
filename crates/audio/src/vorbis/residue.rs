//! A residue of the setup header (section 8.6.1).

use super::Fault;
use super::bits::{Bits, below, put};
use super::book::Book;

/// The properties of a residue that the rest of the header needs.
#[derive(Debug)]
pub(super) struct Residue {
    /// Whether it interleaves its channels (type 2).
    pub interleaved: bool,
    begin: u32,
    end: u32,
    partition: u32,
    /// The number of partitions that one code word classifies.
    word: u32,
    /// Whether partitions of the first class have no data.
    first_class_is_empty: bool,
    /// The bit index of the field `end`.
    end_at: usize,
}

impl Residue {
    pub fn read(bits: &mut Bits, books: &[Book]) -> Result<Self, Fault> {
        let count = books.len() as u32;
        let kind = below("type of residue", bits.take(16)?, 3)?;
        let begin = bits.take(24)?;
        let end_at = bits.at();
        let (end, partition) = (bits.take(24)?, bits.take(24)? + 1);
        if end < begin {
            return Err(Fault::Malformed(format!("a residue goes from {begin} to {end}")));
        }
        let classes = bits.take(6)? + 1;
        let word = books[below("code book", bits.take(8)?, count)? as usize].dimensions;
        let mut passes = Vec::new();
        for _ in 0..classes {
            let low = bits.take(3)?;
            let high = if bits.flag()? { bits.take(5)? } else { 0 };
            passes.push((high << 3 | low).count_ones());
        }
        for _ in 0..passes.iter().sum::<u32>() {
            below("code book", bits.take(8)?, count)?;
        }
        let first_class_is_empty = passes[0] == 0;
        Ok(Self { interleaved: kind == 2, begin, end, partition, word, first_class_is_empty, end_at })
    }

    /// Returns the number of partitions in a vector of `values` values, if the residue ended at `end`.
    fn partitions(&self, end: u32, values: u32) -> u32 {
        (end.min(values) - self.begin.min(values)) / self.partition
    }

    /// Makes the residue end with a whole classification word if it codes several channels separately.
    ///
    /// If the last word extends beyond the end, the decoder (0.6.1) overwrites the classes of the next channel.
    /// Encoders pad such a word with the first class, which has no data. The residue can therefore be extended to the
    /// end of the word.
    ///
    /// # Errors
    /// A fault if the first class has data, or if there is no room in blocks of `sizes` frames.
    pub fn end_with_whole_word(&self, body: &mut [u8], sizes: [u32; 2]) -> Result<(), Fault> {
        let values = sizes.map(|size| size / 2);
        let is_whole = |end| values.iter().all(|values| self.partitions(end, *values).is_multiple_of(self.word));
        if is_whole(self.end) {
            return Ok(());
        }
        let words = |end, values| self.partitions(end, values).div_ceil(self.word);
        let same = |end| values.iter().all(|values| words(end, *values) == words(self.end, *values));
        let candidates = values.map(|values| self.begin + words(self.end, values) * self.word * self.partition);
        let Some(end) = candidates.into_iter().find(|end| self.first_class_is_empty && is_whole(*end) && same(*end))
        else {
            return Err(Fault::Unsupported(format!(
                "it divides {} to {} of {} and {} values into classes of {} by words of {}",
                self.begin, self.end, values[0], values[1], self.partition, self.word
            )));
        };
        put(body, self.end_at, 24, end);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNEVEN: Residue = Residue {
        interleaved: false,
        begin: 0,
        end: 26 * 32,
        partition: 32,
        word: 4,
        first_class_is_empty: true,
        end_at: 3,
    };

    #[test]
    fn the_end_moves_to_that_of_a_word_of_classes() {
        let end_of = |residue: &Residue, sizes| {
            let mut body = [0; 8];
            put(&mut body, 3, 24, residue.end);
            residue.end_with_whole_word(&mut body, sizes).ok()?;
            let mut bits = Bits::new(&body);
            bits.skip(3).ok()?;
            bits.take(24).ok()
        };
        assert_eq!(end_of(&UNEVEN, [256, 2048]), Some(28 * 32));
        assert_eq!(end_of(&Residue { end: 24 * 32, ..UNEVEN }, [256, 2048]), Some(24 * 32));
        // There is no room beyond the block, and data of the first class would be read.
        assert_eq!(end_of(&Residue { end: 5000, word: 7, ..UNEVEN }, [256, 2048]), None);
        assert_eq!(end_of(&Residue { first_class_is_empty: false, ..UNEVEN }, [256, 2048]), None);
    }
}
