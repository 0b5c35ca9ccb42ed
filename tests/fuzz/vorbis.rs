//! Grammar-based Vorbis (Vorbis I specification, section 4.2): complete headers whose codebooks, floors, residues and
//! mappings are mostly valid, with extreme counts and sizes, and packets of random bits.

use super::bytes::open_and_read;
use super::harness::{Limits, Random, run};
use super::ogg;

/// A bit writer, least significant bit first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    free: u32,
}

impl Bits {
    fn put(&mut self, value: u64, count: u32) {
        for bit in 0..count {
            if self.free == 0 {
                self.bytes.push(0);
                self.free = 8;
            }
            let last = self.bytes.len() - 1;
            self.bytes[last] |= ((value >> bit & 1) as u8) << (8 - self.free);
            self.free -= 1;
        }
    }
}

fn bits_of(value: u64) -> u32 {
    64 - value.leading_zeros()
}

/// Returns the maximum number of values per dimension for a number of entries.
fn roots(entries: u64, dimensions: u64) -> u64 {
    match dimensions {
        0 => 0,
        1 => entries,
        _ => {
            let fits = |root: u64| root.checked_pow(dimensions.min(64) as u32).is_some_and(|power| power <= entries);
            (1..=entries).take_while(|root| fits(*root)).last().unwrap_or(0)
        }
    }
}

/// Writes a codebook. A `large` one expands to more memory than a file may use.
fn book(bits: &mut Bits, random: &mut Random, large: bool) {
    let depth = if large { 12 + random.below(8) } else { 1 + random.below(9) } as u32;
    let dimensions = match random.below(40) {
        0 => random.extreme(16),
        1..5 => 32,
        _ if large => 16,
        _ => 1 + random.below(8),
    };
    bits.put(0x56_4342, 24);
    bits.put(dimensions, 16);
    let entries = match random.below(6) {
        // All code words have the same length, stored as an ordered list.
        0 | 1 => {
            bits.put(1 << depth, 24);
            bits.put(1, 1);
            bits.put(u64::from(depth) - 1, 5);
            bits.put(1 << depth, depth + 1);
            1 << depth
        }
        // Maximally skewed: one word of each length, two of the longest.
        2 => {
            let most = if random.once_in(40) { 40 } else { 31 };
            let longest = 2 + random.below(most);
            bits.put(longest + 1, 24);
            bits.put(1, 1);
            bits.put(0, 5);
            for left in (2..=longest + 1).rev() {
                let count = if left == 2 { 2 } else { 1 };
                bits.put(count, bits_of(left));
            }
            longest + 1
        }
        // Sparse: every second entry is used.
        3 if !large => {
            let entries = 2u64 << depth;
            bits.put(entries, 24);
            bits.put(0b10, 2);
            for entry in 0..entries {
                bits.put(entry & 1, 1);
                if entry & 1 == 1 {
                    bits.put(u64::from(depth) - 1, 5);
                }
            }
            entries
        }
        // A single entry, or inconsistent lengths.
        4 if random.once_in(8) => {
            let entries = if random.once_in(2) { 1 } else { random.extreme(24) };
            bits.put(entries, 24);
            bits.put(0, 2);
            for _ in 0..entries.min(300) {
                bits.put(if entries == 1 { 0 } else { random.below(32) }, 5);
            }
            entries
        }
        _ => {
            let entries = 1u64 << depth.min(14);
            bits.put(entries, 24);
            bits.put(0, 2);
            (0..entries).for_each(|_| bits.put(u64::from(depth.min(14)) - 1, 5));
            entries
        }
    };
    let lookup = if random.once_in(150) { random.below(16) } else { [0, 1, 1, 2][random.below(4) as usize] };
    let values = match lookup {
        1 => roots(entries, dimensions),
        2 if entries * dimensions < 1 << 14 => entries * dimensions,
        2 => {
            // A list of values that is missing.
            bits.put(1, 4);
            roots(entries, dimensions)
        }
        other => return bits.put(other, 4),
    };
    if lookup == 1 || entries * dimensions < 1 << 14 {
        bits.put(lookup, 4);
    }
    // Mantissa, exponent and sign of the minimum value and of the step.
    for _ in 0..2 {
        let exponent = if random.once_in(4) { random.below(1024) } else { 780 };
        bits.put(random.below(256) | exponent << 21 | random.below(2) << 31, 32);
    }
    let width = if random.once_in(8) { 16 } else { 1 + random.below(4) };
    bits.put(width - 1, 4);
    bits.put(random.below(2), 1);
    (0..values.min(1 << 16)).for_each(|_| bits.put(random.next(), width as u32));
}

