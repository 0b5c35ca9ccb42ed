//! Files of every container and kind of tag as trees of their parts, damaged in their structure: lengths and counts that
//! lie, parts that are repeated, swapped, cut, nested, renamed and mixed with those of other files.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use undertone::audio::markers::MAX_MARKERS;
use undertone::audio::tags::limits::{MAX_CHUNKS_BYTES, MAX_PICTURES_BYTES, MAX_TEXT_BYTES, MAX_VALUES};
use undertone::audio::{AudioBuffer, AudioFile};

use super::harness::{Limits, Random, run};
use super::opening_support::Wav;
use super::support::{aac, flac, mpeg, tagged};
use super::{id3, joined, wave64};

/// Files are not extended beyond this size.
const MAX_BYTES: usize = 1 << 20;
/// The depth to which parts are nested, at most.
const MAX_DEPTH: u64 = 400;
/// The samples that are read of a file.
const MAX_SAMPLES: u64 = 200_000;

/// How a part states its name and its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// Bytes, without a name or a length.
    Plain,
    /// A chunk of RIFF: four letters, 32 bits, an even size.
    Riff,
    /// A chunk of IFF or RIFX: the same in the other order of bytes.
    Iff,
    /// A chunk of Wave64: 16 bytes, 64 bits that count the head, a multiple of eight.
    Wave64,
    /// A chunk of CAF: four letters, 64 bits.
    Caf,
    /// A box of MP4: 32 bits that count the head, four letters.
    Box,
    /// An element of Matroska: an identifier, a size of variable width.
    Element,
    /// A metadata block of FLAC: its kind, 24 bits.
    Block,
    /// An `ID3v2` tag: three letters, version and flags, 28 bits in four bytes.
    Tag,
    /// A frame of `ID3v2` of a version.
    Frame(u8),
    /// A text behind its length of 32 bits.
    Counted,
    /// A page of Ogg: 26 bytes up to the number of its segments, their lengths as the head of its contents.
    Page,
}

#[derive(Clone, Debug)]
struct Part {
    shape: Shape,
    name: Vec<u8>,
    /// What the contents begin with, in front of other parts.
    head: Vec<u8>,
    contents: Contents,
    /// The length that is stated; `None` for the true one.
    stated: Option<u64>,
}

#[derive(Clone, Debug)]
enum Contents {
    Bytes(Vec<u8>),
    Parts(Vec<Part>),
}

impl Part {
    fn new(shape: Shape, name: &[u8], head: &[u8], contents: Contents) -> Self {
        Self { shape, name: name.to_vec(), head: head.to_vec(), contents, stated: None }
    }

    fn plain(bytes: &[u8]) -> Self {
        Self::new(Shape::Plain, b"", b"", Contents::Bytes(bytes.to_vec()))
    }

    /// Returns the length as the shape counts it.
    fn length(&self, body: usize) -> u64 {
        body as u64
            + match self.shape {
                Shape::Wave64 => 24,
                Shape::Box => 8,
                _ => 0,
            }
    }

