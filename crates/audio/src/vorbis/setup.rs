//! The setup header (section 4.2.4).

use super::Fault;
use super::bits::{Bits, below, bits_of, put};
use super::book::Book;
use super::coupling::{Step, Submap, may_be_reversed};
use super::residue::Residue;

/// The marker before the bits.
const MARK: &[u8] = b"\x05vorbis";
/// The maximum memory of the decoder for all codebooks in bytes. Those of encoders take up to 8 MiB.
const MAX_BOOK_BYTES: u64 = 40 << 20;
/// The maximum number of points in a floor's curve (section 7.2.2).
const MAX_POINTS: usize = 65;

/// The result of reading a setup header.
#[derive(Debug, PartialEq)]
pub(super) struct Setup {
    /// The header for the decoder, with the coupling steps in reverse order.
    pub bytes: Vec<u8>,
    /// For each mode, whether its blocks are long.
    pub long: Vec<bool>,
}

impl Setup {
    /// Reads the header of a stream with `channels` channels and blocks of `sizes` frames.
    pub fn read(header: &[u8], channels: u32, sizes: [u32; 2]) -> Result<Self, Fault> {
        let Some(body) = header.strip_prefix(MARK) else {
            return Err(Fault::malformed("the last is no setup header"));
        };
        let mut bits = Bits::new(body);
        let books = read_books(&mut bits)?;
        let count = books.len() as u32;
        for _ in 0..=bits.take(6)? {
            if bits.take(16)? != 0 {
                return Err(Fault::malformed("it has a transform of the time domain, of which none exist"));
            }
        }
        let floors = bits.take(6)? + 1;
        for _ in 0..floors {
            match bits.take(16)? {
                0 => check_floor_0(&mut bits, count)?,
                1 => check_floor_1(&mut bits, count)?,
                kind => return Err(Fault::Malformed(format!("a floor has type {kind}; 0 and 1 exist"))),
            }
        }
        let residues = (0..=bits.take(6)?).map(|_| Residue::read(&mut bits, &books)).collect::<Result<Vec<_>, _>>()?;
        let mut rewritten = body.to_vec();
        let mappings = bits.take(6)? + 1;
        for _ in 0..mappings {
            let mapping = Mapping::read(&mut bits, channels, floors, &residues)?;
            mapping.check(channels)?;
            mapping.reverse(&mut rewritten);
            for part in mapping.parts.iter().filter(|part| !part.interleaved && part.channels.count_ones() > 1) {
                residues[part.residue].end_with_whole_word(&mut rewritten, sizes)?;
            }
        }
        let long = (0..=bits.take(6)?).map(|_| read_mode(&mut bits, mappings)).collect::<Result<Vec<_>, _>>()?;
        if !bits.flag()? {
            return Err(Fault::malformed("the setup header has no end mark"));
        }
        Ok(Self { bytes: [MARK, &rewritten].concat(), long })
    }
}

/// Reads all codebooks.
fn read_books(bits: &mut Bits) -> Result<Vec<Book>, Fault> {
    let (mut books, mut memory) = (Vec::new(), 0);
    for _ in 0..=bits.take(8)? {
        let book = Book::read(bits)?;
        memory += book.memory;
        Fault::limit("bytes of memory for the Vorbis code books", memory, MAX_BOOK_BYTES)?;
        books.push(book);
    }
    Ok(books)
}

fn check_floor_0(bits: &mut Bits, books: u32) -> Result<(), Fault> {
    // Order, rate, map size, amplitude bits and amplitude offset.
    bits.skip(8 + 16 + 16 + 6 + 8)?;
    for _ in 0..=bits.take(4)? {
        below("code book", bits.take(8)?, books)?;
    }
    Ok(())
}

