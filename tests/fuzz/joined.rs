//! Files of several parts: streams of other channels and rates, headers of streams, tags with and without true sizes, and
//! junk, in any order; chunks of any size behind WAV and AIFF; containers one after the other.

use super::bytes::open_and_read;
use super::harness::{Limits, Random, run};
use super::opening_support::Wav;

fn real(name: &str) -> Vec<u8> {
    std::fs::read(crate::support::reference("audio").join(name)).unwrap()
}

/// Returns a tag that may stand anywhere, often with a wrong size.
pub fn tag(random: &mut Random) -> Vec<u8> {
    let body = vec![b'a'; random.below(300) as usize];
    let said = if random.once_in(4) { random.extreme(28) } else { body.len() as u64 };
    match random.below(8) {
        0 => {
            let size = [21, 14, 7, 0].map(|shift| (said >> shift & 0x7f) as u8);
            let flags = if random.once_in(4) { 0x10 } else { 0 };
            [b"ID3".as_slice(), &[random.below(6) as u8, 0, flags], &size, &body].concat()
        }
        1 => [b"TAG".as_slice(), &[b' '; 125]].concat(),
        2 => [b"TAG+".as_slice(), &vec![b' '; random.below(240) as usize]].concat(),
        3 => [b"LYRICSBEGIN".as_slice(), &body, b"LYRICSEND"].concat(),
        4 => [b"LYRICSBEGIN".as_slice(), &body, format!("{:06}LYRICS200", said % 1_000_000).as_bytes()].concat(),
        5 => b"LYRICSBEGIN".repeat(1 + random.below(20) as usize),
        kind => {
            let flags = (random.below(8) as u32) << 29;
            let words = [2000, said as u32 + 32, random.extreme(32) as u32, flags].map(u32::to_le_bytes).concat();
            let head = [b"APETAGEX".as_slice(), &words, &[0; 8]].concat();
            if kind == 6 { [head.clone(), body, head].concat() } else { [body, head].concat() }
        }
    }
}

fn junk(random: &mut Random) -> Vec<u8> {
    let count = random.below(3000) as usize;
    if random.once_in(2) { vec![0; count] } else { random.bytes(count) }
}

/// Returns a piece of a stream: all of it, some of it, or a single frame's beginning.
fn piece(stream: &[u8], random: &mut Random) -> Vec<u8> {
    match random.below(4) {
        0 => stream[..random.below(stream.len() as u64) as usize].to_vec(),
        1 => stream[..stream.len().min(48 + random.below(500) as usize)].to_vec(),
        _ => stream.to_vec(),
    }
}

#[test]
fn streams_of_frames() {
    let mp3: Vec<Vec<u8>> =
        ["lame.mp3", "noheader.mp3", "mono.mp3", "48k.mp3", "low.mp3", "layer2.mp2"].map(real).to_vec();
    let aac: Vec<Vec<u8>> = ["plain.aac", "mono.aac", "48k.aac"].map(real).to_vec();
    let make = move |random: &mut Random| {
        let streams = if random.once_in(3) { &aac } else { &mp3 };
        let mut case = Vec::new();
        let count = if random.once_in(12) { 300 } else { 1 + random.below(12) };
        for _ in 0..count {
            case.extend(match random.below(5) {
                0 => tag(random),
                1 => junk(random),
                _ => {
                    let stream = random.pick(streams).clone();
                    piece(&stream, random)
                }
            });
        }
        for _ in 0..random.below(4) {
            let at = random.below(case.len() as u64 + 1).saturating_sub(1) as usize;
            if let Some(byte) = case.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        case
    };
    run("joined_streams", Limits::default(), make, open_and_read);
}

/// Headers that point at tags, each of which is read. The time must not be their product.
#[test]
fn tags_without_ends_between_headers() {
    let make = |random: &mut Random| {
        // An MP3 frame of 72 bytes, of the lowest bit rate.
        let mut frame = vec![0xff, 0xf3, 0x18, 0xc4];
        frame.resize(72, 0);
        let tags: [&[u8]; 4] = [b"LYRICSBEGIN", b"ID3\x03\0\0\0\x0f\0\0", b"TAG", b"APETAGEX"];
        let tag = *random.pick(&tags);
        let each = if random.once_in(2) { [frame.as_slice(), tag].concat() } else { [&frame[..20], tag].concat() };
        [frame.repeat(5), each.repeat((2 << 20) / each.len())].concat()
    };
    run("joined_tags", Limits::default(), make, open_and_read);
}

#[test]
fn chunks_behind_the_sound() {
    let make = |random: &mut Random| {
        let magic = *random.pick(&["RIFF", "RIFX", "RF64", "BW64", "AIFF", "AIFC"]);
        let mut case = Wav { magic, ..Wav::plain(16, 2) }.bytes(random.below(300) as usize, |_, _| 0.1);
        for id in [b"data", b"SSND", b"RIFF", b"FORM", b"ds64"] {
            if let Some(at) = case.windows(4).position(|four| four == id)
                && random.once_in(4)
            {
                let end = (at + 8).min(case.len());
                let value = random.extreme(32) as u32;
                case[at + 4..end].copy_from_slice(&value.to_be_bytes()[..end - at - 4]);
            }
        }
        for _ in 0..random.below(6) {
            let body = junk(random);
            let size = if random.once_in(5) { random.extreme(32) } else { body.len() as u64 } as u32;
            case.extend([random.pick(&[b"LIST", b"iXML", b"data", b"\0\0\0\0", b"RIFF", b"SSND"]).as_slice()].concat());
            case.extend(if random.once_in(2) { size.to_le_bytes() } else { size.to_be_bytes() });
            case.extend(body);
        }
        if random.once_in(4) { [tag(random), case].concat() } else { case }
    };
    run("joined_chunks", Limits::default(), make, open_and_read);
}

#[test]
fn containers_one_after_the_other() {
    let files: Vec<Vec<u8>> = [
        "vorbis.ogg",
        "mono.ogg",
        "48k.ogg",
        "surround.ogg",
        "opusenc.opus",
        "flac.oga",
        "edits.m4a",
        "hybrid.mp4",
        "alac.caf",
        "aac.mkv",
        "opus.webm",
        "ms.wav",
        "mono.mp3",
    ]
    .map(real)
    .to_vec();
    let make = move |random: &mut Random| {
        let mut case = if random.once_in(4) { tag(random) } else { Vec::new() };
        let count = if random.once_in(20) { 60 } else { 1 + random.below(5) };
        let first = random.pick(&files).clone();
        for _ in 0..count {
            let next = if random.once_in(2) { first.clone() } else { random.pick(&files).clone() };
            case.extend(if random.once_in(4) { piece(&next, random) } else { next });
            if random.once_in(6) {
                case.extend(tag(random));
            }
        }
        case
    };
    run("joined_containers", Limits::default(), make, open_and_read);
}
