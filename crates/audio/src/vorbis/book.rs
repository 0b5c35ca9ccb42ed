//! A codebook of the setup header (section 3.2.1), and the memory that the decoder allocates for it.

use super::Fault;
use super::bits::{Bits, bits_of};

/// Limits of the decoder itself.
const MAX_DIMENSIONS: u32 = 32;
const MAX_ENTRIES: u32 = 128 << 10;
/// The maximum number of code word bits that one table of the decoder looks up.
const TABLE_BITS: usize = 8;
/// The size of such a table in bytes, including temporary memory while it is built.
const TABLE_BYTES: u64 = (8 << TABLE_BITS) + 256;
/// Bytes per entry for its code word, length and value while the tables are built.
const ENTRY_BYTES: u64 = 32;

/// The properties of a codebook that the rest of the header needs.
#[derive(Debug)]
pub(super) struct Book {
    /// Values per vector. For the classes of a residue, the number of partitions that one code word classifies.
    pub dimensions: u32,
    /// An upper bound of the decoder's memory for the codebook in bytes.
    pub memory: u64,
}

impl Book {
    pub fn read(bits: &mut Bits) -> Result<Self, Fault> {
        if bits.take(24)? != 0x56_4342 {
            return Err(Fault::malformed("a code book does not begin with its mark"));
        }
        let (dimensions, entries) = (bits.take(16)?, bits.take(24)?);
        if dimensions == 0 || entries == 0 {
            let found = format!("a code book has {entries} entries of {dimensions} dimensions; both are at least 1");
            return Err(Fault::Malformed(found));
        }
        Fault::limit("dimensions of a Vorbis code book", u64::from(dimensions), u64::from(MAX_DIMENSIONS))?;
        Fault::limit("entries of a Vorbis code book", u64::from(entries), u64::from(MAX_ENTRIES))?;
        let lengths = lengths(bits, entries)?;
        let vectors = match bits.take(4)? {
            0 => 0,
            kind @ (1 | 2) => {
                bits.skip(64)?;
                let (width, _sequence) = (bits.take(4)? + 1, bits.flag()?);
                let values = if kind == 1 { roots(entries, dimensions)? } else { entries * dimensions };
                bits.skip(u64::from(values) * u64::from(width))?;
                u64::from(entries) * u64::from(dimensions) * 4 + u64::from(values) * 4
            }
            kind => return Err(Fault::Malformed(format!("a code book has a lookup of type {kind}; 0, 1 and 2 exist"))),
        };
        Ok(Self { dimensions, memory: vectors + u64::from(entries) * ENTRY_BYTES + tables(&lengths) * TABLE_BYTES })
    }
}

/// Returns the number of code words of each length, 1 to 32 bits.
fn lengths(bits: &mut Bits, entries: u32) -> Result<[u32; 33], Fault> {
    let mut counts = [0; 33];
    if bits.flag()? {
        let (mut length, mut done) = (bits.take(5)? + 1, 0);
        while done < entries {
            let count = bits.take(bits_of(entries - done))?;
            if length > 32 || count > entries - done {
                return Err(Fault::malformed("the lengths of a code book's words do not come out"));
            }
            counts[length as usize] += count;
            done += count;
            length += 1;
        }
    } else {
        let sparse = bits.flag()?;
        for _ in 0..entries {
            if !sparse || bits.flag()? {
                counts[bits.take(5)? as usize + 1] += 1;
            }
        }
    }
    Ok(counts)
}

/// Returns an upper bound of the number of tables for code words of these lengths: one per prefix of 8, 16 or 24 bits
/// that has longer words. At least two words share such a prefix, because the code tree is complete.
fn tables(lengths: &[u32; 33]) -> u64 {
    let longer = |than: usize| lengths[than + 1..].iter().map(|count| u64::from(*count)).sum::<u64>();
    1 + [TABLE_BITS, 2 * TABLE_BITS, 3 * TABLE_BITS]
        .into_iter()
        .map(|prefix| longer(prefix).div_ceil(2).min(1 << prefix))
        .sum::<u64>()
}

/// Returns the largest number whose power of `dimensions` is at most `entries` (section 9.2.3).
///
/// The decoder computes it as a root in `f32`. A header for which that is inexact is refused, because the decoder would
/// continue at the wrong bit.
fn roots(entries: u32, dimensions: u32) -> Result<u32, Fault> {
    let fits = |root: u32| root.checked_pow(dimensions).is_some_and(|power| power <= entries);
    let rough = (entries as f32).powf(1.0 / dimensions as f32).floor() as u32;
    if fits(rough) && !fits(rough + 1) {
        return Ok(rough);
    }
    Err(Fault::Unsupported(format!("its code book of {entries} entries has {dimensions} dimensions")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_exact_for_all_that_encoders_write() {
        for root in 2u32..=128 {
            for dimensions in 2..=16 {
                let Some(entries) = root.checked_pow(dimensions).filter(|entries| *entries <= MAX_ENTRIES) else {
                    continue;
                };
                let found = [entries, entries + 1].map(|entries| roots(entries, dimensions).ok());
                assert_eq!(found, [Some(root); 2], "{root} to the {dimensions}");
            }
        }
    }

    #[test]
    fn tables_are_counted_by_prefixes() {
        let mut lengths = [0; 33];
        lengths[8] = 256;
        assert_eq!(tables(&lengths), 1);
        lengths[8] = 255;
        lengths[9] = 2;
        assert_eq!(tables(&lengths), 2);
        lengths = [0; 33];
        lengths[17] = 1 << 17;
        assert_eq!(tables(&lengths), 1 + 256 + 65_536);
    }
}