/// Returns a number below `count`, rarely an invalid one.
fn index(random: &mut Random, count: u64, bits: u32) -> u64 {
    if random.once_in(150) { random.extreme(bits) } else { random.below(count) }
}

fn floor(bits: &mut Bits, random: &mut Random, books: u64) {
    if random.once_in(5) {
        bits.put(0, 16);
        bits.put(random.extreme(8), 8);
        [16, 16, 6, 8].into_iter().for_each(|width| bits.put(random.extreme(width), width));
        let count = random.below(16);
        bits.put(count, 4);
        (0..=count).for_each(|_| bits.put(index(random, books, 8), 8));
        return;
    }
    bits.put(1, 16);
    let partitions = if random.once_in(12) { random.extreme(5) } else { random.below(6) };
    bits.put(partitions, 5);
    let classes = if random.once_in(4) { 16 } else { 3 };
    let list: Vec<u64> = (0..partitions).map(|_| random.below(classes)).collect();
    list.iter().for_each(|class| bits.put(*class, 4));
    let mut sizes = Vec::new();
    for _ in 0..list.iter().max().map_or(0, |most| most + 1) {
        let most = if random.once_in(3) { 8 } else { 2 };
        sizes.push(random.below(most));
        let subclasses = random.below(4);
        bits.put(sizes[sizes.len() - 1], 3);
        bits.put(subclasses, 2);
        if subclasses > 0 {
            bits.put(index(random, books, 8), 8);
        }
        (0..1 << subclasses).for_each(|_| bits.put(index(random, books + 1, 8), 8));
    }
    bits.put(random.below(4), 2);
    let width = 4 + random.below(12);
    bits.put(width, 4);
    let mut taken = vec![0, 1 << width];
    for class in list {
        for _ in 0..=sizes[class as usize] {
            let mut point = random.below(1 << width);
            while taken.contains(&point) && taken.len() < 1 << width && !random.once_in(500) {
                point = random.below(1 << width);
            }
            taken.push(point);
            bits.put(point, width as u32);
        }
    }
}

fn residue(bits: &mut Bits, random: &mut Random, books: u64) {
    bits.put(random.below(3), 16);
    let mut size = |usual: u64| if random.once_in(5) { random.extreme(24) } else { random.below(usual) };
    let (begin, length, partition) = (size(8), size(8192), size(64));
    bits.put(begin, 24);
    bits.put((begin + length).min((1 << 24) - 1), 24);
    bits.put(partition, 24);
    let classes = if random.once_in(8) { random.extreme(6) } else { random.below(5) };
    bits.put(classes, 6);
    bits.put(index(random, books, 8), 8);
    let mut passes = 0;
    for _ in 0..=classes {
        let set = if random.once_in(4) { random.extreme(8) } else { random.below(4) };
        passes += set.count_ones();
        bits.put(set & 7, 3);
        bits.put(u64::from(set > 7), 1);
        if set > 7 {
            bits.put(set >> 3, 5);
        }
    }
    // Never the first codebook, which the decoder refuses.
    (0..passes).for_each(|_| bits.put(if books > 1 { 1 + index(random, books - 1, 8) } else { 0 }, 8));
}

