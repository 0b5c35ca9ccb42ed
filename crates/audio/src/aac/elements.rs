//! Takes the packets of AAC-LC apart into their elements (ISO/IEC 14496-3, section 4.4.2).
//!
//! An element does not state its length: its end is found by reading all of it, down to the last Huffman code. What the
//! codes mean does not matter here. The decoder gets each element in a packet of its own.

use std::ops::Range;

use super::bands::Bands;
use super::bits::Bits;
use super::books::{Book, books};
use super::program::{MAX_CHANNELS, ProgramConfig};

const SINGLE: u32 = 0;
const PAIR: u32 = 1;
const LOW: u32 = 3;
const DATA: u32 = 4;
const PROGRAM: u32 = 5;
const FILL: u32 = 6;
const END: u32 = 7;

/// The books that stand for something else than a code of coefficients.
const ZERO: u8 = 0;
const RESERVED: u8 = 12;
const NOISE: u8 = 13;

const MAX_WINDOWS: usize = 8;
const MAX_BANDS: usize = 51;
/// The largest number of sections of a group that the decoder takes.
const MAX_SECTIONS: usize = 64;
/// The largest number of ones before an escape, which then has 12 bits.
const MAX_ESCAPE: u32 = 8;

/// An element with sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ElementKind {
    /// A single channel (SCE).
    Single,
    /// Two channels (CPE).
    Pair,
    /// Low frequencies (LFE), in the form of a single channel.
    Low,
}

impl ElementKind {
    /// Returns the number of channels.
    pub(super) fn channels(self) -> usize {
        if self == Self::Pair { 2 } else { 1 }
    }
}

/// An element with sound in a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Element {
    pub kind: ElementKind,
    /// The number by which a program tells apart elements of a kind.
    pub tag: u8,
    /// The bits of the packet that it takes.
    pub bits: Range<usize>,
}

/// The contents of a packet.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Contents {
    /// The elements with sound, in order.
    pub elements: Vec<Element>,
    /// The program that the packet states.
    pub program: Option<ProgramConfig>,
    /// Whether it has spectral band replication.
    pub sbr: bool,
}

/// Takes a packet apart; `None` if it is damaged, or has an element that no decoder takes.
pub(super) fn split(packet: &[u8], bands: &Bands) -> Option<Contents> {
    let mut bits = Bits::new(packet, 0);
    let mut contents = Contents::default();
    // What is shorter than the name of an element is padding.
    while bits.left()? >= 3 {
        let start = bits.at();
        let kind = match bits.take(3)? {
            SINGLE => ElementKind::Single,
            PAIR => ElementKind::Pair,
            LOW => ElementKind::Low,
            DATA => {
                data(&mut bits)?;
                continue;
            }
            PROGRAM => {
                contents.program = Some(ProgramConfig::read(&mut bits)?);
                continue;
            }
            FILL => {
                contents.sbr |= fill(&mut bits)?;
                continue;
            }
            END => break,
            // An element that adds to the channels of others.
            _ => return None,
        };
        if contents.elements.len() == MAX_CHANNELS {
            return None;
        }
        let tag = bits.take(4)? as u8;
        if kind == ElementKind::Pair {
            pair(&mut bits, bands)?;
        } else {
            channel(&mut bits, bands, None)?;
        }
        contents.elements.push(Element { kind, tag, bits: start..bits.at() });
    }
    Some(contents)
}

/// Writes some bits of a packet as a packet to `out`.
pub(super) fn pack(packet: &[u8], range: Range<usize>, out: &mut Vec<u8>) {
    out.clear();
    let mut bits = Bits::new(packet, range.start);
    while let Some(word) = (bits.at() + 32 <= range.end).then(|| bits.take(32)).flatten() {
        out.extend(word.to_be_bytes());
    }
    let rest = range.end.saturating_sub(bits.at());
    let last = u64::from(bits.take(rest).unwrap_or_default()) << 3 | u64::from(END);
    out.extend((last << (61 - rest)).to_be_bytes());
}

/// Reads a data stream element.
fn data(bits: &mut Bits) -> Option<()> {
    bits.take(4)?;
    let aligned = bits.take(1)? == 1;
    let bytes = match bits.take(8)? {
        255 => 255 + bits.take(8)?,
        bytes => bytes,
    };
    if aligned {
        bits.align();
    }
    bits.skip(bytes as usize * 8);
    bits.left().map(drop)
}

/// Reads a fill element. Returns whether it holds spectral band replication.
fn fill(bits: &mut Bits) -> Option<bool> {
    let bytes = match bits.take(4)? {
        15 => 14 + bits.take(8)?,
        bytes => bytes,
    };
    let sbr = bytes > 0 && matches!(bits.ahead() >> 60, 13 | 14);
    bits.skip(bytes as usize * 8);
    bits.left().map(|_| sbr)
}

/// The windows of a channel.
#[derive(Clone, Copy)]
struct Windows {
    short: bool,
    /// The number of bands that have a spectrum.
    bands: usize,
    /// The number of windows in each group that shares its scale factors; 0 for groups that are not there.
    groups: [u8; MAX_WINDOWS],
}

