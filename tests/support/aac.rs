//! Writes streams of AAC-LC by the grammar of ISO/IEC 14496-3, with random choices: elements in any configuration, windows
//! and their groups, sections, every code of every book, escapes, pulses, temporal noise shaping, mid and side, intensity,
//! substituted noise, data and fill between the elements. The same elements can be written alone, so that what is decoded
//! of them together has an expected value.
//!
//! Codes and bands are those of `tests/reference/aac.json`.

#![allow(dead_code, reason = "each test uses its part")]

use std::sync::LazyLock;

use serde_json::Value;

/// The rates of the indices of ADTS in Hz.
pub const RATES_HZ: [u32; 12] =
    [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000];
/// The largest value of the codes of each book of coefficients, without escapes.
const LARGEST: [f64; 11] = [1.0, 1.0, 2.0, 2.0, 4.0, 4.0, 7.0, 7.0, 12.0, 12.0, 8191.0];
const NOISE: usize = 13;
const INTENSITY: [usize; 2] = [14, 15];
/// The largest coefficient that is written. It leaves room for all that noise shaping does.
const LOUDEST: f64 = 300.0;

/// Writes bits, the highest first.
#[derive(Clone, Default)]
pub struct Bits(pub Vec<bool>);

impl Bits {
    pub fn put(&mut self, value: u64, count: usize) {
        self.0.extend((0..count).rev().map(|bit| value >> bit & 1 == 1));
    }

    fn align(&mut self) {
        self.0.resize(self.0.len().next_multiple_of(8), false);
    }

    pub fn bytes(&self) -> Vec<u8> {
        let byte = |bits: &[bool]| bits.iter().zip((0..8).rev()).fold(0, |byte, (bit, at)| byte | u8::from(*bit) << at);
        self.0.chunks(8).map(byte).collect()
    }
}

/// A Huffman code.
#[derive(Clone, Copy)]
struct Code {
    bits: u64,
    length: usize,
    signs: usize,
    escapes: usize,
}

struct Tables {
    /// The books of coefficients.
    books: Vec<Vec<Code>>,
    /// The book of scale factors.
    factors: Vec<Code>,
    /// The differences that its codes mean.
    differences: Vec<i64>,
    /// For each rate the bounds of the bands, of long and of short windows.
    bands: [Vec<Vec<usize>>; 2],
}

fn tables() -> &'static Tables {
    static TABLES: LazyLock<Tables> = LazyLock::new(|| {
        let text = std::fs::read(super::files::reference("aac.json")).unwrap();
        let json: Value = serde_json::from_slice(&text).unwrap();
        let numbers = |value: &Value| -> Vec<i64> {
            value.as_array().unwrap().iter().map(|number| number.as_i64().unwrap()).collect()
        };
        let digits = |value: &Value| -> Vec<usize> {
            value.as_str().unwrap_or_default().bytes().map(|digit| usize::from(digit - b'0')).collect()
        };
        let codes = |book: &Value| -> Vec<Code> {
            let (signs, escapes) = (digits(&book["signs"]), digits(&book["escapes"]));
            let (mut codes, mut next) = (Vec::new(), 0);
            for (length, count) in (1..).zip(numbers(&book["lengths"])) {
                next <<= 1;
                for _ in 0..count {
                    let digit = |digits: &[usize]| digits.get(codes.len()).copied().unwrap_or(0);
                    codes.push(Code { bits: next, length, signs: digit(&signs), escapes: digit(&escapes) });
                    next += 1;
                }
            }
            codes
        };
        let bands = |kind: &str| -> Vec<Vec<usize>> {
            let of_rate = |bounds| numbers(bounds).into_iter().map(|bound| bound as usize).collect();
            json[kind].as_array().unwrap().iter().map(of_rate).collect()
        };
        assert_eq!(numbers(&json["rates"]), RATES_HZ.map(i64::from));
        Tables {
            books: json["books"].as_array().unwrap().iter().map(codes).collect(),
            factors: codes(&json["factors"]),
            differences: numbers(&json["factors"]["differences"]),
            bands: [bands("long"), bands("short")],
        }
    });
    &TABLES
}

