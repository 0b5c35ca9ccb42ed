//! Files with tags of every kind, built from bytes, and their parts, found again independently of the program.
#![allow(dead_code, reason = "each test uses its part")]

use super::files::reference;
use super::opening::Wav;

/// Returns a small recording of the references.
pub fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(reference("audio").join(name)).unwrap()
}

pub fn safe(size: usize) -> [u8; 4] {
    [21, 14, 7, 0].map(|shift| (size >> shift & 0x7f) as u8)
}

pub fn from_safe(size: &[u8]) -> usize {
    size.iter().fold(0, |size, byte| size << 7 | usize::from(byte & 0x7f))
}

pub fn plain(size: &[u8]) -> usize {
    size.iter().fold(0, |size, byte| size << 8 | usize::from(*byte))
}

/// Builds an `ID3v2` tag of a version with the given flags.
pub fn id3(version: u8, flags: u8, body: &[u8]) -> Vec<u8> {
    [b"ID3", &[version, 0, flags], &safe(body.len())[..], body].concat()
}

/// Builds a frame; that of version 2.2 has three letters.
pub fn frame(version: u8, id: &str, content: &[u8]) -> Vec<u8> {
    let size = content.len();
    match version {
        2 => [id.as_bytes(), &(size as u32).to_be_bytes()[1..], content].concat(),
        3 => [id.as_bytes(), &(size as u32).to_be_bytes(), &[0, 0], content].concat(),
        _ => [id.as_bytes(), &safe(size), &[0, 0], content].concat(),
    }
}

/// Builds a picture of version 2.3 or 2.4.
pub fn apic(version: u8, mime: &str, kind: u8, description: &str, data: &[u8]) -> Vec<u8> {
    let content = [b"\0", mime.as_bytes(), &[0, kind], description.as_bytes(), b"\0", data].concat();
    frame(version, "APIC", &content)
}

/// Builds an MP3 with bytes in front of it.
pub fn mp3(before: &[u8]) -> Vec<u8> {
    [before, &fixture("noheader.mp3")].concat()
}

/// Builds a list of Vorbis comments.
pub fn comments(list: &[Vec<u8>]) -> Vec<u8> {
    let counted = |bytes: &[u8]| [&(bytes.len() as u32).to_le_bytes()[..], bytes].concat();
    let mut out = [counted(b"a vendor"), (list.len() as u32).to_le_bytes().to_vec()].concat();
    list.iter().for_each(|comment| out.extend(counted(comment)));
    out
}

/// Builds a FLAC picture block.
pub fn picture_block(kind: u32, mime: &str, description: &str, data: &[u8]) -> Vec<u8> {
    let be = |number: usize| (number as u32).to_be_bytes().to_vec();
    let text = |text: &str| [be(text.len()), text.as_bytes().to_vec()].concat();
    [be(kind as usize), text(mime), text(description), vec![0; 16], be(data.len()), data.to_vec()].concat()
}

fn block(kind: u8, is_last: bool, content: &[u8]) -> Vec<u8> {
    [&[kind | u8::from(is_last) << 7], &(content.len() as u32).to_be_bytes()[1..], content].concat()
}

/// Builds a FLAC with these blocks behind its STREAMINFO.
pub fn flac(blocks: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let bytes = fixture("flac.flac");
    let mut at = 4;
    loop {
        let is_last = bytes[at] & 0x80 != 0;
        at += 4 + plain(&bytes[at + 1..at + 4]);
        if is_last {
            break;
        }
    }
    let mut out = [b"fLaC".to_vec(), block(0, blocks.is_empty(), &bytes[8..42])].concat();
    for (index, (kind, content)) in blocks.iter().enumerate() {
        out.extend(block(*kind, index + 1 == blocks.len(), content));
    }
    [out, bytes[at..].to_vec()].concat()
}

