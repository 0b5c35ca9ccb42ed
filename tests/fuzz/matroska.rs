//! Matroska files with valid structure and extreme values: sizes of every width, unknown sizes, lacing, codec headers,
//! tags and attachments. Blocks hold real packets, so that files that open are decoded.

use super::bytes::open_and_read;
use super::ebml::elements;
use super::harness::{Limits, Random, run};

const SEGMENT: u32 = 0x1853_8067;
const INFO: u32 = 0x1549_a966;
const TRACKS: u32 = 0x1654_ae6b;
const ENTRY: u32 = 0xae;
const CLUSTER: u32 = 0x1f43_b675;
const SIMPLE_BLOCK: u32 = 0xa3;
const GROUP: u32 = 0xa0;
const BLOCK: u32 = 0xa1;
const TAGS: u32 = 0x1254_c367;
const ATTACHMENTS: u32 = 0x1941_a469;
const CHAPTERS: u32 = 0x1043_a770;

fn id(id: u32) -> Vec<u8> {
    id.to_be_bytes().into_iter().skip_while(|byte| *byte == 0).collect()
}

/// Returns a size in its minimum width, or sometimes a larger one.
fn size(value: u64, random: &mut Random) -> Vec<u8> {
    let least = (1..=8u32).find(|width| value < (1 << (7 * width)) - 1).unwrap_or(8);
    let width = if random.once_in(8) { least + random.below(u64::from(9 - least)) as u32 } else { least };
    let bytes = ((1u64 << (7 * width)) | value).to_be_bytes();
    bytes[8 - width as usize..].to_vec()
}