/// An element with sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Single,
    Pair,
    Low,
}

use Kind::{Low, Pair, Single};

impl Kind {
    pub fn channels(self) -> usize {
        if self == Pair { 2 } else { 1 }
    }
}

/// What may be written.
#[derive(Clone, Copy, Debug)]
pub struct Features {
    /// Substituted noise.
    pub noise: bool,
    pub pulses: bool,
    pub intensity: bool,
    /// Intensity where all bands are mid and side. The standard does not invert it then, `FFmpeg` does.
    pub intensity_of_mid: bool,
    /// Data and fill between the elements.
    pub between: bool,
}

impl Features {
    pub const ALL: Self = Self { noise: true, pulses: true, intensity: true, intensity_of_mid: true, between: true };
}

/// What a stream had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// For each book of coefficients, and those of noise and intensity, how many bands had it.
    pub books: [usize; 16],
    pub escapes: usize,
    pub short: usize,
    pub groups: usize,
    pub shaped: usize,
    pub pulses: usize,
    pub masks: usize,
    pub between: usize,
}

/// The elements of a stream.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The channel configuration; 0 if the elements are stated one by one.
    pub configuration: u32,
    /// The elements in the order of the program, with their tags.
    pub elements: Vec<(Kind, u8)>,
    /// The numbers of elements in front, at the sides and at the back, if they are stated one by one.
    pub places: [usize; 3],
}

impl Layout {
    /// The layout of a channel configuration, with any tags.
    pub fn of_configuration(random: &mut impl FnMut() -> u64, configuration: u32) -> Self {
        let kinds: &[Kind] = match configuration {
            1 => &[Single],
            2 => &[Pair],
            3 => &[Single, Pair],
            4 => &[Single, Pair, Single],
            5 => &[Single, Pair, Pair],
            6 => &[Single, Pair, Pair, Low],
            7 | 12 => &[Single, Pair, Pair, Pair, Low],
            11 => &[Single, Pair, Pair, Single, Low],
            14 => &[Single, Pair, Pair, Low, Pair],
            other => panic!("configuration {other}"),
        };
        let elements = kinds.iter().map(|kind| (*kind, (random() % 16) as u8)).collect();
        Self { configuration, elements, places: [0; 3] }
    }

    /// A layout whose elements are stated one by one. Tags are those of the elements' order, from `tag` on.
    pub fn stated(front: &[Kind], side: &[Kind], back: &[Kind], low: usize, tag: u8) -> Self {
        let kinds = [front, side, back, &vec![Low; low]].concat();
        let elements = kinds.into_iter().zip((0..16).map(|number| (tag + number) % 16)).collect();
        Self { configuration: 0, elements, places: [front.len(), side.len(), back.len()] }
    }

    /// A layout of one to five elements that are stated one by one.
    pub fn random(random: &mut impl FnMut() -> u64) -> Self {
        let mut kinds = || -> Vec<Kind> {
            (0..random() % 3).map(|_| if random().is_multiple_of(2) { Single } else { Pair }).collect()
        };
        let (mut front, side, mut back) = (kinds(), kinds(), kinds());
        if front.is_empty() {
            front.push(Pair);
        }
        back.truncate(1);
        Self::stated(&front, &side, &back, (random() % 2) as usize, (random() % 16) as u8)
    }

    pub fn channels(&self) -> usize {
        self.elements.iter().map(|(kind, _)| kind.channels()).sum()
    }