    /// Appends the part's bytes, up to the limit.
    fn put(&self, is_last: bool, out: &mut Vec<u8>) {
        if out.len() > MAX_BYTES {
            return;
        }
        let mut body = if self.shape == Shape::Page { Vec::new() } else { self.head.clone() };
        match &self.contents {
            Contents::Bytes(bytes) => body.extend_from_slice(bytes),
            Contents::Parts(parts) => put(parts, &mut body),
        }
        let size = self.stated.unwrap_or_else(|| self.length(body.len()));
        let [be32, le32] = [(size as u32).to_be_bytes(), (size as u32).to_le_bytes()];
        let mut multiple = 1;
        match self.shape {
            Shape::Plain => {}
            Shape::Riff => {
                out.extend([&self.name, &le32[..]].concat());
                multiple = 2;
            }
            Shape::Iff => {
                out.extend([&self.name, &be32[..]].concat());
                multiple = 2;
            }
            Shape::Wave64 => {
                out.extend([&self.name, &size.to_le_bytes()[..]].concat());
                multiple = 8;
            }
            Shape::Caf => out.extend([&self.name, &size.to_be_bytes()[..]].concat()),
            Shape::Box => out.extend([&be32[..], &self.name].concat()),
            Shape::Element => {
                out.extend_from_slice(&self.name);
                out.extend(width(size));
            }
            Shape::Block => {
                out.push(self.name.first().copied().unwrap_or(0) & 0x7f | u8::from(is_last) << 7);
                out.extend_from_slice(&be32[1..]);
            }
            Shape::Tag => {
                out.extend_from_slice(&self.name);
                out.extend(tagged::safe(size as usize));
            }
            Shape::Frame(2) => out.extend([&self.name, &be32[1..]].concat()),
            Shape::Frame(version) => {
                let size = if version == 4 { tagged::safe(size as usize) } else { be32 };
                let (name, flags) = self.name.split_at(self.name.len().min(4));
                out.extend([name, &size, flags].concat());
            }
            Shape::Counted => out.extend(le32),
            Shape::Page => {
                let mut page = self.name.clone();
                page.resize(26, 0);
                page[22..26].fill(0);
                page.push(self.stated.map_or(self.head.len() as u8, |stated| stated as u8));
                page.extend([&self.head[..], &body].concat());
                out.extend(tagged::with_checksum(page));
                return;
            }
        }
        out.extend_from_slice(&body);
        // The padding follows the true length.
        out.resize(out.len() + body.len().next_multiple_of(multiple) - body.len(), 0);
    }

    /// States the present lengths, so that they lie when something changes.
    fn freeze(&mut self) {
        let mut bytes = Vec::new();
        if self.shape != Shape::Page {
            bytes.extend_from_slice(&self.head);
        }
        match &mut self.contents {
            Contents::Bytes(own) => bytes.extend_from_slice(own),
            Contents::Parts(parts) => {
                put(parts, &mut bytes);
                parts.iter_mut().for_each(Self::freeze);
            }
        }
        if self.shape != Shape::Page {
            self.stated = Some(self.length(bytes.len()));
        }
    }

    /// Returns the number of parts within it.
    fn within(&self) -> usize {
        match &self.contents {
            Contents::Parts(parts) => count(parts),
            Contents::Bytes(_) => 0,
        }
    }

    fn size(&self) -> usize {
        let within = match &self.contents {
            Contents::Bytes(bytes) => bytes.len(),
            Contents::Parts(parts) => parts.iter().map(Self::size).sum(),
        };
        self.name.len() + 12 + self.head.len() + within
    }
}

fn put(parts: &[Part], out: &mut Vec<u8>) {
    for (index, part) in parts.iter().enumerate() {
        let is_last = parts[index + 1..].iter().all(|part| part.shape != Shape::Block);
        part.put(is_last, out);
    }
}