/// Builds an Ogg file whose first packets after the first one are these, from one of the references whose headers end
/// with a page.
pub fn ogg(name: &str, packets: &[Vec<u8>]) -> Vec<u8> {
    let bytes = fixture(name);
    let (mut out, mut at, mut number, mut old_headers) = (Vec::new(), 0, 0u32, 0);
    let wanted = if name.contains("vorbis") { 2 } else { 1 };
    while at < bytes.len() {
        let (laces, body) = (lacing(&bytes[at..]), at + 27 + usize::from(bytes[at + 26]));
        let end = body + laces.iter().sum::<usize>();
        if number == 0 {
            out.extend_from_slice(&bytes[at..end]);
            number = 1;
            let mut laces = Vec::new();
            for packet in packets {
                laces.extend(std::iter::repeat_n(255u8, packet.len() / 255));
                laces.push((packet.len() % 255) as u8);
            }
            let mut body = packets.concat();
            let mut is_continued = false;
            for laces in laces.chunks(255) {
                let count = laces.iter().map(|lace| usize::from(*lace)).sum();
                let rest = body.split_off(count);
                let granule = if laces.iter().any(|lace| *lace < 255) { 0 } else { u64::MAX };
                let mut page = [b"OggS\0", &[u8::from(is_continued)][..], &granule.to_le_bytes()].concat();
                page.extend_from_slice(&bytes[14..18]);
                page.extend_from_slice(&number.to_le_bytes());
                page.extend_from_slice(&[0; 4]);
                page.push(laces.len() as u8);
                page.extend_from_slice(laces);
                page.extend_from_slice(&body);
                out.extend(with_checksum(page));
                is_continued = laces.last() == Some(&255);
                body = rest;
                number += 1;
            }
        } else if old_headers < wanted {
            old_headers += laces.iter().filter(|lace| **lace < 255).count();
        } else {
            let mut page = bytes[at..end].to_vec();
            page[18..22].copy_from_slice(&number.to_le_bytes());
            page[22..26].fill(0);
            out.extend(with_checksum(page));
            number += 1;
        }
        at = end;
    }
    out
}

fn lacing(page: &[u8]) -> Vec<usize> {
    page[27..27 + usize::from(page[26])].iter().map(|lace| usize::from(*lace)).collect()
}

/// Returns a page with its checksum.
pub fn with_checksum(mut page: Vec<u8>) -> Vec<u8> {
    let mut crc = 0u32;
    for byte in &page {
        crc ^= u32::from(*byte) << 24;
        for _ in 0..8 {
            crc = if crc >> 31 == 1 { crc << 1 ^ 0x04c1_1db7 } else { crc << 1 };
        }
    }
    page[22..26].copy_from_slice(&crc.to_le_bytes());
    page
}

/// Builds an Ogg Vorbis file with a list of comments.
pub fn vorbis(list: &[u8]) -> Vec<u8> {
    let setup = ogg_packets(&fixture("vorbis.ogg"), 3).pop().unwrap();
    ogg("vorbis.ogg", &[[b"\x03vorbis", list, b"\x01"].concat(), setup])
}

/// Builds an Opus file with a list of comments.
pub fn opus(list: &[u8]) -> Vec<u8> {
    ogg("opusenc.opus", &[[b"OpusTags", list].concat()])
}

/// Builds a FLAC in Ogg with these blocks behind its STREAMINFO.
pub fn ogg_flac(blocks: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let packets = blocks.iter().enumerate();
    let packets = packets.map(|(index, (kind, content))| block(*kind, index + 1 == blocks.len(), content));
    ogg("flac.oga", &packets.collect::<Vec<_>>())
}

/// Returns the first packets of an Ogg file of one stream.
pub fn ogg_packets(bytes: &[u8], count: usize) -> Vec<Vec<u8>> {
    let (mut packets, mut packet, mut at) = (Vec::new(), Vec::new(), 0);
    while at < bytes.len() && packets.len() < count {
        let laces = lacing(&bytes[at..]);
        at += 27 + laces.len();
        for lace in laces {
            packet.extend_from_slice(&bytes[at..at + lace]);
            at += lace;
            if lace < 255 {
                packets.push(std::mem::take(&mut packet));
            }
        }
    }
    packets.truncate(count);
    packets
}

/// Builds a box of an MP4.
pub fn atom(kind: &[u8], content: &[u8]) -> Vec<u8> {
    [&((content.len() + 8) as u32).to_be_bytes(), kind, content].concat()
}

/// Builds an item of the iTunes list, with its name in Latin-1, or a free one.
pub fn mp4_item(name: &str, values: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let data = |(kind, value): &(u32, Vec<u8>)| atom(b"data", &[&kind.to_be_bytes(), &[0; 4][..], value].concat());
    let data: Vec<u8> = values.iter().flat_map(data).collect();
    let latin: Vec<u8> = name.chars().map(|letter| letter as u8).collect();
    if latin.len() == 4 {
        return atom(&latin, &data);
    }
    let full = |kind: &[u8], text: &[u8]| atom(kind, &[&[0; 4], text].concat());
    atom(b"----", &[full(b"mean", b"com.apple.iTunes"), full(b"name", &latin), data].concat())
}