    /// Writes a program configuration element after its name. `start` is the bit at which its packet begins.
    pub fn program(&self, random: &mut impl FnMut() -> u64, rate: usize, bits: &mut Bits) {
        let [front, side, back] = self.places;
        bits.put(random() % 16, 4);
        bits.put(1, 2);
        bits.put(rate as u64, 4);
        let low = self.elements.len() - front - side - back;
        let data = random() % 3;
        for (count, width) in [(front, 4), (side, 4), (back, 4), (low, 2), (data as usize, 3), (0, 4)] {
            bits.put(count as u64, width);
        }
        for width in [4, 4, 3] {
            let mixed = random() % 2;
            bits.put(mixed, 1);
            bits.put(random() % 8, if mixed == 1 { width } else { 0 });
        }
        for (kind, tag) in &self.elements {
            if *kind != Low {
                bits.put(u64::from(*kind == Pair), 1);
            }
            bits.put(u64::from(*tag), 4);
        }
        (0..data).for_each(|_| bits.put(random() % 16, 4));
        bits.align();
        let comment = random() % 5;
        bits.put(comment, 8);
        (0..comment).for_each(|_| bits.put(u64::from(b'x'), 8));
    }

    /// Returns an `AudioSpecificConfig` of AAC-LC.
    pub fn header(&self, random: &mut impl FnMut() -> u64, rate: usize) -> Vec<u8> {
        let mut bits = Bits::default();
        bits.put(2, 5);
        bits.put(rate as u64, 4);
        bits.put(u64::from(self.configuration), 4);
        bits.put(0, 3);
        if self.configuration == 0 {
            self.program(random, rate, &mut bits);
        }
        bits.bytes()
    }
}

/// A stream: the elements of each packet.
pub struct Stream {
    /// The index of the rate.
    pub rate: usize,
    pub layout: Layout,
    /// For each packet its elements, in the program's order, without the bits of the end.
    pub elements: Vec<Vec<Bits>>,
    pub seen: Seen,
    between: bool,
}

impl Stream {
    pub fn rate_hz(&self) -> u32 {
        RATES_HZ[self.rate]
    }

    /// Returns the packets. With `programs`, those of a layout without a configuration begin with it, or only the first.
    pub fn packets(&self, random: &mut impl FnMut() -> u64, programs: Programs) -> Vec<Vec<u8>> {
        let mut packets = Vec::new();
        for (number, elements) in self.elements.iter().enumerate() {
            let mut bits = Bits::default();
            let stated = programs == Programs::Each || programs == Programs::First && number == 0;
            if stated && self.layout.configuration == 0 {
                bits.put(5, 3);
                self.layout.program(random, self.rate, &mut bits);
            }
            let mut order: Vec<usize> = (0..elements.len()).collect();
            if self.layout.configuration == 0 && programs != Programs::None {
                // Elements with tags may come in any order.
                order.rotate_left((random() % elements.len() as u64) as usize);
            }
            for element in order {
                if self.between {
                    between(random, &mut bits);
                }
                bits.0.extend(&elements[element].0);
            }
            if self.between {
                between(random, &mut bits);
            }
            bits.put(7, 3);
            packets.push(bits.bytes());
        }
        packets
    }

    /// Returns the packets of one element alone.
    pub fn alone(&self, element: usize) -> Vec<Vec<u8>> {
        let packet = |elements: &Vec<Bits>| {
            let mut bits = elements[element].clone();
            bits.put(7, 3);
            bits.bytes()
        };
        self.elements.iter().map(packet).collect()
    }
}

/// The packets that state the program of a layout without a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Programs {
    Each,
    First,
    None,
}

/// Writes a random stream of `count` packets.
pub fn stream(
    random: &mut impl FnMut() -> u64,
    rate: usize,
    layout: Layout,
    features: Features,
    count: usize,
) -> Stream {
    let (mut seen, mut windows) = (Seen::default(), vec![0; layout.elements.len()]);
    let elements = (0..count)
        .map(|_| {
            let mut written = Vec::new();
            for ((kind, tag), windows) in layout.elements.iter().zip(&mut windows) {
                *windows = match *windows {
                    1 | 2 => 2 + random() % 2,
                    _ => random() % 2,
                };
                written.push(element(random, rate, *kind, *tag, *windows, features, &mut seen));
            }
            written
        })
        .collect();
    Stream { rate, layout, elements, seen, between: features.between }
}