fn check_floor_1(bits: &mut Bits, books: u32) -> Result<(), Fault> {
    let partitions = (0..bits.take(5)?).map(|_| bits.take(4)).collect::<Result<Vec<_>, _>>()?;
    let classes = partitions.iter().max().map_or(0, |most| most + 1);
    let mut dimensions = Vec::new();
    for _ in 0..classes {
        dimensions.push(bits.take(3)? + 1);
        let subclasses = bits.take(2)?;
        if subclasses > 0 {
            below("code book", bits.take(8)?, books)?;
        }
        for _ in 0..1 << subclasses {
            // 0 means no book.
            let book = bits.take(8)?;
            below("code book", book.saturating_sub(1), books)?;
        }
    }
    bits.skip(2)?;
    let width = bits.take(4)?;
    let mut points = vec![0, 1 << width];
    for class in partitions {
        for _ in 0..dimensions[class as usize] {
            points.push(bits.take(width)?);
        }
    }
    Fault::limit("points of a Vorbis floor", points.len() as u64, MAX_POINTS as u64)?;
    points.sort_unstable();
    if points.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(Fault::malformed("a floor has two points at one place"));
    }
    Ok(())
}

/// How the channels are coded together.
struct Mapping {
    /// The bit index of the first coupling step.
    at: usize,
    /// Bits per channel number.
    width: u32,
    steps: Vec<Step>,
    parts: Vec<Submap>,
}

impl Mapping {
    fn read(bits: &mut Bits, channels: u32, floors: u32, residues: &[Residue]) -> Result<Self, Fault> {
        below("type of mapping", bits.take(16)?, 1)?;
        let submaps = if bits.flag()? { bits.take(4)? + 1 } else { 1 };
        let count = if bits.flag()? { bits.take(8)? + 1 } else { 0 };
        let (at, width) = (bits.at(), bits_of(channels.saturating_sub(1)));
        let mut steps = Vec::new();
        for _ in 0..count {
            let (magnitude, angle) = (bits.take(width)?, bits.take(width)?);
            if magnitude == angle {
                return Err(Fault::malformed("a channel is coupled with itself"));
            }
            steps.push((below("channel", magnitude, channels)?, below("channel", angle, channels)?));
        }
        if bits.take(2)? != 0 {
            return Err(Fault::malformed("bits are set that have no meaning"));
        }
        let mut parts = vec![Submap { channels: 0, interleaved: false, residue: 0 }; submaps as usize];
        for channel in 0..channels {
            let submap = if submaps > 1 { below("submap", bits.take(4)?, submaps)? } else { 0 };
            parts[submap as usize].channels |= 1 << channel;
        }
        for part in &mut parts {
            bits.skip(8)?;
            below("floor", bits.take(8)?, floors)?;
            let residue = below("residue", bits.take(8)?, residues.len() as u32)?;
            (part.residue, part.interleaved) = (residue as usize, residues[residue as usize].interleaved);
        }
        Ok(Self { at, width, steps, parts })
    }

    /// Refuses mappings that the decoder would decode wrongly.
    fn check(&self, channels: u32) -> Result<(), Fault> {
        if !may_be_reversed(&self.steps, channels, &self.parts) {
            return Err(Fault::Unsupported("it couples channels in a chain that no known encoder writes".to_owned()));
        }
        // The decoder (0.6.1) uses the wrong channels for an interleaved pair that does not include the first channel.
        if self.parts.iter().any(|part| part.interleaved && part.channels.count_ones() == 2 && part.channels & 1 == 0) {
            return Err(Fault::Unsupported("it interleaves two channels of which none is the first".to_owned()));
        }
        Ok(())
    }

    /// Writes the coupling steps in reverse order.
    fn reverse(&self, body: &mut [u8]) {
        for (place, (magnitude, angle)) in self.steps.iter().rev().enumerate() {
            let at = self.at + place * 2 * self.width as usize;
            put(body, at, self.width, *magnitude);
            put(body, at + self.width as usize, self.width, *angle);
        }
    }
}