/// Returns an element. Its size is mostly correct, sometimes unknown.
fn element(kind: u32, content: &[u8], random: &mut Random) -> Vec<u8> {
    let size = match random.below(50) {
        0 => size(random.extreme(56) & !(1 << 63), random),
        1 => vec![0xff],
        2 => vec![0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
        _ => size(content.len() as u64, random),
    };
    [id(kind), size, content.to_vec()].concat()
}

/// Returns an unsigned number element.
fn number(kind: u32, truth: u64, random: &mut Random) -> Vec<u8> {
    let value = if random.once_in(16) { random.extreme(64) } else { truth };
    let width = if random.once_in(10) { random.below(10) as usize } else { 4 };
    let bytes = value.to_be_bytes();
    let content: Vec<u8> = bytes.iter().skip(8 - width.min(8)).copied().collect();
    element(kind, &content, random)
}

/// The contents of a real file: the elements of its track entry and the frames of its blocks.
#[derive(Clone)]
struct Seed {
    entry: Vec<(u32, Vec<u8>)>,
    frames: Vec<Vec<u8>>,
}

fn seed(name: &str) -> Seed {
    let path = crate::support::reference("audio").join(name);
    let bytes = std::fs::read(path).unwrap();
    let segment = elements(&bytes).into_iter().find(|(id, _)| *id == SEGMENT).unwrap().1;
    let mut seed = Seed { entry: Vec::new(), frames: Vec::new() };
    for (id, content) in elements(segment) {
        match id {
            TRACKS => {
                let (_, entry) = elements(content).into_iter().find(|(id, _)| *id == ENTRY).unwrap();
                seed.entry = elements(entry).into_iter().map(|(id, content)| (id, content.to_vec())).collect();
            }
            CLUSTER => {
                for (id, content) in elements(content) {
                    match id {
                        SIMPLE_BLOCK => seed.frames.push(content[4..].to_vec()),
                        GROUP => seed.frames.extend(
                            elements(content)
                                .into_iter()
                                .filter(|(id, _)| *id == BLOCK)
                                .map(|(_, block)| block[4..].to_vec()),
                        ),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    assert!(!seed.entry.is_empty() && !seed.frames.is_empty(), "{name}");
    seed
}

fn entry(seed: &Seed, random: &mut Random) -> Vec<u8> {
    let mut content = Vec::new();
    for (id, value) in &seed.entry {
        let mut value = value.clone();
        if random.once_in(12) && !value.is_empty() {
            match random.below(4) {
                0 => value = Vec::new(),
                1 => value.truncate(random.below(value.len() as u64) as usize),
                2 => value.extend(vec![0xff; 1 << random.below(20)]),
                _ => {
                    let at = random.below(value.len() as u64) as usize;
                    value[at] = random.extreme(8) as u8;
                }
            }
        }
        content.extend(element(*id, &value, random));
    }
    if random.once_in(8) {
        content.extend(number(0x56aa, 6_500_000, random));
    }
    element(ENTRY, &content, random)
}

/// Returns a block with some frames and any kind of lacing.
fn block(kind: u32, frames: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let lacing = if frames.len() > 1 { 1 + random.below(3) as u8 } else { 0 };
    let mut content = vec![0x81, 0, 0, lacing << 1];
    if lacing > 0 {
        content.push(if random.once_in(14) { random.extreme(8) as u8 } else { frames.len() as u8 - 1 });
        match lacing {
            1 => {
                for frame in &frames[..frames.len() - 1] {
                    let length = if random.once_in(20) { random.extreme(20) as usize } else { frame.len() };
                    content.extend(vec![255; length / 255]);
                    content.push((length % 255) as u8);
                }
            }
            3 => {
                let mut previous = None;
                for frame in &frames[..frames.len() - 1] {
                    if random.once_in(20) {
                        content.extend(size(random.extreme(56), random));
                        continue;
                    }
                    let length = frame.len() as i64;
                    match previous.replace(length) {
                        None => content.extend(size(length as u64, random)),
                        // Differences of up to 13 bits.
                        Some(before) => {
                            content.extend(&(0x4000u16 | ((length - before + 0x1fff) as u16 & 0x3fff)).to_be_bytes());
                        }
                    }
                }
            }
            _ => {}
        }
    }
    content.extend(frames.concat());
    element(kind, &content, random)
}

fn cluster(frames: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut content = number(0xe7, 0, random);
    let mut rest = frames;
    while !rest.is_empty() {
        let count = if random.once_in(3) { 1 + random.below(8) as usize } else { 1 };
        let (some, after) = rest.split_at(count.min(rest.len()));
        rest = after;
        if random.once_in(4) {
            let mut group = block(BLOCK, some, random);
            if random.once_in(3) {
                group.extend(number(0x75a2, 3_000_000, random));
            }
            content.extend(element(GROUP, &group, random));
        } else {
            content.extend(block(SIMPLE_BLOCK, some, random));
        }
    }
    element(CLUSTER, &content, random)
}

/// Returns deeply nested elements. Each has an unknown size or extends to the end.
fn nested(random: &mut Random) -> Vec<u8> {
    let kind = *random.pick(&[SIMPLE_BLOCK, GROUP, BLOCK, CLUSTER, SEGMENT, 0x67c8, 0xec]);
    let depth = 1 << random.below(19);
    [id(kind), vec![0xff]].concat().repeat(depth)
}

/// Returns tags, attachments or chapters of extreme lengths, levels and depths.
fn attached(random: &mut Random) -> Vec<u8> {
    let value = vec![b'a'; 1 << random.below(23)];
    match random.below(3) {
        0 => {
            let mut targets = Vec::new();
            for id in [0x68ca, 0x63c5, 0x63c4] {
                if random.once_in(3) {
                    targets.extend(number(id, 30, random));
                }
            }
            let mut tag = element(0x63c0, &targets, random);
            for _ in 0..if random.once_in(20) { 20_000 } else { random.below(5) } {
                let name = *random.pick(&["TITLE", "PART_NUMBER", "SORT_WITH", "BPS", "", "x"]);
                let mut simple = element(0x45a3, name.as_bytes(), random);
                simple.extend(element(0x4487, b"7/9", random));
                for _ in 0..random.below(30) {
                    let inner = element(0x45a3, b"SORT_WITH", random);
                    simple = [inner, element(0x67c8, &simple, random)].concat();
                }
                tag.extend(element(0x67c8, &simple, random));
            }
            let simple = [element(0x45a3, b"TITLE", random), element(0x4487, &value, random)].concat();
            tag.extend(element(0x67c8, &simple, random));
            let tag = element(0x7373, &tag, random);
            element(TAGS, &tag, random)
        }
        1 => {
            let file = [
                element(0x466e, b"cover.jpg", random),
                element(0x4660, b"image/jpeg", random),
                element(0x465c, &value, random),
            ];
            let file = element(0x61a7, &file.concat(), random);
            element(ATTACHMENTS, &file, random)
        }
        _ => {
            let mut atoms = Vec::new();
            for index in 0..if random.once_in(20) { 100_000 } else { random.below(6) } {
                let mut atom = number(0x91, index * 10_000_000, random);
                atom.extend(number(0x92, index * 10_000_000 + 10_000_000, random));
                let name = value[..random.below(value.len() as u64 + 1) as usize].to_vec();
                let name = if random.once_in(4) && index < 10 { name } else { b"Name".to_vec() };
                let name = element(0x85, &name, random);
                atom.extend(element(0x80, &name, random));
                for _ in 0..if random.once_in(4) { random.below(30) } else { 0 } {
                    let begin = number(0x91, 1, random);
                    atom = [begin, element(0xb6, &atom, random)].concat();
                }
                atoms.extend(element(0xb6, &atom, random));
            }
            let mut edition = number(0x45db, 1, random);
            edition.extend(atoms);
            let edition = element(0x45b9, &edition, random);
            element(CHAPTERS, &edition, random)
        }
    }
}

fn file(seed: &Seed, random: &mut Random) -> Vec<u8> {
    let doc = element(0x4282, b"matroska", random);
    let mut out = [id(0x1a45_dfa3), vec![0x80 | doc.len() as u8], doc].concat();
    let mut content = Vec::new();
    if random.once_in(2) {
        let scale = number(0x2a_d7b1, 1_000_000, random);
        content.extend(element(INFO, &scale, random));
    }
    if random.once_in(4) {
        content.extend(attached(random));
    }
    let mut tracks = Vec::new();
    for _ in 0..if random.once_in(12) { 200 } else { 1 } {
        tracks.extend(entry(seed, random));
    }
    content.extend(element(TRACKS, &tracks, random));
    let repeats = if random.once_in(15) { 200 } else { 1 };
    for _ in 0..repeats {
        for frames in seed.frames.chunks(1 + random.below(20) as usize) {
            content.extend(cluster(frames, random));
        }
    }
    if random.once_in(10) {
        content.extend(nested(random));
    }
    out.extend(element(SEGMENT, &content, random));
    out
}

#[test]
fn matroska_files() {
    let seeds = ["aac.mkv", "flac.mkv", "opus.webm", "vorbis.webm", "pcm.mkv"].map(seed);
    run("matroska", Limits::default(), move |random| file(&random.pick(&seeds).clone(), random), open_and_read);
}