/// Writes data and fill between elements.
fn between(random: &mut impl FnMut() -> u64, bits: &mut Bits) {
    match random() % 6 {
        0 => {
            let bytes = if random().is_multiple_of(8) { 255 + random() % 40 } else { random() % 20 };
            bits.put(4, 3);
            bits.put(random() % 16, 4);
            let aligned = random() % 2;
            bits.put(aligned, 1);
            bits.put(bytes.min(255), 8);
            bits.put(bytes.wrapping_sub(255), if bytes >= 255 { 8 } else { 0 });
            if aligned == 1 {
                bits.align();
            }
            (0..bytes).for_each(|_| bits.put(random() % 256, 8));
        }
        1 => {
            let bytes = if random().is_multiple_of(4) { 15 + random() % 60 } else { random() % 15 };
            bits.put(6, 3);
            bits.put(bytes.min(15), 4);
            bits.put(bytes.wrapping_sub(14), if bytes >= 15 { 8 } else { 0 });
            if bytes > 0 {
                // Neither band replication nor dynamic range, whose contents have a form.
                bits.put(random() % 3, 4);
                bits.put(random() % 16, 4);
                (1..bytes).for_each(|_| bits.put(random() % 256, 8));
            }
        }
        _ => {}
    }
}

/// The windows of a channel.
#[derive(Clone)]
struct Windows {
    short: bool,
    bands: usize,
    groups: Vec<usize>,
}

fn element(
    random: &mut impl FnMut() -> u64,
    rate: usize,
    kind: Kind,
    tag: u8,
    sequence: u64,
    features: Features,
    seen: &mut Seen,
) -> Bits {
    let mut bits = Bits::default();
    bits.put([0, 1, 3][kind as usize], 3);
    bits.put(u64::from(tag), 4);
    if kind != Pair {
        channel(random, rate, sequence, None, false, features, &mut bits, seen);
        return bits;
    }
    let common = !random().is_multiple_of(4);
    bits.put(u64::from(common), 1);
    let windows = common.then(|| windows(random, rate, sequence, &mut bits, seen));
    let mut intense = features.intensity && common;
    if let Some(windows) = &windows {
        let mask = random() % 3;
        intense &= mask < 2 || features.intensity_of_mid;
        bits.put(mask, 2);
        seen.masks += usize::from(mask > 0);
        if mask == 1 {
            (0..windows.groups.len() * windows.bands).for_each(|_| bits.put(random() % 2, 1));
        }
    }
    channel(random, rate, sequence, windows.clone(), false, features, &mut bits, seen);
    channel(random, rate, sequence, windows, intense, features, &mut bits, seen);
    bits
}

fn windows(random: &mut impl FnMut() -> u64, rate: usize, sequence: u64, bits: &mut Bits, seen: &mut Seen) -> Windows {
    let short = sequence == 2;
    let most = tables().bands[usize::from(short)][rate].len() - 1;
    // Not all bands most often, so that eight channels fit into a frame of ADTS.
    let bands = if random().is_multiple_of(6) { most } else { (random() % (most as u64 + 1)) as usize };
    bits.put(0, 1);
    bits.put(sequence, 2);
    bits.put(random() % 2, 1);
    let mut groups = vec![1];
    if short {
        bits.put(bands as u64, 4);
        for _ in 0..7 {
            let joined = random() % 2;
            bits.put(joined, 1);
            match groups.last_mut() {
                Some(group) if joined == 1 => *group += 1,
                _ => groups.push(1),
            }
        }
        seen.short += 1;
        seen.groups += groups.len();
    } else {
        bits.put(bands as u64, 6);
        bits.put(0, 1);
    }
    Windows { short, bands, groups }
}