/// Returns a size of Matroska in its least width.
fn width(size: u64) -> Vec<u8> {
    if size >= (1 << 56) - 1 {
        return vec![0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
    }
    let width = (1..=8u32).find(|width| size < (1 << (7 * width)) - 1).unwrap_or(8);
    let bytes = (1u64 << (7 * width) | size).to_be_bytes();
    bytes[8 - width as usize..].to_vec()
}

/// Takes the contents apart with `parse`, if it finds anything in them.
fn parts_or_bytes(bytes: &[u8], parse: impl Fn(&[u8]) -> Vec<Part>) -> Contents {
    let parts = parse(bytes);
    if parts.is_empty() { Contents::Bytes(bytes.to_vec()) } else { Contents::Parts(parts) }
}

/// Takes chunks apart that have a name of four bytes and a size of four.
fn chunks(bytes: &[u8], shape: Shape) -> Vec<Part> {
    let (mut parts, mut at) = (Vec::new(), 0);
    while let Some(head) = bytes.get(at..at + 8) {
        let size: [u8; 4] = head[4..].try_into().unwrap();
        let size = if shape == Shape::Riff { u32::from_le_bytes(size) } else { u32::from_be_bytes(size) } as usize;
        let end = (at + 8).saturating_add(size).min(bytes.len());
        let body = &bytes[at + 8..end];
        let is_list = matches!(&head[..4], b"RIFF" | b"RF64" | b"BW64" | b"RIFX" | b"FORM" | b"LIST");
        parts.push(match &head[..4] {
            name if is_list && body.len() >= 4 => {
                let inner = Contents::Parts(chunks(&body[4..], shape));
                Part::new(shape, name, &body[..4], inner)
            }
            name @ (b"ID3 " | b"id3 ") => Part::new(shape, name, b"", parts_or_bytes(body, tag)),
            name => Part::new(shape, name, b"", Contents::Bytes(body.to_vec())),
        });
        at = end + size % 2;
    }
    parts
}

/// Takes an `ID3v2` tag apart, with what follows it.
fn tag(bytes: &[u8]) -> Vec<Part> {
    let Some(head) = bytes.get(..10).filter(|head| head.starts_with(b"ID3")) else { return Vec::new() };
    let end = (10 + tagged::from_safe(&head[6..10])).min(bytes.len());
    let (version, flags) = (head[3], head[5]);
    let (body, mut frames, mut at) = (&bytes[10..end], Vec::new(), 0);
    let (letters, head_bytes) = if version == 2 { (3, 6) } else { (4, 10) };
    if flags & 0x40 == 0 {
        while let Some(head) = body.get(at..at + head_bytes).filter(|head| head[0] != 0) {
            let size = match version {
                2 => tagged::plain(&head[3..6]),
                3 => tagged::plain(&head[4..8]),
                _ => tagged::from_safe(&head[4..8]),
            };
            let to = (at + head_bytes + size).min(body.len());
            let name = [&head[..letters], head.get(8..).unwrap_or_default()].concat();
            frames.push(Part::new(
                Shape::Frame(version),
                &name,
                b"",
                Contents::Bytes(body[at + head_bytes..to].to_vec()),
            ));
            at = to;
        }
    }
    frames.push(Part::plain(&body[at..]));
    let mut parts = vec![Part::new(Shape::Tag, &bytes[..6], b"", Contents::Parts(frames))];
    if end < bytes.len() {
        parts.extend(taken_apart(&bytes[end..]));
    }
    parts
}

/// Takes the boxes within a box of a kind apart.
fn boxes(bytes: &[u8], within: &[u8]) -> Vec<Part> {
    let (mut parts, mut at) = (Vec::new(), 0);
    while let Some(head) = bytes.get(at..at + 8) {
        let size = tagged::plain(&head[..4]);
        let end = at.saturating_add(size.max(8)).min(bytes.len());
        let (name, body) = (&head[4..8], &bytes[at + 8..end]);
        let before = match name {
            b"moov" | b"trak" | b"mdia" | b"minf" | b"stbl" | b"udta" | b"ilst" | b"edts" | b"moof" | b"traf"
            | b"mvex" | b"dinf" | b"----" => Some(0),
            b"meta" => Some(4),
            b"stsd" => Some(8),
            b"mp4a" | b"alac" | b"Opus" | b"fLaC" if within == b"stsd" => Some(28),
            _ => (within == b"ilst").then_some(0),
        };
        let contents = match before.filter(|before| *before <= body.len()) {
            Some(before) => (before, parts_or_bytes(&body[before..], |bytes| boxes(bytes, name))),
            None => (0, Contents::Bytes(body.to_vec())),
        };
        parts.push(Part::new(Shape::Box, name, &body[..contents.0], contents.1));
        at = end;
    }
    parts
}

/// The elements of Matroska that have others within.
const MASTERS: [u32; 23] = [
    0x1a45_dfa3,
    0x1853_8067,
    0x1549_a966,
    0x1654_ae6b,
    0xae,
    0xe1,
    0x1f43_b675,
    0xa0,
    0x1254_c367,
    0x7373,
    0x63c0,
    0x67c8,
    0x1043_a770,
    0x45b9,
    0xb6,
    0x80,
    0x1941_a469,
    0x61a7,
    0x114d_9b74,
    0x4dbb,
    0x1c53_bb6b,
    0xbb,
    0xb7,
];

fn elements(bytes: &[u8]) -> Vec<Part> {
    super::ebml::elements(bytes)
        .into_iter()
        .map(|(id, body)| {
            let name: Vec<u8> = id.to_be_bytes().into_iter().skip_while(|byte| *byte == 0).collect();
            let contents =
                if MASTERS.contains(&id) { Contents::Parts(elements(body)) } else { Contents::Bytes(body.to_vec()) };
            Part::new(Shape::Element, &name, b"", contents)
        })
        .collect()
}

fn pages(bytes: &[u8]) -> Vec<Part> {
    let (mut parts, mut at) = (Vec::new(), 0);
    while let Some(head) = bytes.get(at..at + 27).filter(|head| head.starts_with(b"OggS")) {
        let laces = &bytes[at + 27..(at + 27 + usize::from(head[26])).min(bytes.len())];
        let body = at + 27 + laces.len();
        let end = (body + laces.iter().map(|lace| usize::from(*lace)).sum::<usize>()).min(bytes.len());
        parts.push(Part::new(Shape::Page, &head[..26], laces, Contents::Bytes(bytes[body..end].to_vec())));
        at = end;
    }
    parts
}

/// Takes a list of Vorbis comments apart.
fn comments(bytes: &[u8]) -> Vec<Part> {
    let (mut parts, mut at) = (Vec::new(), 0);
    while let Some(size) = bytes.get(at..at + 4) {
        let end = (at + 4).saturating_add(u32::from_le_bytes(size.try_into().unwrap()) as usize);
        let Some(text) = bytes.get(at + 4..end) else { break };
        parts.push(Part::new(Shape::Counted, b"", b"", Contents::Bytes(text.to_vec())));
        at = end;
        // The number of comments follows the name of the program.
        if parts.len() == 1
            && let Some(count) = bytes.get(at..at + 4)
        {
            parts.push(Part::plain(count));
            at += 4;
        }
    }
    parts.push(Part::plain(&bytes[at.min(bytes.len())..]));
    parts
}

fn blocks(bytes: &[u8]) -> Vec<Part> {
    let (mut parts, mut at) = (vec![Part::plain(&bytes[..4])], 4);
    while let Some(head) = bytes.get(at..at + 4) {
        let end = (at + 4 + tagged::plain(&head[1..])).min(bytes.len());
        let body = &bytes[at + 4..end];
        let contents = match head[0] & 0x7f {
            4 => Contents::Parts(comments(body)),
            _ => Contents::Bytes(body.to_vec()),
        };
        parts.push(Part::new(Shape::Block, &head[..1], b"", contents));
        at = end;
        if head[0] & 0x80 != 0 {
            break;
        }
    }
    parts.extend(frames(&bytes[at..]));
    parts
}

/// Cuts a stream at what may be the beginnings of its frames.
fn frames(bytes: &[u8]) -> Vec<Part> {
    let mut starts = vec![0];
    for at in 1..bytes.len().saturating_sub(1) {
        if bytes[at] == 0xff && bytes[at + 1] & 0xe0 == 0xe0 && at - starts[starts.len() - 1] > 16 {
            starts.push(at);
        }
    }
    starts.push(bytes.len());
    starts.windows(2).map(|pair| Part::plain(&bytes[pair[0]..pair[1]])).collect()
}

fn caf(bytes: &[u8]) -> Vec<Part> {
    let (mut parts, mut at) = (vec![Part::plain(&bytes[..8])], 8);
    while let Some(head) = bytes.get(at..at + 12) {
        let size = u64::from_be_bytes(head[4..].try_into().unwrap());
        let end = (at + 12).saturating_add(size as usize).min(bytes.len());
        parts.push(Part::new(Shape::Caf, &head[..4], b"", Contents::Bytes(bytes[at + 12..end].to_vec())));
        at = end;
    }
    parts
}

fn guided(bytes: &[u8]) -> Vec<Part> {
    let (mut parts, mut at) = (Vec::new(), 40);
    while let Some(head) = bytes.get(at..at + 24) {
        let size = u64::from_le_bytes(head[16..].try_into().unwrap()) as usize;
        let end = at.saturating_add(size.max(24)).min(bytes.len());
        parts.push(Part::new(Shape::Wave64, &head[..16], b"", Contents::Bytes(bytes[at + 24..end].to_vec())));
        at = end.next_multiple_of(8);
    }
    vec![Part::new(Shape::Wave64, &bytes[..16], &bytes[24..40], Contents::Parts(parts))]
}

/// Takes a file apart.
fn taken_apart(bytes: &[u8]) -> Vec<Part> {
    let at = |place: usize, word: &[u8]| bytes.get(place..place + word.len()) == Some(word);
    if at(0, b"ID3") {
        tag(bytes)
    } else if at(0, b"RIFF") || at(0, b"RF64") || at(0, b"BW64") {
        chunks(bytes, Shape::Riff)
    } else if at(0, b"RIFX") || at(0, b"FORM") {
        chunks(bytes, Shape::Iff)
    } else if at(0, wave64::HEAD) && bytes.len() > 40 {
        guided(bytes)
    } else if at(0, b"caff") && bytes.len() > 8 {
        caf(bytes)
    } else if at(4, b"ftyp") {
        boxes(bytes, b"")
    } else if at(0, &[0x1a, 0x45, 0xdf, 0xa3]) {
        elements(bytes)
    } else if at(0, b"OggS") {
        pages(bytes)
    } else if at(0, b"fLaC") {
        blocks(bytes)
    } else {
        frames(bytes)
    }
}

/// Returns a whole file of some container.
fn whole(fixtures: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    match random.below(8) {
        0..=2 => random.pick(fixtures).clone(),
        3 | 4 => tagged::generated(random.below(1 << 30)).1,
        5 => {
            let kinds = Wav::all_kinds();
            let wav = *random.pick(&kinds);
            let frames = random.below(600) as usize;
            let mut bytes = wav.bytes(frames, |_, frame| (frame % 50) as f64 / 100.0);
            if random.once_in(3) {
                bytes.extend(id3::chunks(wav.magic.starts_with("AIF"), random));
            }
            bytes
        }
        6 => {
            let mut next = || random.next();
            match next() % 3 {
                0 => {
                    let format = flac::format(&mut next);
                    let blocks = 1 + next() as usize % 6;
                    flac::stream(format, blocks, &mut next).bytes()
                }
                1 => {
                    let kind = mpeg::Kind::random(&mut next);
                    let count = 1 + next() as usize % 30;
                    mpeg::stream(&mut next, kind, count).bytes()
                }
                _ => advanced(&mut next),
            }
        }
        _ => {
            // The rate, the bytes in a second, the size of a frame, the bits.
            let format = [1u16, 2, 0xac44, 0, 0xb110, 2, 4, 16].map(u16::to_le_bytes).concat();
            let count = 4 * random.below(500) as usize;
            let sound = random.bytes(count);
            let chunk = |id: &[u8], body: &[u8]| wave64::chunk(id, body.len() as u64 + 24, body);
            let facts = chunk(b"fact", &random.below(500).to_le_bytes());
            wave64::file(&[chunk(b"fmt ", &format), facts, chunk(b"data", &sound)].concat(), None)
        }
    }
}

/// Returns AAC in some container.
fn advanced(next: &mut impl FnMut() -> u64) -> Vec<u8> {
    let configuration = [1, 2, 3, 4, 5, 6, 7][next() as usize % 7];
    let layout = aac::Layout::of_configuration(next, configuration);
    let (rate, count) = (next() as usize % 12, 1 + next() as usize % 12);
    let made = aac::stream(next, rate, layout, aac::Features::ALL, count);
    let packets = made.packets(next, aac::Programs::First);
    let header = made.layout.header(next, made.rate);
    let channels = made.layout.channels() as u16;
    match next() % 4 {
        0 => aac::mp4(made.rate_hz(), channels, &header, &packets),
        1 => aac::matroska(made.rate_hz(), channels, &header, &packets),
        2 => aac::caf(made.rate_hz(), channels, &header, &packets),
        _ => aac::adts_stream(made.rate, configuration % 8, &packets),
    }
}

/// Returns the number of parts, those within parts included.
fn count(parts: &[Part]) -> usize {
    parts.iter().map(|part| 1 + part.within()).sum()
}

/// Returns the list that contains the part of this number, and its place in it.
fn find(parts: &mut Vec<Part>, mut number: usize) -> (&mut Vec<Part>, usize) {
    let mut place = 0;
    while number > parts[place].within() {
        number -= 1 + parts[place].within();
        place += 1;
    }
    if number == 0 {
        return (parts, place);
    }
    match &mut parts[place].contents {
        Contents::Parts(inner) => find(inner, number - 1),
        Contents::Bytes(_) => unreachable!("it has no parts"),
    }
}

/// Damages one part of a file.
fn damage(parts: &mut Vec<Part>, other: &mut Vec<Part>, random: &mut Random) {
    let all = count(parts);
    if all == 0 {
        return;
    }
    // Each list of parts is met about as often as those within it.
    let number = if random.once_in(2) { random.below(all.min(40) as u64) } else { random.below(all as u64) };
    let room = MAX_BYTES.saturating_sub(parts.iter().map(Part::size).sum());
    let (list, at) = find(parts, number as usize);
    let last = list.len() as u64;
    let size = list[at].size();
    match random.below(14) {
        0 | 1 => {
            // A length that lies, by a little or by much.
            let truth = {
                let mut part = list[at].clone();
                part.freeze();
                part.stated.unwrap_or_default()
            };
            let bits = *random.pick(&[8, 16, 24, 28, 32, 63, 64]);
            list[at].stated = Some(match random.below(4) {
                0 => truth.wrapping_add(random.below(17)).wrapping_sub(8),
                1 => truth / 2,
                _ => random.extreme(bits),
            });
        }
        2 => {
            let times = match random.below(12) {
                0 => 3000,
                1 | 2 => 60,
                _ => 1 + random.below(3) as usize,
            };
            let part = list[at].clone();
            let times = times.min(room / size.max(1));
            list.splice(at..at, std::iter::repeat_n(part, times));
        }
        3 => {
            let with = random.below(last) as usize;
            list.swap(at, with);
        }
        4 => {
            let keep = random.below(size as u64 + 1) as usize;
            match &mut list[at].contents {
                Contents::Bytes(bytes) => bytes.truncate(keep),
                Contents::Parts(parts) => parts.truncate(keep % (parts.len() + 1)),
            }
        }
        5 => drop(list.remove(at)),
        6 => {
            // The part within itself.
            let depth = if random.once_in(6) { 1 + random.below(MAX_DEPTH) } else { 1 + random.below(5) };
            let shell = Part { contents: Contents::Parts(Vec::new()), ..list[at].clone() };
            for _ in 0..depth.min((room / (shell.size() + 1)) as u64) {
                let within = vec![list[at].clone()];
                list[at] = Part { contents: Contents::Parts(within), ..shell.clone() };
            }
        }
        7..=9 => {
            // A number in its contents, where counts are.
            let part = &mut list[at];
            let bytes = match &mut part.contents {
                Contents::Bytes(bytes) if part.head.is_empty() || random.once_in(2) => bytes,
                _ => &mut part.head,
            };
            let wide = *random.pick(&[1usize, 2, 4, 8]);
            let places = (bytes.len().min(if random.once_in(4) { 4096 } else { 40 }) / wide) as u64;
            if places > 0 {
                let place = random.below(places) as usize * wide;
                let value = random.extreme(8 * wide as u32);
                let value = if random.once_in(2) { value.to_le_bytes() } else { value.swap_bytes().to_le_bytes() };
                let value = if value[0] == 0 && wide < 8 { &value[8 - wide..] } else { &value[..wide] };
                bytes[place..place + wide].copy_from_slice(value);
            }
        }
        10 => {
            // A part of another file, of any container.
            let all = count(other);
            if all > 0 {
                let (theirs, place) = find(other, random.below(all as u64) as usize);
                if theirs[place].size() < room {
                    let part = theirs[place].clone();
                    if random.once_in(2) { list[at] = part } else { list.insert(at, part) }
                }
            }
        }
        11 => {
            let with = random.below(last) as usize;
            let name = list[with].name.clone();
            if random.once_in(3) && !list[at].name.is_empty() {
                let letter = random.below(list[at].name.len() as u64) as usize;
                list[at].name[letter] = random.extreme(8) as u8;
            } else if list[with].shape == list[at].shape {
                list[at].name = name;
            }
        }
        12 => {
            // Much more of the same.
            if let Contents::Bytes(bytes) = &mut list[at].contents {
                let times = (1usize << random.below(16)).min(room / bytes.len().max(1));
                *bytes = bytes.repeat(times.max(1));
            }
        }
        _ => {
            if let Contents::Bytes(bytes) = &mut list[at].contents
                && !bytes.is_empty()
            {
                let place = random.below(bytes.len() as u64) as usize;
                bytes[place] ^= 1 << random.below(8);
            }
        }
    }
}

fn file(fixtures: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut parts = taken_apart(&whole(fixtures, random));
    let mut other = taken_apart(&whole(fixtures, random));
    // The lengths of what is around damage are right in most files.
    if random.once_in(4) {
        parts.iter_mut().for_each(Part::freeze);
    }
    for _ in 0..random.below(6) {
        damage(&mut parts, &mut other, random);
    }
    let mut bytes = if random.once_in(12) { joined::tag(random) } else { Vec::new() };
    put(&parts, &mut bytes);
    if random.once_in(12) {
        bytes.extend(joined::tag(random));
    }
    if random.once_in(12) {
        bytes.truncate(random.below(bytes.len() as u64 + 1) as usize);
    }
    bytes
}

/// What became of the files.
#[derive(Default)]
struct Outcomes {
    opened: AtomicU64,
    /// Of those that were opened, those with a warning or with damaged sound.
    told: AtomicU64,
    refused: AtomicU64,
}

fn open(path: &Path, random: &mut Random, outcomes: &Outcomes) {
    let file = match AudioFile::open(path) {
        Ok(file) => file,
        Err(error) => {
            assert!(error.to_string().len() < 4096, "a long refusal");
            outcomes.refused.fetch_add(1, Relaxed);
            return;
        }
    };
    let (info, markers) = (file.info(), file.markers());
    let text: usize = info.tags.items.iter().map(|(key, value)| key.len() + value.len()).sum();
    assert!(text <= MAX_TEXT_BYTES && info.tags.items.len() <= MAX_VALUES, "{text} bytes of text");
    assert!(info.tags.pictures.iter().map(|picture| picture.data.len()).sum::<usize>() <= MAX_PICTURES_BYTES);
    assert!(info.tags.chunks.iter().map(|chunk| chunk.data.len()).sum::<usize>() <= MAX_CHUNKS_BYTES);
    assert!(info.warnings.len() < 40 && info.warnings.iter().map(String::len).sum::<usize>() < 1 << 14);
    assert!(markers.len() <= MAX_MARKERS && markers.iter().all(|marker| marker.start_frame <= info.frames));
    let mut reader = file.reader().unwrap();
    let (mut part, mut read) = (AudioBuffer::default(), 0);
    while read < MAX_SAMPLES {
        reader.read(&mut part, 4096).unwrap();
        if part.is_empty() {
            break;
        }
        read += part.frames() as u64 * part.channels() as u64;
    }
    for _ in 0..2 {
        reader.seek(random.below(info.frames.max(1))).unwrap();
        reader.read(&mut part, 1000).unwrap();
        assert!(part.iter().flatten().all(|sample| sample.is_finite()) || info.codec.contains("float"));
    }
    outcomes.opened.fetch_add(1, Relaxed);
    let is_told = !info.warnings.is_empty() || !reader.damage().is_empty();
    outcomes.told.fetch_add(u64::from(is_told), Relaxed);
}

#[test]
fn files_of_every_container_damaged_in_their_structure() {
    let folder = crate::support::reference("audio");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension != "sh"));
    paths.sort();
    let fixtures: Vec<Vec<u8>> = paths.iter().map(|path| std::fs::read(path).unwrap()).collect();
    assert!(fixtures.len() > 20, "the recordings are missing");
    // Without damage the parts make the files that they were taken from.
    for (path, bytes) in paths.iter().zip(&fixtures) {
        let mut made = Vec::new();
        put(&taken_apart(bytes), &mut made);
        // Sizes of Matroska have their least width.
        assert!(made == *bytes || bytes.starts_with(&[0x1a, 0x45]), "{}", path.display());
        let frames = |bytes: &[u8]| AudioFile::from_bytes(bytes, path).map(|file| file.info().frames).ok();
        assert_eq!(frames(&made), frames(bytes), "{}", path.display());
    }
    let outcomes = Arc::new(Outcomes::default());
    let counted = Arc::clone(&outcomes);
    let limits = Limits { bytes: 64 << 20, time: Duration::from_secs(10) };
    run("structure", limits, move |random| file(&fixtures, random), move |path, random| open(path, random, &counted));
    let count = |number: &AtomicU64| number.load(Relaxed);
    let (opened, told, refused) = (count(&outcomes.opened), count(&outcomes.told), count(&outcomes.refused));
    println!("{opened} opened, {told} of them with warnings or damage, and {refused} refused");
    assert!(opened > refused / 10 && refused > opened / 100, "{opened} opened, {refused} refused");
}