/// Builds an MP4 with these items; `is_first` puts the index in front of the sound, and `free` bytes of free space behind
/// the list.
pub fn mp4(items: &[u8], is_first: bool, free: Option<usize>) -> Vec<u8> {
    let bytes = fixture("edits.m4a");
    let boxes = boxes(&bytes);
    let part = |kind: &[u8]| boxes.iter().find(|(known, _)| known == kind).unwrap().1.clone();
    let (kind, data, movie) = (bytes[part(b"ftyp")].to_vec(), part(b"mdat"), &bytes[part(b"moov")]);
    let mut inner: Vec<u8> = Vec::new();
    for (name, range) in self::boxes(&movie[8..]) {
        if name != b"udta" {
            inner.extend_from_slice(&movie[8..][range]);
        }
    }
    let mut handler = vec![0; 8];
    handler.extend_from_slice(b"mdirappl\0\0\0\0\0\0\0\0\0");
    let mut list = atom(b"ilst", items);
    list.extend(free.map(|bytes| atom(b"free", &vec![0; bytes])).unwrap_or_default());
    let meta = atom(b"meta", &[&[0; 4], &atom(b"hdlr", &handler)[..], &list].concat());
    inner.extend(atom(b"udta", &meta));
    let mut movie = atom(b"moov", &inner);
    let start = kind.len() + if is_first { movie.len() } else { 0 };
    let place = movie.windows(4).position(|four| four == b"stco").unwrap() + 12;
    let offset = plain(&movie[place..place + 4]) - data.start + start;
    movie[place..place + 4].copy_from_slice(&(offset as u32).to_be_bytes());
    let sound = bytes[data].to_vec();
    if is_first { [kind, movie, sound].concat() } else { [kind, sound, movie].concat() }
}

/// Returns the boxes of a list with their ranges.
pub fn boxes(bytes: &[u8]) -> Vec<(Vec<u8>, std::ops::Range<usize>)> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at + 8 <= bytes.len() {
        let size = plain(&bytes[at..at + 4]);
        found.push((bytes[at + 4..at + 8].to_vec(), at..at + size));
        at += size;
    }
    found
}

/// Builds a WAV or an AIFF of 16 bits with more chunks behind its sound, or in front of it.
pub fn chunked(magic: &'static str, chunks: &[(&[u8; 4], Vec<u8>)], is_first: bool) -> Vec<u8> {
    let is_aiff = magic.starts_with("AIF");
    let number = |size: usize| if is_aiff { (size as u32).to_be_bytes() } else { (size as u32).to_le_bytes() };
    let mut bytes = Wav { magic, ..Wav::plain(16, 2) }.bytes(500, |channel, frame| (frame + channel) as f64 / 1000.0);
    let mut more = Vec::new();
    for (id, content) in chunks {
        more.extend_from_slice(*id);
        more.extend_from_slice(&number(content.len()));
        more.extend_from_slice(content);
        more.resize(more.len().next_multiple_of(2), 0);
    }
    let place = if is_first { 12 } else { bytes.len() };
    drop(bytes.splice(place..place, more));
    let size = bytes.len() - 8;
    bytes[4..8].copy_from_slice(&number(size));
    bytes
}

/// Returns the chunks of a WAV or an AIFF.
pub fn chunks(bytes: &[u8]) -> Vec<([u8; 4], Vec<u8>)> {
    let is_aiff = bytes.starts_with(b"FORM");
    let (mut found, mut at) = (Vec::new(), 12);
    while at + 8 <= bytes.len() {
        let size = bytes[at + 4..at + 8].try_into().unwrap();
        let size = if is_aiff { u32::from_be_bytes(size) } else { u32::from_le_bytes(size) } as usize;
        let content = bytes[at + 8..(at + 8 + size).min(bytes.len())].to_vec();
        found.push((bytes[at..at + 4].try_into().unwrap(), content));
        at += 8 + size + size % 2;
    }
    found
}