fn mapping(bits: &mut Bits, random: &mut Random, channels: u64, floors: u64, residues: u64) {
    bits.put(0, 16);
    let submaps = if random.once_in(3) { 1 + random.below(16) } else { 1 };
    bits.put(u64::from(submaps > 1), 1);
    if submaps > 1 {
        bits.put(submaps - 1, 4);
    }
    let width = bits_of(channels.saturating_sub(1));
    let coupled = channels > 1 && !random.once_in(3);
    bits.put(u64::from(coupled), 1);
    if coupled {
        let steps = if random.once_in(10) { random.extreme(8) } else { random.below(channels) };
        bits.put(steps, 8);
        for _ in 0..=steps {
            let magnitude = index(random, channels, width);
            bits.put(magnitude, width);
            bits.put((magnitude + 1 + random.below(channels - 1)) % channels, width);
        }
    }
    bits.put(0, 2);
    if submaps > 1 {
        (0..channels).for_each(|_| bits.put(index(random, submaps, 4), 4));
    }
    for _ in 0..submaps {
        bits.put(0, 8);
        bits.put(index(random, floors, 8), 8);
        bits.put(index(random, residues, 8), 8);
    }
}

fn few(random: &mut Random, usual: u64, bits: u32) -> u64 {
    if random.once_in(20) { 1 + random.extreme(bits) } else { 1 + random.below(usual) }
}

/// Returns a setup header for a number of channels, and its number of modes.
fn setup(random: &mut Random, channels: u64) -> (Vec<u8>, u64) {
    let mut bits = Bits::default();
    let (books, large) = (few(random, 6, 8), random.once_in(4));
    bits.put(books - 1, 8);
    for _ in 0..books {
        let large = large && (books > 30 || random.once_in(2));
        book(&mut bits, random, large);
    }
    bits.put(0, 6);
    bits.put(0, 16);
    let floors = few(random, 2, 6);
    bits.put(floors - 1, 6);
    (0..floors).for_each(|_| floor(&mut bits, random, books));
    let residues = few(random, 2, 6);
    bits.put(residues - 1, 6);
    (0..residues).for_each(|_| residue(&mut bits, random, books));
    let mappings = few(random, 2, 6);
    bits.put(mappings - 1, 6);
    (0..mappings).for_each(|_| mapping(&mut bits, random, channels, floors, residues));
    let modes = few(random, 2, 6);
    bits.put(modes - 1, 6);
    for _ in 0..modes {
        bits.put(random.below(2), 1);
        bits.put(0, 32);
        bits.put(index(random, mappings, 8), 8);
    }
    bits.put(1, 1);
    ([b"\x05vorbis".as_slice(), &bits.bytes].concat(), modes)
}

fn packet(random: &mut Random, modes: u64) -> Vec<u8> {
    let mut bits = Bits::default();
    bits.put(u64::from(random.once_in(50)), 1);
    bits.put(random.below(modes), bits_of(modes - 1));
    // Many ones select used floors and long code words.
    let dense = random.below(4);
    for _ in 0..random.below(600) {
        bits.put(u64::from(random.below(4) >= dense), 1);
    }
    bits.bytes
}

fn file(random: &mut Random) -> Vec<u8> {
    let channels = if random.once_in(20) { random.extreme(8) } else { 1 + random.below(8) };
    let (short, long) = (6 + random.below(8), 6 + random.below(8));
    let (short, long) = if random.once_in(50) { (random.below(16), long) } else { (short.min(long), short.max(long)) };
    let mut first = b"\x01vorbis\0\0\0\0".to_vec();
    first.push(channels as u8);
    first.extend((if random.once_in(20) { random.extreme(32) as u32 } else { 44_100 }).to_le_bytes());
    first.extend([0; 12]);
    first.extend([(short | long << 4) as u8, 1]);
    let (setup, modes) = setup(random, channels);
    let comments = b"\x03vorbis\0\0\0\0\0\0\0\0\x01".to_vec();
    let packets: Vec<Vec<u8>> = (0..random.below(60)).map(|_| packet(random, modes)).collect();
    ogg::stream(random, &[first, comments, setup], &packets, 1 << (long - 1))
}

#[test]
fn vorbis() {
    // The headers' memory in the decoder is limited to 40 MiB; building its tables takes a little more.
    run("vorbis", Limits { bytes: 64 << 20, ..Limits::default() }, file, open_and_read);
}