#[allow(clippy::too_many_arguments, reason = "the parts of a channel")]
fn channel(
    random: &mut impl FnMut() -> u64,
    rate: usize,
    sequence: u64,
    common: Option<Windows>,
    intense: bool,
    features: Features,
    bits: &mut Bits,
    seen: &mut Seen,
) {
    let gain = 60 + random() % 40;
    bits.put(gain, 8);
    let windows = common.unwrap_or_else(|| windows(random, rate, sequence, bits, seen));
    let (width, escape) = if windows.short { (3, 7) } else { (5, 31) };
    let mut chosen = Vec::new();
    for _ in &windows.groups {
        let mut books = Vec::new();
        while books.len() < windows.bands {
            let mut book = match random() % 16 {
                12 => 0,
                book => book as usize,
            };
            if book == NOISE && !features.noise || INTENSITY.contains(&book) && !intense {
                book = 11;
            }
            let rest = (windows.bands - books.len()) as u64;
            // Also whole channels of a book, and sections of no band.
            let mut length = if random().is_multiple_of(8) { rest } else { random() % (rest.min(9) + 1) };
            bits.put(book as u64, 4);
            books.extend(vec![book; length as usize]);
            while length >= escape {
                bits.put(escape, width);
                length -= escape;
            }
            bits.put(length, width);
        }
        chosen.push(books);
    }
    factors(random, gain as i64, &chosen, bits);
    let pulses = features.pulses && !windows.short && random().is_multiple_of(8);
    bits.put(u64::from(pulses), 1);
    if pulses {
        seen.pulses += 1;
        let count = random() % 4;
        bits.put(count, 2);
        bits.put(random() % 30, 6);
        (0..=count).for_each(|_| bits.put(random() % 512, 9));
    }
    let shaped = random().is_multiple_of(3);
    bits.put(u64::from(shaped), 1);
    if shaped {
        seen.shaped += 1;
        noise_shaping(random, windows.short, bits);
    }
    bits.put(0, 1);
    let bounds = &tables().bands[usize::from(windows.short)][rate];
    for (books, count) in chosen.iter().zip(&windows.groups) {
        for (band, book) in books.iter().enumerate() {
            seen.books[*book] += 1;
            let Some(codes) = book.checked_sub(1).and_then(|book| tables().books.get(book)) else { continue };
            let values = if *book <= 4 { 4 } else { 2 };
            for _ in 0..(bounds[band + 1] - bounds[band]) * count / values {
                let code = codes[(random() % codes.len() as u64) as usize];
                bits.put(code.bits, code.length);
                bits.put(random(), code.signs);
                for _ in 0..code.escapes {
                    let ones = (random() % 9) as usize;
                    bits.put((1 << (ones + 1)) - 2, ones + 1);
                    bits.put(random(), ones + 4);
                    seen.escapes += 1;
                }
            }
        }
    }
}

/// Writes the scale factors of bands with these books, so that no band is too loud.
fn factors(random: &mut impl FnMut() -> u64, gain: i64, chosen: &[Vec<usize>], bits: &mut Bits) {
    let tables = tables();
    let (mut normal, mut intensity, mut noise) = (gain, 0, None);
    let next = |before: &mut i64, wanted: i64, bits: &mut Bits| {
        let difference = (wanted - *before).clamp(-60, 60);
        *before += difference;
        let code = tables.differences.iter().position(|known| *known == difference).unwrap();
        bits.put(tables.factors[code].bits, tables.factors[code].length);
    };
    for book in chosen.iter().flatten() {
        match *book {
            0 => {}
            NOISE => {
                let wanted = 10 + (random() % 20) as i64;
                if let Some(noise) = &mut noise {
                    next(noise, wanted, bits);
                } else {
                    bits.put((wanted - (gain - 90) + 256) as u64, 9);
                    noise = Some(wanted);
                }
            }
            14 | 15 => next(&mut intensity, (random() % 30) as i64 - 4, bits),
            book => {
                let most = 100.0 + 4.0 * (LOUDEST / LARGEST[book - 1].powf(4.0 / 3.0)).log2();
                next(&mut normal, (most as i64).min(110) - (random() % 12) as i64, bits);
            }
        }
    }
}