impl Windows {
    fn read(bits: &mut Bits, bands: &Bands) -> Option<Self> {
        let reserved = bits.take(1)?;
        let short = bits.take(2)? == 2;
        let _shape = bits.take(1)?;
        let mut windows =
            Self { short, bands: bits.take(if short { 4 } else { 6 })? as usize, groups: [0; MAX_WINDOWS] };
        let mut group = 0;
        windows.groups[group] = 1;
        if short {
            let joined = bits.take(7)?;
            for window in 1..MAX_WINDOWS {
                group += usize::from(joined >> (7 - window) & 1 == 0);
                windows.groups[group] += 1;
            }
        } else if bits.take(1)? == 1 {
            // Prediction, which AAC-LC does not have.
            return None;
        }
        (reserved == 0 && windows.bands <= bands.widths(short).len()).then_some(windows)
    }

    /// Returns the numbers of windows of the groups.
    fn groups(&self) -> impl Iterator<Item = usize> {
        self.groups.into_iter().map_while(|windows| (windows > 0).then_some(usize::from(windows)))
    }
}

/// Reads a channel pair element after its tag.
fn pair(bits: &mut Bits, bands: &Bands) -> Option<()> {
    let mut common = None;
    if bits.take(1)? == 1 {
        let windows = Windows::read(bits, bands)?;
        match bits.take(2)? {
            // A mask of the bands that are mid and side.
            1 => {
                bits.skip(windows.groups().count() * windows.bands);
                bits.left()?;
            }
            3 => return None,
            _ => {}
        }
        common = Some(windows);
    }
    channel(bits, bands, common)?;
    channel(bits, bands, common)
}

/// Reads the stream of one channel.
fn channel(bits: &mut Bits, bands: &Bands, common: Option<Windows>) -> Option<()> {
    let _gain = bits.take(8)?;
    let windows = match common {
        Some(windows) => windows,
        None => Windows::read(bits, bands)?,
    };
    let mut chosen = [[ZERO; MAX_BANDS]; MAX_WINDOWS];
    for (chosen, _) in chosen.iter_mut().zip(windows.groups()) {
        sections(bits, windows.short, &mut chosen[..windows.bands])?;
    }
    let books = books();
    scale_factors(bits, &books.factors, chosen.iter().zip(windows.groups()).flat_map(|(chosen, _)| chosen))?;
    if bits.take(1)? == 1 {
        pulses(bits, windows.short)?;
    }
    if bits.take(1)? == 1 {
        noise_shaping(bits, windows.short)?;
    }
    if bits.take(1)? == 1 {
        // Gain control, which AAC-LC does not have.
        return None;
    }
    for (chosen, count) in chosen.iter().zip(windows.groups()) {
        for (number, width) in chosen.iter().zip(bands.widths(windows.short)) {
            if let Some(book) = books.spectral(*number) {
                spectrum(bits, book, usize::from(*width) * count * 4 / book.values)?;
            }
        }
    }
    bits.left().map(drop)
}

/// Reads the books of the bands of a group.
fn sections(bits: &mut Bits, short: bool, chosen: &mut [u8]) -> Option<()> {
    let (width, escape) = if short { (3, 7) } else { (5, 31) };
    let mut rest = chosen;
    // Sections may be empty.
    for _ in 0..MAX_SECTIONS {
        if rest.is_empty() {
            break;
        }
        let book = bits.take(4)? as u8;
        let mut length = 0;
        loop {
            let more = bits.take(width)?;
            length += more as usize;
            if more < escape {
                break;
            }
        }
        let (section, after) = rest.split_at_mut_checked(length).filter(|_| book != RESERVED)?;
        section.fill(book);
        rest = after;
    }
    rest.is_empty().then_some(())
}

/// Reads the scale factors of bands with these books.
fn scale_factors<'a>(bits: &mut Bits, factors: &Book, chosen: impl Iterator<Item = &'a u8>) -> Option<()> {
    let mut noise_before = false;
    for book in chosen {
        match *book {
            ZERO => {}
            NOISE if !noise_before => {
                noise_before = true;
                bits.skip(9);
            }
            _ => bits.skip(factors.code(bits.ahead()).bits.into()),
        }
    }
    bits.left().map(drop)
}

/// Reads the pulses that are added to a spectrum.
fn pulses(bits: &mut Bits, short: bool) -> Option<()> {
    let count = bits.take(2)? as usize + 1;
    bits.skip(6 + count * 9);
    bits.left().filter(|_| !short).map(drop)
}

/// Reads the filters of temporal noise shaping.
fn noise_shaping(bits: &mut Bits, short: bool) -> Option<()> {
    let (windows, counted, wide, ordered, most) = if short { (MAX_WINDOWS, 1, 4, 3, 7) } else { (1, 2, 6, 5, 12) };
    for _ in 0..windows {
        let filters = bits.take(counted)?;
        if filters == 0 {
            continue;
        }
        let resolution = bits.take(1)? as usize + 3;
        for _ in 0..filters {
            bits.skip(wide);
            let order = bits.take(ordered)? as usize;
            if order > most {
                return None;
            }
            if order > 0 {
                let _direction = bits.take(1)?;
                let compressed = bits.take(1)? as usize;
                bits.skip(order * (resolution - compressed));
            }
        }
    }
    bits.left().map(drop)
}

/// Reads so many codes of a book, with their signs and escapes.
fn spectrum(bits: &mut Bits, book: &Book, codes: usize) -> Option<()> {
    for _ in 0..codes {
        let code = book.code(bits.ahead());
        bits.skip(code.bits.into());
        for _ in 0..code.escapes {
            let ones = bits.ahead().leading_ones();
            if ones > MAX_ESCAPE {
                return None;
            }
            // As many bits as there are ones, four more, and the zero before them.
            bits.skip(2 * ones as usize + 5);
        }
    }
    Some(())
}