/// Reads a mode. Returns whether its blocks are long.
fn read_mode(bits: &mut Bits, mappings: u32) -> Result<bool, Fault> {
    let long = bits.flag()?;
    if bits.take(32)? != 0 {
        return Err(Fault::malformed("a mode has a window or transform that does not exist"));
    }
    below("mapping", bits.take(8)?, mappings)?;
    Ok(long)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds a header from fields given as `(value, bits)`.
    fn header(fields: &[(u32, u32)]) -> Vec<u8> {
        let count: usize = fields.iter().map(|(_, count)| *count as usize).sum();
        let (mut body, mut at) = (vec![0; count.div_ceil(8)], 0);
        for (value, count) in fields {
            put(&mut body, at, *count, *value);
            at += *count as usize;
        }
        [MARK, &body].concat()
    }

    /// A codebook of two entries without vectors.
    const SMALL: [(u32, u32); 8] = [(0x56_4342, 24), (1, 16), (2, 24), (0, 1), (0, 1), (0, 5), (0, 5), (0, 4)];

    /// The setup header of a 5.1 file by `oggenc`.
    fn surround() -> Vec<u8> {
        let file =
            std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/reference/audio/surround.ogg")).unwrap();
        let (mut packets, mut packet, mut at) = (Vec::new(), Vec::new(), 0);
        while packets.len() < 3 {
            let laces = usize::from(file[at + 26]);
            let mut from = at + 27 + laces;
            for lace in &file[at + 27..at + 27 + laces] {
                packet.extend(&file[from..from + usize::from(*lace)]);
                from += usize::from(*lace);
                if *lace < 255 {
                    packets.push(std::mem::take(&mut packet));
                }
            }
            at = from;
        }
        packets.swap_remove(2)
    }

    #[test]
    fn the_steps_of_a_real_header_are_reversed_and_nothing_else() {
        let header = surround();
        let once = Setup::read(&header, 6, [256, 2048]).unwrap();
        assert_ne!(once.bytes, header);
        let changed = once.bytes.iter().zip(&header).filter(|(one, other)| one != other).count();
        // Two mappings, each with four steps of two three-bit numbers.
        assert!(changed <= 2 * 4, "{changed} bytes");
        assert_eq!(Setup::read(&once.bytes, 6, [256, 2048]).unwrap().bytes, header);
        assert_eq!(once.long, [false, true]);
        assert!((1..header.len()).all(|end| Setup::read(&header[..end], 6, [256, 2048]).is_err()));
    }

    #[test]
    fn books_that_unfold_to_gigabytes_are_refused() {
        let large = |dimensions, depth: u32| {
            let entries = 1 << depth;
            let mut book = vec![(0x56_4342, 24), (dimensions, 16), (entries, 24), (1, 1), (depth - 1, 5)];
            book.extend([(entries, depth + 1), (1, 4), (0, 32), (0, 32), (0, 4), (0, 1)]);
            // Two values per dimension.
            book.extend([(0, 1), (0, 1)]);
            book
        };
        let books = |count: u32, book: &[(u32, u32)]| {
            header(&[&[(count - 1, 8)], book.repeat(count as usize).as_slice()].concat())
        };
        let refused = |header: &[u8]| match Setup::read(header, 1, [256, 2048]) {
            Err(Fault::Limit { what, .. }) => what,
            other => panic!("{other:?}"),
        };
        assert_eq!(refused(&books(64, &large(15, 15))), "bytes of memory for the Vorbis code books");
        assert_eq!(refused(&books(1, &large(15, 19))), "entries of a Vorbis code book");
        assert_eq!(refused(&books(1, &large(33, 15))), "dimensions of a Vorbis code book");
        // Four such books are accepted; the error is that nothing follows them.
        assert!(matches!(Setup::read(&books(4, &large(15, 15)), 1, [256, 2048]), Err(Fault::Malformed(_))));
    }

    #[test]
    fn a_floor_with_two_points_at_one_place_is_refused() {
        let with = |points: [u32; 2]| {
            let floor = [(0, 6), (1, 16), (1, 5), (0, 4), (1, 3), (0, 2), (0, 8), (0, 2), (4, 4)];
            let points = points.map(|point| (point, 4));
            Setup::read(&header(&[&[(0, 8)], &SMALL[..], &[(0, 6), (0, 16)], &floor, &points].concat()), 1, [256, 2048])
        };
        let end = Fault::malformed("the setup header ends too early");
        assert_eq!(with([3, 5]), Err(end));
        for points in [[3, 3], [0, 5]] {
            assert_eq!(with(points), Err(Fault::malformed("a floor has two points at one place")));
        }
    }
}