fn noise_shaping(random: &mut impl FnMut() -> u64, short: bool, bits: &mut Bits) {
    let (count, counted, wide, ordered, most) = if short { (8, 1, 4, 3, 7) } else { (1, 2, 6, 5, 12) };
    for _ in 0..count {
        let filters = random() % (1 << counted);
        bits.put(filters, counted);
        if filters == 0 {
            continue;
        }
        let resolution = random() % 2;
        bits.put(resolution, 1);
        for _ in 0..filters {
            bits.put(random(), wide);
            let order = if resolution == 1 { random() % (most + 1) } else { random() % 4 };
            bits.put(order, ordered);
            if order > 0 {
                let compressed = random() % 2;
                bits.put(random() % 2, 1);
                bits.put(compressed, 1);
                // Larger ones would make more than sound can be.
                (0..order)
                    .for_each(|_| bits.put((random() % 3).wrapping_sub(1), (3 + resolution - compressed) as usize));
            }
        }
    }
}

/// Returns a packet as a frame of ADTS.
pub fn adts(rate: usize, configuration: u32, packet: &[u8], checked: bool) -> Vec<u8> {
    let head = if checked { 9 } else { 7 };
    let size = packet.len() + head;
    assert!(size < 1 << 13, "a frame of {size} bytes");
    let mut bits = Bits::default();
    for (value, width) in [(0xfff, 12), (0, 3), (u64::from(!checked), 1), (1, 2), (rate as u64, 4), (0, 1)] {
        bits.put(value, width);
    }
    for (value, width) in [(u64::from(configuration), 3), (0, 4), (size as u64, 13), (0x7ff, 11), (0, 2)] {
        bits.put(value, width);
    }
    if checked {
        bits.put(0x1234, 16);
    }
    [bits.bytes(), packet.to_vec()].concat()
}

/// Returns packets as an ADTS stream.
pub fn adts_stream(rate: usize, configuration: u32, packets: &[Vec<u8>]) -> Vec<u8> {
    packets.iter().enumerate().flat_map(|(at, packet)| adts(rate, configuration, packet, at % 2 == 1)).collect()
}

/// Returns a descriptor of MPEG-4 systems.
fn descriptor(tag: u8, content: &[u8]) -> Vec<u8> {
    let size = content.len();
    [&[tag, 0x80 | (size >> 7) as u8, (size & 127) as u8][..], content].concat()
}

/// Returns the descriptors that an `esds` box and a `kuki` chunk hold.
fn descriptors(header: &[u8]) -> Vec<u8> {
    let kind = [&[0x40, 0x15][..], &[0; 11], &descriptor(5, header)].concat();
    descriptor(3, &[&[0, 0, 0][..], &descriptor(4, &kind), &descriptor(6, &[2])].concat())
}

