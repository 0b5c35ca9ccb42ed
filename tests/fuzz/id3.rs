//! Tags of every kind around real audio: `ID3v2.2` to `2.4` with every kind of frame, compressed, unsynchronised and
//! with extreme lengths, APE tags, `ID3v1`, RIFF INFO, chunks about the recording, AIFF texts and Vorbis comments. What
//! is read is processed, written and edited.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use base64::Engine;
use flate2::write::ZlibEncoder;
use flate2::{Compress, Compression, FlushCompress};
use undertone::audio::encode::{FileFormat, tag_limits};
use undertone::audio::tags::limits::{
    MAX_CHUNKS_BYTES, MAX_NAME_BYTES, MAX_PICTURES_BYTES, MAX_TEXT_BYTES, MAX_VALUES,
};
use undertone::audio::tags::{EditedTag, FrameMap, MapPiece, Processing, TagCause, TagFormat, edit};
use undertone::audio::{AudioBuffer, AudioFile, TagChanges, Tags};
use undertone::units::SampleRate;

use super::harness::{Limits, Random, run};
use super::opening_support::Wav;
use super::support::tagged;

const FRAMES: [&[u8; 4]; 28] = [
    b"TIT2", b"TPE1", b"TALB", b"TCON", b"TRCK", b"TPOS", b"TDRC", b"TYER", b"TDAT", b"TIME", b"TXXX", b"WXXX",
    b"WOAR", b"COMM", b"USLT", b"SYLT", b"APIC", b"UFID", b"POPM", b"TIPL", b"IPLS", b"GEOB", b"PRIV", b"CHAP",
    b"CTOC", b"TCMP", b"MVIN", b"XXXX",
];
const OLD_FRAMES: [&[u8; 3]; 12] =
    [b"TT2", b"TP1", b"TAL", b"TCO", b"TRK", b"TYE", b"TXX", b"COM", b"ULT", b"PIC", b"UFI", b"CRM"];
const COMMENTS: [&str; 8] =
    ["TITLE", "artist", "METADATA_BLOCK_PICTURE", "COVERART", "LYRICS", "", "NO NAME\u{7f}", "TRACKNUMBER"];

const PIECES: [&[u8]; 9] =
    [b"a", "ü".as_bytes(), b"\xff", b"\0", b"a\0b\0", b"\xff\xfea\0", b"(17)", b"3/4", "\u{1f600}".as_bytes()];

/// Tags beyond this size are not extended further.
const MAX_BYTES: usize = 8 << 20;

/// Returns a length that is mostly correct.
fn length(random: &mut Random, truth: usize, bits: u32) -> u64 {
    if random.once_in(12) { random.extreme(bits) } else { truth as u64 }
}

fn synchsafe(size: u64) -> [u8; 4] {
    [21, 14, 7, 0].map(|shift| (size >> shift & 0x7f) as u8)
}

/// Returns bytes that inflate to `mebibytes` of `byte`. They are cheap to make: a single block, repeated.
fn bomb(byte: u8, mebibytes: usize) -> Vec<u8> {
    let mut deflate = Compress::new(Compression::best(), false);
    let mut block = Vec::with_capacity(1 << 16);
    deflate.compress_vec(&vec![byte; 1 << 20], &mut block, FlushCompress::Full).unwrap();
    let mut bytes = vec![0x78, 0xda];
    // A stored block with the start of a picture frame.
    let head = b"\0image/png\0\x03\0\x89PNG\r\n\x1a\n";
    bytes.extend_from_slice(&[0, head.len() as u8, 0, !(head.len() as u8), 0xff]);
    bytes.extend_from_slice(head);
    (0..mebibytes).for_each(|_| bytes.extend_from_slice(&block));
    // An empty last block and a wrong checksum.
    bytes.extend_from_slice(&[3, 0, 0, 0, 0, 0]);
    bytes
}