/// Returns the frames of an `ID3v2` tag, with unsynchronisation of the whole tag undone: identifiers with all bytes.
pub fn id3_frames(tag: &[u8]) -> Vec<(String, Vec<u8>)> {
    let (version, flags, end) = (tag[3], tag[5], 10 + from_safe(&tag[6..10]));
    let body = &tag[10..end];
    let body = if version < 4 && flags & 0x80 != 0 { synchronised(body) } else { body.to_vec() };
    let head = if version == 2 { 6 } else { 10 };
    let (mut found, mut at) = (Vec::new(), 0);
    if version > 2 && flags & 0x40 != 0 && !body[..3].iter().all(u8::is_ascii_alphanumeric) {
        at = if version == 3 { plain(&body[..4]) + 4 } else { from_safe(&body[..4]) };
    }
    while at + head <= body.len() && body[at] != 0 {
        let letters = if version == 2 { 3 } else { 4 };
        let id = String::from_utf8_lossy(&body[at..at + letters]).trim_end_matches(['\0', ' ']).to_owned();
        let size = match version {
            2 => plain(&body[at + 3..at + 6]),
            3 => plain(&body[at + 4..at + 8]),
            _ => {
                // iTunes writes plain sizes; the tests' frames are followed by others or by zeros.
                let (safe, plain) = (from_safe(&body[at + 4..at + 8]), plain(&body[at + 4..at + 8]));
                let ends = |size: usize| {
                    body.get(at + 10 + size..).is_some_and(|rest| {
                        rest.is_empty()
                            || rest[0] == 0
                            || rest.len() >= 4
                                && rest[..4].iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
                    })
                };
                if ends(safe) { safe } else { plain }
            }
        };
        found.push((id, body[at..at + head + size].to_vec()));
        at += head + size;
    }
    found
}

fn synchronised(bytes: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::new();
    for (at, byte) in bytes.iter().enumerate() {
        if !(*byte == 0 && at > 0 && bytes[at - 1] == 0xff) {
            out.push(*byte);
        }
    }
    out
}

fn unsynchronised(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for (at, byte) in bytes.iter().enumerate() {
        out.push(*byte);
        if *byte == 0xff && bytes.get(at + 1).is_none_or(|next| *next >= 0xe0 || *next == 0) {
            out.push(0);
        }
    }
    out
}

/// A kind of file whose tags are edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Mp3,
    Wav,
    Aiff,
    Flac,
    Vorbis,
    Opus,
    OggFlac,
    Mp4,
}

impl Kind {
    pub fn extension(self) -> &'static str {
        match self {
            Self::Mp3 => "mp3",
            Self::Wav => "wav",
            Self::Aiff => "aiff",
            Self::Flac => "flac",
            Self::Vorbis => "ogg",
            Self::Opus => "opus",
            Self::OggFlac => "oga",
            Self::Mp4 => "m4a",
        }
    }
}

/// Returns a file with tags as strange as other programs write them: all versions, flags and encodings.
pub fn generated(seed: u64) -> (Kind, Vec<u8>) {
    let mut next = super::opening::random(seed + 1);
    let mut below = move |most: usize| (next() % most as u64) as usize;
    let kind = [
        Kind::Mp3,
        Kind::Mp3,
        Kind::Mp3,
        Kind::Wav,
        Kind::Aiff,
        Kind::Flac,
        Kind::Vorbis,
        Kind::Opus,
        Kind::Mp4,
        Kind::OggFlac,
    ][below(10)];
    let bytes = match kind {
        Kind::Mp3 => mp3(&if below(12) == 0 { Vec::new() } else { odd_id3(&mut below) }),
        Kind::Wav | Kind::Aiff => {
            let magic = if kind == Kind::Wav { "RIFF" } else { ["AIFF", "AIFC"][below(2)] };
            let other: (&[u8; 4], Vec<u8>) = (b"abcd", vec![7; below(40)]);
            let (is_first, has_tag, id) = (below(2) == 0, below(6) > 0, [b"ID3 ", b"id3 "][below(2)]);
            let list: (&[u8; 4], Vec<u8>) = (b"LIST", b"INFOINAM\x02\0\0\0a\0".to_vec());
            let tag = (id, odd_id3(&mut below));
            let mut chunks: Vec<(&[u8; 4], Vec<u8>)> = vec![other, list];
            if has_tag {
                chunks.insert(below(3), tag);
            }
            chunked(magic, &chunks, is_first)
        }
        Kind::Flac => {
            let mut blocks = vec![
                (4, odd_comments(&mut below)),
                (2, b"testabc".to_vec()),
                (6, picture_block(3, "image/jpg", "d", b"x")),
            ];
            if below(5) == 0 {
                blocks.remove(0);
            }
            let at = below(blocks.len() + 1);
            blocks.insert(at, (1, vec![0; [0, 3, 10, 60, 500, 5000][below(6)]]));
            flac(&blocks)
        }
        Kind::OggFlac => {
            let mut blocks = vec![
                (4, odd_comments(&mut below)),
                (2, b"testabc".to_vec()),
                (6, picture_block(3, "image/jpg", "d", b"x")),
            ];
            // The comments come first, as the mapping has it, or elsewhere.
            blocks.rotate_left([0, 0, 0, 1, 2][below(5)]);
            blocks.truncate(if blocks[0].0 == 4 { 1 + below(3) } else { 3 });
            ogg_flac(&blocks)
        }
        Kind::Vorbis => vorbis(&odd_comments(&mut below)),
        Kind::Opus => {
            // What may follow the comments of Opus.
            let rest = vec![[0, 1, 0xfe][below(3)]; below(3) * 200];
            opus(&[odd_comments(&mut below), rest].concat())
        }
        Kind::Mp4 => {
            let (is_first, free) = (below(2) == 0, [None, Some(0), Some(20), Some(900)][below(4)]);
            mp4(&odd_items(&mut below), is_first, free)
        }
    };
    (kind, bytes)
}