/// Returns packets as an MP4 whose sample entry says `channels`.
pub fn mp4(rate_hz: u32, channels: u16, header: &[u8], packets: &[Vec<u8>]) -> Vec<u8> {
    let atom = |kind: &[u8; 4], content: &[u8]| [&(content.len() as u32 + 8).to_be_bytes()[..], kind, content].concat();
    let words = |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|word| word.to_be_bytes()).collect() };
    let (count, frames) = (packets.len() as u32, packets.len() as u32 * 1024);
    let file_type = atom(b"ftyp", b"M4A \0\0\0\0");
    let esds = atom(b"esds", &[&[0; 4][..], &descriptors(header)].concat());
    let mut entry = vec![0; 6];
    entry.extend([0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
    entry.extend([channels.to_be_bytes(), [0, 16], [0, 0], [0, 0]].concat());
    entry.extend(((rate_hz & 0xffff) << 16).to_be_bytes());
    entry.extend(esds);
    let sizes: Vec<u32> = packets.iter().map(|packet| packet.len() as u32).collect();
    let table = [
        atom(b"stsd", &[words(&[0, 1]), atom(b"mp4a", &entry)].concat()),
        atom(b"stts", &words(&[0, 1, count, 1024])),
        atom(b"stsc", &words(&[0, 1, 1, count, 1])),
        atom(b"stsz", &[words(&[0, 0, count]), words(&sizes)].concat()),
        atom(b"stco", &words(&[0, 1, file_type.len() as u32 + 8])),
    ];
    let media = [
        atom(b"mdhd", &words(&[0, 0, 0, rate_hz, frames, 0])),
        atom(b"hdlr", &[words(&[0, 0]), b"soun".to_vec(), vec![0; 13]].concat()),
        atom(b"minf", &atom(b"stbl", &table.concat())),
    ];
    let mut track = words(&[7, 0, 0, 1, 0, frames]);
    track.resize(84, 0);
    let track = [atom(b"tkhd", &track), atom(b"mdia", &media.concat())].concat();
    [file_type, atom(b"mdat", &packets.concat()), atom(b"moov", &atom(b"trak", &track))].concat()
}

/// Returns packets as a CAF.
pub fn caf(rate_hz: u32, channels: u16, header: &[u8], packets: &[Vec<u8>]) -> Vec<u8> {
    let chunk = |kind: &[u8; 4], content: &[u8]| [&kind[..], &(content.len() as u64).to_be_bytes(), content].concat();
    let mut description = f64::from(rate_hz).to_be_bytes().to_vec();
    description.extend(b"aac ");
    description.extend([2, 0, 1024, u32::from(channels), 0].map(u32::to_be_bytes).concat());
    let count = packets.len() as u64;
    let mut table = [count, count * 1024].map(u64::to_be_bytes).concat();
    table.extend([0; 8]);
    for packet in packets {
        let size = packet.len();
        table.extend([0x80 | (size >> 7) as u8, (size & 127) as u8]);
    }
    [
        b"caff\0\x01\0\0".to_vec(),
        chunk(b"desc", &description),
        chunk(b"kuki", &descriptors(header)),
        chunk(b"pakt", &table),
        chunk(b"data", &[&[0; 4][..], &packets.concat()].concat()),
    ]
    .concat()
}

/// Returns packets as a Matroska file.
pub fn matroska(rate_hz: u32, channels: u16, header: &[u8], packets: &[Vec<u8>]) -> Vec<u8> {
    let element = |id: &[u8], content: &[u8]| {
        [id, &(0x0100_0000_0000_0000 | content.len() as u64).to_be_bytes(), content].concat()
    };
    let audio = [element(&[0xb5], &f64::from(rate_hz).to_be_bytes()), element(&[0x9f], &channels.to_be_bytes())];
    let entry = [
        element(&[0xd7], &[1]),
        element(&[0x83], &[2]),
        element(&[0x86], b"A_AAC"),
        element(&[0x63, 0xa2], header),
        element(&[0xe1], &audio.concat()),
    ];
    let block = |packet: &Vec<u8>| element(&[0xa3], &[&[0x81, 0, 0, 0x80][..], packet].concat());
    let cluster = [element(&[0xe7], &[0]), packets.iter().flat_map(block).collect()];
    let segment = [
        element(&[0x16, 0x54, 0xae, 0x6b], &element(&[0xae], &entry.concat())),
        element(&[0x1f, 0x43, 0xb6, 0x75], &cluster.concat()),
    ];
    [
        element(&[0x1a, 0x45, 0xdf, 0xa3], &element(&[0x42, 0x82], b"matroska")),
        element(&[0x18, 0x53, 0x80, 0x67], &segment.concat()),
    ]
    .concat()
}