fn deflated(content: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn unsynchronised(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    for (at, byte) in bytes.iter().enumerate() {
        out.push(*byte);
        if *byte == 0xff && bytes.get(at + 1).is_none_or(|next| *next >= 0xe0 || *next == 0) {
            out.push(0);
        }
    }
    out
}

/// Returns a text, mostly short, sometimes long.
fn text(random: &mut Random) -> Vec<u8> {
    let count = match random.below(24) {
        0 => 0,
        1 => 1 << random.below(21),
        2 => (256 << 10) + random.below(10) as usize,
        _ => random.below(30) as usize,
    };
    let piece = *random.pick(&PIECES);
    piece.iter().copied().cycle().take(count).collect()
}

fn picture(random: &mut Random) -> Vec<u8> {
    let count = match random.below(16) {
        0 => 0,
        1 => 1 << random.below(25),
        _ => random.below(2000) as usize,
    };
    let mut data = b"\x89PNG\r\n\x1a\n".to_vec();
    data.resize(count, random.next() as u8);
    data
}

/// Returns the contents of a frame for its identifier.
fn content(id: &[u8], random: &mut Random) -> Vec<u8> {
    let encoding = if random.once_in(16) { random.next() as u8 } else { random.below(4) as u8 };
    let ends: &[u8] = if matches!(encoding, 1 | 2) { &[0, 0] } else { &[0] };
    let mut out = vec![encoding];
    match id {
        b"APIC" => {
            let mime = random.pick(&["image/png", "image/jpeg", "", "-->"]);
            out.extend_from_slice(mime.as_bytes());
            out.extend_from_slice(&[0, random.next() as u8]);
            out.extend(text(random));
            out.extend_from_slice(ends);
            out.extend(picture(random));
        }
        b"PIC" => {
            out.extend_from_slice(b"PNG\x03");
            out.extend_from_slice(ends);
            out.extend(picture(random));
        }
        b"COMM" | b"USLT" | b"COM" | b"ULT" => {
            out.extend_from_slice(b"eng");
            out.extend(text(random));
            out.extend_from_slice(ends);
            out.extend(text(random));
        }
        b"UFID" | b"UFI" => {
            out = b"http://musicbrainz.org\0".to_vec();
            out.extend(text(random));
        }
        b"CHAP" | b"CTOC" | b"GEOB" | b"PRIV" | b"POPM" => out.extend(random.bytes(60)),
        b"TXXX" | b"WXXX" | b"TXX" => {
            out.extend(text(random));
            out.extend_from_slice(ends);
            out.extend(text(random));
        }
        _ => out.extend(text(random)),
    }
    if random.once_in(20) {
        let keep = random.below(out.len() as u64 + 1) as usize;
        out.truncate(keep);
    }
    out
}

/// Returns one frame.
fn frame(version: u8, random: &mut Random) -> Vec<u8> {
    if version == 2 {
        let id = *random.pick(&OLD_FRAMES);
        let content = content(id, random);
        let size = length(random, content.len(), 24) as u32;
        return [id as &[u8], &size.to_be_bytes()[1..], &content].concat();
    }
    if version == 3 && random.once_in(12) {
        // As iTunes turned frames of version 2.2 into ones of 2.3.
        let id = *random.pick(&OLD_FRAMES);
        let content = content(id, random);
        let size = length(random, content.len(), 32) as u32;
        return [id as &[u8], &[*random.pick(&[0, b' '])], &size.to_be_bytes(), &[0, 0], &content].concat();
    }
    let id = *random.pick(&FRAMES);
    let mut content = content(id, random);
    let mut flags = 0;
    let mut before = Vec::new();
    let inflated = content.len();
    let is_compressed = random.once_in(4);
    let bit = |three: u8, four: u8| if version == 3 { three } else { four };
    if is_compressed {
        flags |= bit(0x80, 0x09);
        content = if random.once_in(3) {
            bomb(*random.pick(&[0, b'a']), *random.pick(&[1, 15, 17, 63, 400, 1200]))
        } else {
            deflated(&content)
        };
    }
    if version == 4 && random.once_in(4) {
        flags |= 2;
        content = unsynchronised(&content);
    }
    if random.once_in(10) {
        flags |= bit(0x20, 0x40);
        before.push(7);
    }
    if random.once_in(30) {
        flags |= bit(0x40, 0x04);
        before.push(1);
    }
    if is_compressed {
        let claimed = length(random, inflated, 28);
        before.extend_from_slice(&if version == 3 { (claimed as u32).to_be_bytes() } else { synchsafe(claimed) });
    }
    content.splice(0..0, before);
    let size = length(random, content.len(), if version == 3 { 32 } else { 28 });
    // iTunes wrote plain sizes in version 2.4.
    let plain = version == 3 || random.once_in(8);
    let size = if plain { (size as u32).to_be_bytes() } else { synchsafe(size) };
    [id as &[u8], &size, &[0, flags], &content].concat()
}

/// Returns a whole tag.
pub fn tag(random: &mut Random) -> Vec<u8> {
    let version = if random.once_in(30) { random.next() as u8 } else { 2 + random.below(3) as u8 };
    let mut body = Vec::new();
    let mut flags = 0;
    if version > 2 && random.once_in(12) {
        // The flag without what it says.
        flags |= 0x40;
    } else if version > 2 && random.once_in(5) {
        flags |= 0x40;
        let extended = random.bytes(6);
        let size = length(random, if version == 4 { 10 } else { 6 }, 28);
        body.extend_from_slice(&if version == 4 { synchsafe(size) } else { (size as u32).to_be_bytes() });
        body.extend(extended);
    }
    let frames = if random.once_in(20) { random.below(6000) } else { random.below(12) };
    for _ in 0..frames {
        body.extend(frame(version.clamp(2, 4), random));
        if body.len() > MAX_BYTES {
            break;
        }
    }
    if random.once_in(4) {
        flags |= 0x80;
        if version < 4 {
            body = unsynchronised(&body);
        }
    }
    body.resize(body.len() + random.below(200) as usize, 0);
    let size = synchsafe(length(random, body.len(), 28));
    let mut tag = [b"ID3" as &[u8], &[version, 0, flags], &size, &body].concat();
    if version == 4 && random.once_in(6) {
        tag[5] |= 0x10;
        let footer = [b"3DI" as &[u8], &tag[3..10]].concat();
        tag.extend(footer);
    }
    tag
}

fn ape(random: &mut Random) -> Vec<u8> {
    let mut items = Vec::new();
    let count = if random.once_in(20) { 5000 } else { random.below(8) };
    for _ in 0..count {
        if items.len() > MAX_BYTES {
            break;
        }
        let (key, flags) = *random.pick(&[
            ("Title", 0u32),
            ("Track", 0),
            ("Cover Art (Front)", 2),
            ("Comment", 0),
            ("", 4),
            ("Disc", 6),
        ]);
        let value = if flags == 2 { [b"a.png\0" as &[u8], &picture(random)].concat() } else { text(random) };
        items.extend_from_slice(&(length(random, value.len(), 32) as u32).to_le_bytes());
        items.extend_from_slice(&flags.to_le_bytes());
        items.extend_from_slice(key.as_bytes());
        items.push(0);
        items.extend(value);
    }
    let mut foot = b"APETAGEX\xd0\x07\0\0".to_vec();
    foot.extend_from_slice(&(length(random, items.len() + 32, 32) as u32).to_le_bytes());
    foot.extend_from_slice(&(length(random, count as usize, 32) as u32).to_le_bytes());
    foot.extend_from_slice(&[0; 12]);
    [items, foot].concat()
}

fn old(random: &mut Random) -> Vec<u8> {
    let mut tag = b"TAG".to_vec();
    tag.extend(random.bytes(125));
    tag
}

/// Returns a RIFF or IFF chunk.
fn chunk(id: &[u8; 4], content: &[u8], big_endian: bool, random: &mut Random) -> Vec<u8> {
    let size = length(random, content.len(), 32) as u32;
    let size = if big_endian { size.to_be_bytes() } else { size.to_le_bytes() };
    let mut out = [id as &[u8], &size, content].concat();
    out.resize(out.len() + content.len() % 2, 0);
    out
}

/// Returns the contents of a chunk about the recording: random bytes, mostly of a size that it has, or some XML.
fn about_the_sound(id: &[u8], random: &mut Random) -> Vec<u8> {
    const ELEMENTS: [&str; 9] = [
        "SYNC_POINT",
        "SYNC_POINT_LOW",
        "SYNC_POINT_HIGH",
        "SYNC_POINT_TYPE",
        "SYNC_POINT_COUNT",
        "TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_LO",
        "TIMESTAMP_SAMPLES_SINCE_MIDNIGHT_HI",
        "TRACK_LIST",
        "FILE_UID",
    ];
    if id == b"iXML" {
        let mut xml = if random.once_in(10) { String::new() } else { "<BWFXML>".to_owned() };
        let count = if random.once_in(10) { 30_000 } else { random.below(30) };
        for _ in 0..count {
            let name = *random.pick(&ELEMENTS);
            match random.below(4) {
                0 => xml.push_str(&random.extreme(40).to_string()),
                1 => xml.extend(["</", name, ">"]),
                _ => xml.extend(["<", name, ">"]),
            }
        }
        return xml.into_bytes();
    }
    let usual = match id {
        b"bext" => 602,
        b"smpl" => 36 + 24 * random.below(5),
        b"cart" => 2048,
        b"inst" => 7,
        _ => 24,
    };
    let bytes = if random.once_in(3) { random.below(3000) } else { usual };
    let mut content = random.bytes(bytes as usize);
    if id == b"smpl" && content.len() >= 32 {
        let count = length(random, content.len().saturating_sub(36) / 24, 32) as u32;
        content[28..32].copy_from_slice(&count.to_le_bytes());
    }
    content
}

/// Returns chunks with tags.
pub fn chunks(big_endian: bool, random: &mut Random) -> Vec<u8> {
    let mut out = Vec::new();
    let ids: &[&[u8; 4]] = if big_endian {
        &[b"ID3 ", b"NAME", b"AUTH", b"ANNO", b"COMT"]
    } else {
        &[b"ID3 ", b"id3 ", b"LIST", b"bext", b"iXML", b"smpl", b"cart", b"inst", b"acid", b"zzzz"]
    };
    for _ in 0..random.below(7) {
        let id = *random.pick(ids);
        let content = match id {
            b"ID3 " | b"id3 " => tag(random),
            b"LIST" => {
                let mut list = b"INFO".to_vec();
                for _ in 0..random.below(6) {
                    let (id, text) = (*random.pick(&[b"INAM", b"IART", b"ICMT", b"IPRT"]), text(random));
                    list.extend(chunk(id, &text, false, random));
                }
                list
            }
            b"COMT" => {
                let mut comments = (length(random, 2, 16) as u16).to_be_bytes().to_vec();
                for _ in 0..2 {
                    let text = text(random);
                    comments.extend_from_slice(&[0; 6]);
                    comments.extend_from_slice(&(length(random, text.len() & 0xffff, 16) as u16).to_be_bytes());
                    comments.extend(text);
                }
                comments
            }
            _ if big_endian => text(random),
            _ => about_the_sound(id, random),
        };
        out.extend(chunk(id, &content, big_endian, random));
    }
    out
}

/// Returns a FLAC PICTURE block.
fn picture_block(random: &mut Random) -> Vec<u8> {
    let mut block = 3u32.to_be_bytes().to_vec();
    for part in [b"image/png".to_vec(), text(random)] {
        block.extend_from_slice(&(length(random, part.len(), 32) as u32).to_be_bytes());
        block.extend(part);
    }
    block.extend(random.bytes(16));
    let data = picture(random);
    block.extend_from_slice(&(length(random, data.len(), 32) as u32).to_be_bytes());
    block.extend(data);
    block
}

/// Returns Vorbis comments without the container's framing.
pub fn comments(random: &mut Random) -> Vec<u8> {
    let mut out = (length(random, 3, 32) as u32).to_le_bytes().to_vec();
    out.extend_from_slice(b"abc");
    let count = if random.once_in(20) { 6000 } else { random.below(10) };
    out.extend_from_slice(&(length(random, count as usize, 32) as u32).to_le_bytes());
    for _ in 0..count {
        let name = *random.pick(&COMMENTS);
        let value = match name {
            "METADATA_BLOCK_PICTURE" => {
                base64::engine::general_purpose::STANDARD.encode(picture_block(random)).into_bytes()
            }
            "COVERART" => base64::engine::general_purpose::STANDARD.encode(picture(random)).into_bytes(),
            _ => text(random),
        };
        let comment = [name.as_bytes(), if random.once_in(30) { b"" as &[u8] } else { b"=" }, &value].concat();
        out.extend_from_slice(&(length(random, comment.len(), 32) as u32).to_le_bytes());
        out.extend(comment);
        if out.len() > MAX_BYTES {
            break;
        }
    }
    out
}

fn flac(real: &[u8], random: &mut Random) -> Vec<u8> {
    // The magic number and STREAMINFO, then generated blocks, then the frames.
    let mut out = real[..42].to_vec();
    out[4] &= 0x7f;
    for _ in 0..random.below(6) {
        let (kind, content) = if random.once_in(2) { (4, comments(random)) } else { (6, picture_block(random)) };
        let content = &content[..content.len().min((1 << 24) - 1)];
        out.push(kind);
        out.extend_from_slice(&(length(random, content.len(), 24) as u32).to_be_bytes()[1..]);
        out.extend_from_slice(content);
    }
    let mut at = 4;
    while real[at] & 0x80 == 0 {
        at += 4 + u32::from_be_bytes([0, real[at + 1], real[at + 2], real[at + 3]]) as usize;
    }
    out.extend_from_slice(&real[at..]);
    out
}

/// Returns the Opus file with other comments.
fn opus(real: &[u8], random: &mut Random) -> Vec<u8> {
    let page = |at: usize| {
        let segments = usize::from(real[at + 26]);
        let body: usize = real[at + 27..at + 27 + segments].iter().map(|lace| usize::from(*lace)).sum();
        at + 27 + segments + body
    };
    let first = page(0);
    let mut packet = b"OpusTags".to_vec();
    packet.extend(comments(random));
    let mut laces = vec![255u8; packet.len() / 255];
    laces.push((packet.len() % 255) as u8);
    let mut out = real[..first].to_vec();
    let mut at = 0;
    for (number, laces) in laces.chunks(255).enumerate() {
        let bytes: usize = laces.iter().map(|lace| usize::from(*lace)).sum();
        let mut head = real[first..first + 27].to_vec();
        head[5] = u8::from(number > 0);
        head[26] = laces.len() as u8;
        out.extend(head);
        out.extend_from_slice(laces);
        out.extend_from_slice(&packet[at..at + bytes]);
        at += bytes;
    }
    out.extend_from_slice(&real[page(first)..]);
    out
}

fn real(name: &str) -> Vec<u8> {
    std::fs::read(crate::support::reference("audio").join(name)).unwrap()
}

/// Returns an AIFF with a few frames.
fn aiff() -> Vec<u8> {
    let common = b"\0\x01\0\0\0\x64\0\x10\x40\x0e\xac\x44\0\0\0\0\0\0";
    let mut body = b"AIFF".to_vec();
    for (id, content) in [(b"COMM", common as &[u8]), (b"SSND", &[0; 208])] {
        body.extend_from_slice(id);
        body.extend_from_slice(&(content.len() as u32).to_be_bytes());
        body.extend_from_slice(content);
    }
    [b"FORM" as &[u8], &(body.len() as u32).to_be_bytes(), &body].concat()
}

/// Opens the file, checks its tags and reads part of it. No kept tag may exceed its limit.
fn open(path: &Path, random: &mut Random) {
    let Ok(file) = AudioFile::open(path) else { return };
    let tags = &file.info().tags;
    let text: usize = tags.items.iter().map(|(key, value)| key.len() + value.len()).sum();
    assert!(text <= MAX_TEXT_BYTES && tags.items.len() <= MAX_VALUES, "{text} bytes of text");
    assert!(tags.items.keys().all(|key| key.len() <= MAX_NAME_BYTES));
    assert!(tags.pictures.iter().map(|picture| picture.data.len()).sum::<usize>() <= MAX_PICTURES_BYTES);
    assert!(file.info().warnings.len() < 40, "{:?}", file.info().warnings);
    assert!(tags.chunks.iter().map(|chunk| chunk.data.len()).sum::<usize>() <= MAX_CHUNKS_BYTES);
    assert!(tags.not_kept.iter().map(String::len).sum::<usize>() < 4096, "{:?}", tags.not_kept);
    processed(&file, random);
    edited(&file, path, random);
    let Ok(mut reader) = file.reader() else { return };
    let mut part = AudioBuffer::default();
    for _ in 0..3 {
        reader.seek(random.below(file.info().frames.max(1))).unwrap();
        reader.read(&mut part, 1000).unwrap();
    }
}

/// Processes the tags of a file in some way, and writes them.
fn processed(file: &AudioFile, random: &mut Random) {
    let mut done = Processing::default().with(TagCause::Encoding, true);
    for cause in [TagCause::Level, TagCause::Cut, TagCause::Mixed, TagCause::Channels] {
        done = done.with(cause, random.once_in(3));
    }
    let frame = |random: &mut Random| if random.once_in(3) { random.extreme(64) } else { random.below(2000) };
    let mut pieces = Vec::new();
    for _ in 0..random.below(4) {
        let (start, end) = (frame(random), frame(random));
        let piece = MapPiece { source: start.min(end)..start.max(end), start: frame(random) as f64, scale: 0.5 };
        pieces.push(piece);
    }
    let map = match random.below(3) {
        0 => FrameMap::default(),
        1 => FrameMap::UNKNOWN,
        _ => FrameMap::of(pieces).at_rate(SampleRate::new(1 + random.below(700_000) as u32).unwrap()),
    };
    let semitones = random.pick(&[Some(0.0), Some(-3.5), Some(700.0), None]);
    // Pictures are not processed, and would be copied.
    let Tags { items, chunks, not_kept, .. } = &file.info().tags;
    let tags = Tags { items: items.clone(), chunks: chunks.clone(), not_kept: not_kept.clone(), ..Tags::default() };
    let (tags, _) = done.with_frames(map).with_semitones(*semitones).apply(&tags, &TagChanges::default());
    for format in FileFormat::ALL {
        tag_limits(format, &tags);
    }
}

/// The largest file that is edited. An edit holds the tags several times.
const MAX_EDITED_BYTES: u64 = 4 << 20;

/// Edits a copy of a file. What is refused leaves it as it was.
fn edited(file: &AudioFile, path: &Path, random: &mut Random) {
    let Some(format) = TagFormat::of(file.info()).filter(|_| file.info().bytes <= MAX_EDITED_BYTES) else { return };
    let copy = path.with_extension("edited");
    std::fs::copy(path, &copy).unwrap();
    let fields = [(EditedTag::Bpm, "120".to_owned()), (EditedTag::TrackGain, "-1.00 dB".to_owned())];
    let count = 1 + random.below(2) as usize;
    let before = std::fs::read(path).unwrap();
    if edit(&copy, format, &fields[..count]).is_err() {
        assert!(std::fs::read(&copy).unwrap() == before, "a refused edit changed the file");
    }
    let _ = std::fs::remove_file(&copy);
}

/// A `TXXX` frame whose name of half a megabyte has a hundred thousand values. The time must not be their product.
#[test]
fn a_long_name_with_many_values() {
    let mp3 = real("noheader.mp3");
    let make = move |_: &mut Random| {
        let mut content = vec![3];
        content.extend("\u{fc}".repeat(1 << 18).as_bytes());
        content.extend(b"\0x".repeat(100_000));
        let size = (content.len() as u32).to_be_bytes();
        let frame = [b"TXX" as &[u8], &size[1..], &content].concat();
        [b"ID3\x02\0\0" as &[u8], &synchsafe(frame.len() as u64), &frame, &mp3].concat()
    };
    run("id3_long_name", Limits { bytes: 80 << 20, time: Duration::from_secs(5) }, make, open);
}

/// An edit of a header of 40 MiB holds it twice, and a packet of Ogg with the room in which it grew.
#[test]
fn an_edit_of_a_large_header() {
    let of_flac = real("flac.flac");
    let make = move |random: &mut Random| {
        let block = |kind: u8, content: &[u8]| [&[kind], &(content.len() as u32).to_be_bytes()[1..], content].concat();
        let long = |bytes: usize| [b"LONG=".as_slice(), &vec![b'l'; bytes]].concat();
        if random.once_in(2) {
            return tagged::opus(&tagged::comments(&[long(40 << 20)]));
        }
        let mut blocks = vec![block(4, &tagged::comments(&[long(8 << 20)]))];
        let picture = block(6, &vec![7; 16_000_000]);
        blocks.insert(random.below(2) as usize, picture.clone());
        blocks.push(picture);
        let audio = {
            let mut at = 4;
            while of_flac[at] & 0x80 == 0 {
                at += 4 + u32::from_be_bytes([0, of_flac[at + 1], of_flac[at + 2], of_flac[at + 3]]) as usize;
            }
            &of_flac[at..]
        };
        let mut out = of_flac[..42].to_vec();
        out[4] &= 0x7f;
        out.extend(blocks.concat());
        out.extend_from_slice(audio);
        out
    };
    let exercise = |path: &Path, _: &mut Random| {
        let mut head = [0; 4];
        std::io::Read::read_exact(&mut std::fs::File::open(path).unwrap(), &mut head).unwrap();
        let format = if &head == b"fLaC" { TagFormat::Flac } else { TagFormat::Opus };
        edit(path, format, &[(EditedTag::Bpm, "120".to_owned())]).unwrap();
    };
    run("id3_large_header", Limits { bytes: 120 << 20, ..Limits::default() }, make, exercise);
}

#[test]
fn tags_of_every_kind() {
    let (mp3, aac, of_flac, of_opus, of_aiff) =
        (real("noheader.mp3"), real("plain.aac"), real("flac.flac"), real("opusenc.opus"), aiff());
    let wav = Wav::plain(16, 2).bytes(500, |_, frame| (frame % 50) as f64 / 100.0);
    let make = move |random: &mut Random| {
        let mut case = Vec::new();
        match random.below(8) {
            0 => case.extend([wav.clone(), chunks(false, random)].concat()),
            1 => case.extend([of_aiff.clone(), chunks(true, random)].concat()),
            2 => {
                if random.once_in(3) {
                    case.extend(tag(random));
                }
                case.extend(flac(&of_flac, random));
            }
            3 => case.extend(opus(&of_opus, random)),
            kind => {
                for _ in 0..=random.below(2) {
                    case.extend(tag(random));
                }
                case.extend_from_slice(if kind == 4 { &aac } else { &mp3 });
                if random.once_in(3) {
                    case.extend(ape(random));
                }
                if random.once_in(3) {
                    case.extend(old(random));
                }
            }
        }
        case
    };
    // The tags take less than 64 MiB; the rest is for the audio.
    run("id3", Limits { bytes: 80 << 20, ..Limits::default() }, make, open);
}