fn odd_id3(below: &mut impl FnMut(usize) -> usize) -> Vec<u8> {
    let version = 2 + below(3) as u8;
    let name = |three: &'static str, four: &'static str| if version == 2 { three } else { four };
    let language: &[u8] = [b"eng", b"\0\0\0", b"   ", b"XXX"][below(4)];
    let mut pool: Vec<Vec<u8>> = vec![
        frame(version, name("TT2", "TIT2"), b"\0Title"),
        frame(version, name("TP1", "TPE1"), b"\x01\xff\xfeA\0\xfc\0\0\0"),
        frame(version, name("TAL", "TALB"), b"\0"),
        frame(version, name("TCO", "TCON"), b"\0(17)Rock\0"),
        frame(version, name("POP", "POPM"), b"a@b.c\0\xc4"),
        frame(version, name("POP", "POPM"), b"a@b.c\0\xc4\0\0\0\0\x07"),
        frame(version, name("COM", "COMM"), &[b"\0", language, b"\0hello\0"].concat()),
        frame(version, name("COM", "COMM"), &[b"\0", language, b"d\0"].concat()),
        frame(version, name("ULT", "USLT"), &[b"\x01", language, b"\xff\xfe\0\0\xff\xfeA\0"].concat()),
        frame(version, name("GEO", "GEOB"), b"\0x\0y\0z\0\xff\xff\0\xff\xe0"),
        frame(version, name("TXX", "TXXX"), b"\0Something\0else"),
        frame(version, name("TXX", "TXXX"), b"\0REPLAYGAIN_TRACK_GAIN_OLD\0-1"),
        frame(version, name("UFI", "UFID"), b"http://x\0\x01\x02"),
        frame(version, name("TSP", "TSOP"), b"\0Sort"),
        frame(version, name("CNT", "PCNT"), b"\0\0\0\x09"),
        frame(version, name("QQQ", "QQQQ"), b"\xff\x00\xff"),
        frame(version, name("TRK", "TRCK"), b"\x003/9"),
    ];
    // The own fields, as others wrote them.
    pool.extend([
        frame(version, name("TBP", "TBPM"), b"\x0099"),
        frame(version, name("TKE", "TKEY"), b"\0Em"),
        frame(version, name("TXX", "TXXX"), b"\0replaygain_track_gain\0-1.00 dB"),
        frame(
            version,
            name("TXX", "TXXX"),
            b"\x01\xff\xfeR\0E\0P\0L\0A\0Y\0G\0A\0I\0N\0_\0T\0R\0A\0C\0K\0_\0P\0E\0A\0K\0\0\0\xff\xfe1\0",
        ),
    ]);
    if version > 2 {
        pool.extend([
            frame(version, "TDRC", b"\x002001"),
            apic(version, "image/jpg", 3, "cover", b"\xff\xd8\xff\xe0abc"),
            apic(version, "", 0, "", b"\x89PNG"),
            frame(version, "PRIV", b"x\0\xff\xf0\0"),
            frame(version, "TXXX", &[b"\0long\0", &[b'y'; 300][..]].concat()),
        ]);
    }
    if version == 3 {
        pool.push([b"TT3\0".as_slice(), &6u32.to_be_bytes(), &[0, 0], b"\0Three"].concat());
        // A group.
        pool.push([b"TIT1".as_slice(), &4u32.to_be_bytes(), &[0, 0x20], b"\x05\0ab"].concat());
    }
    if version == 4 {
        // A length in front, unsynchronisation, a group; a plain size, as iTunes writes it.
        pool.push([b"TIT3".as_slice(), &safe(7), &[0, 1], b"\0\0\0\x03\x03ab"].concat());
        pool.push([b"TPE2".as_slice(), &safe(5), &[0, 2], b"\0\xff\0\xffx"].concat());
        pool.push([b"TCOM".as_slice(), &safe(4), &[0x40, 0x40], b"\x05\x03ab"].concat());
        pool.push([b"GEOB".as_slice(), &200u32.to_be_bytes(), &[0, 0], &[b'z'; 200]].concat());
        pool.push(frame(4, "TPE3", b"\x03A\0B"));
        // A large cover.
        let data: Vec<u8> = (0..20_000u32).map(|at| ((at * at) >> 5) as u8).collect();
        let cover = [b"\0image/jpeg\0\x03\0\xff\xd8\xff\xe0", &data[..]].concat();
        pool.push([b"APIC".as_slice(), &(cover.len() as u32).to_be_bytes(), &[0, 0], &cover].concat());
    }
    let mut body = Vec::new();
    for _ in 0..below(14) {
        body.extend_from_slice(&pool[below(pool.len())]);
    }
    let mut flags = 0;
    let has_footer = version == 4 && below(6) == 0;
    if !has_footer {
        body.resize(body.len() + [0, 5, 40, 300, 2000][below(5)], 0);
    }
    if version == 3 && below(4) == 0 {
        flags |= 0x40;
        // The size, the flags, the padding.
        drop(body.splice(0..0, [0, 0, 0, 6, 0, 0, 0, 0, 0, 0]));
    } else if version == 4 && below(4) == 0 {
        flags |= 0x40;
        drop(body.splice(0..0, [0, 0, 0, 6, 1, 0]));
    } else if version < 4 && below(4) == 0 {
        flags |= 0x80;
        body = unsynchronised(&body);
    } else if version > 2 && !body.is_empty() && body[0] != 0 && below(6) == 0 {
        // Without an extended header.
        flags |= 0x40;
    }
    if has_footer {
        flags |= 0x10;
        let tag = id3(version, flags, &body);
        return [tag.clone(), [b"3DI", &tag[3..10]].concat()].concat();
    }
    id3(version, flags, &body)
}

fn odd_comments(below: &mut impl FnMut(usize) -> usize) -> Vec<u8> {
    let pool: [&[u8]; 13] = [
        b"TITLE=Title",
        b"title=",
        b"ARTIST=",
        b"=nothing",
        b"no equals sign",
        b"",
        b"X=\xff\xfe\0",
        b"BPM=99",
        b"bpm=98",
        b"InitialKey=Em",
        b"REPLAYGAIN_TRACK_GAIN=-1.00 dB",
        b"REPLAYGAIN_TRACK_GAIN_OLD=-1",
        b"METADATA_BLOCK_PICTURE=AAAA",
    ];
    let mut list: Vec<Vec<u8>> = (0..below(9)).map(|_| pool[below(13)].to_vec()).collect();
    if below(4) == 0 {
        // The headers take several pages.
        list.push([b"LONG=".as_slice(), &vec![b'l'; 64_000 + below(3000)]].concat());
    }
    comments(&list)
}

fn odd_items(below: &mut impl FnMut(usize) -> usize) -> Vec<u8> {
    let text = |text: &str| vec![(1, text.as_bytes().to_vec())];
    let pool = [
        mp4_item("\u{a9}nam", &text("Title")),
        mp4_item("\u{a9}ART", &[(1, b"One".to_vec()), (1, b"Two".to_vec())]),
        mp4_item("\u{a9}alb", &text("")),
        mp4_item("covr", &[(13, b"\xff\xd8\xff".to_vec()), (0, b"x".to_vec())]),
        mp4_item("tmpo", &[(21, vec![0, 99])]),
        mp4_item("initialkey", &text("Em")),
        mp4_item("REPLAYGAIN_TRACK_GAIN", &text("-1.00 dB")),
        mp4_item("something", &[(0, vec![1, 2, 3])]),
        mp4_item("cpil", &[(21, vec![1])]),
        atom(b"----", &atom(b"mean", b"\0\0\0\0com.other")),
        atom(b"free", &[0; 12]),
        atom(b"zzzz", b""),
    ];
    (0..below(9)).flat_map(|_| pool[below(pool.len())].clone()).collect()
}
