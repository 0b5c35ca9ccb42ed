//! MP4 files with valid structure and extreme values: sample tables, fragments, edits, codec headers, tags. They
//! contain real packets, so that files that open are decoded.

use super::bytes::open_and_read;
use super::harness::{Limits, Random, run};

/// Returns a box.
fn atom(kind: &[u8; 4], content: &[u8], random: &mut Random) -> Vec<u8> {
    let truth = content.len() as u64 + 8;
    match random.below(60) {
        // A 64-bit size, correct or not.
        0 => {
            let size = if random.once_in(2) { truth + 8 } else { random.extreme(64) };
            [&1u32.to_be_bytes() as &[u8], kind, &size.to_be_bytes(), content].concat()
        }
        1 => [&(random.extreme(32) as u32).to_be_bytes() as &[u8], kind, content].concat(),
        // A size of 0: up to the end of the parent.
        2 => [&0u32.to_be_bytes() as &[u8], kind, content].concat(),
        _ => [&(truth as u32).to_be_bytes() as &[u8], kind, content].concat(),
    }
}

/// Returns a number that is mostly `truth`.
fn value(random: &mut Random, truth: u64, bits: u32) -> u64 {
    if random.once_in(14) { random.extreme(bits) } else { truth }
}

fn be32(random: &mut Random, truth: u64) -> [u8; 4] {
    (value(random, truth, 32) as u32).to_be_bytes()
}

/// Returns a full box with a table: a count that may be wrong, and rows of numbers.
fn table(kind: &[u8; 4], rows: &[Vec<u64>], width: usize, random: &mut Random) -> Vec<u8> {
    let mut content = vec![0; 4];
    content.extend(be32(random, rows.len() as u64));
    for cell in rows.iter().flatten() {
        let cell = value(random, *cell, 8 * width as u32);
        content.extend_from_slice(&cell.to_be_bytes()[8 - width..]);
    }
    if random.once_in(25) {
        let keep = random.below(content.len() as u64 + 1) as usize;
        content.truncate(keep);
    }
    atom(kind, &content, random)
}

/// Returns the boxes of a real file with type and contents.
fn boxes(bytes: &[u8]) -> Vec<([u8; 4], &[u8])> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(head) = bytes.get(at..at + 8) {
        let size = u32::from_be_bytes(head[..4].try_into().unwrap()) as usize;
        if size < 8 || at + size > bytes.len() {
            break;
        }
        found.push((head[4..].try_into().unwrap(), &bytes[at + 8..at + size]));
        at += size;
    }
    found
}

fn child<'a>(bytes: &'a [u8], path: &[&[u8; 4]]) -> &'a [u8] {
    path.iter().fold(bytes, |bytes, kind| {
        boxes(bytes).into_iter().find(|(found, _)| found == *kind).map_or(&[], |(_, content)| content)
    })
}

/// The ingredients of a file: a codec's description, packets, frames per packet.
#[derive(Clone)]
struct Seed {
    description: Vec<u8>,
    packets: Vec<Vec<u8>>,
    ticks: u64,
}

fn seed(name: &str, ticks: u64) -> Seed {
    let path = crate::support::reference("audio").join(name);
    let bytes = std::fs::read(path).unwrap();
    let table = [b"moov", b"trak", b"mdia", b"minf", b"stbl"];
    let stbl = child(&bytes, &table);
    let mut at = boxes(&bytes)
        .into_iter()
        .take_while(|(kind, _)| kind != b"mdat")
        .map(|(_, content)| content.len() + 8)
        .sum::<usize>()
        + 8;
    let sizes = &child(stbl, &[b"stsz"])[12..];
    let mut packets = Vec::new();
    for size in sizes.chunks_exact(4) {
        let size = u32::from_be_bytes(size.try_into().unwrap()) as usize;
        packets.push(bytes[at..at + size].to_vec());
        at += size;
    }
    Seed { description: child(stbl, &[b"stsd"]).to_vec(), packets, ticks }
}

/// Returns a sample description, sometimes with a changed codec header.
fn description(seed: &Seed, random: &mut Random) -> Vec<u8> {
    let mut description = seed.description.clone();
    for _ in 0..random.below(4).saturating_sub(1) {
        let at = 8 + random.below(description.len() as u64 - 8) as usize;
        description[at] = random.extreme(8) as u8;
    }
    if random.once_in(6) {
        // Another codec, or uncompressed audio of any size.
        let kind = random.pick(&[
            b"mp4a", b"alac", b"Opus", b"fLaC", b"sowt", b"twos", b"raw ", b"in24", b"lpcm", b"ipcm", b".mp3", b".mp2",
            b"ulaw", b"ima4",
        ]);
        description[12..16].copy_from_slice(*kind);
        let fields = [random.extreme(16), random.extreme(16)];
        description[32..34].copy_from_slice(&(fields[0] as u16).to_be_bytes());
        description[34..36].copy_from_slice(&(fields[1] as u16).to_be_bytes());
    }
    atom(b"stsd", &description, random)
}

/// Returns tags with values of extreme length.
fn user_data(random: &mut Random) -> Vec<u8> {
    let mut items = Vec::new();
    let count = if random.once_in(20) { 5000 } else { random.below(6) };
    for _ in 0..count {
        let kind = *random.pick(&[b"\xa9nam", b"\xa9ART", b"covr", b"trkn", b"gnre", b"----", b"cpil", b"\xa9lyr"]);
        let mut inner = Vec::new();
        if kind == b"----" {
            inner.extend(atom(b"mean", b"\0\0\0\0com.apple.iTunes", random));
            inner.extend(atom(b"name", b"\0\0\0\0iTunSMPB", random));
        }
        for _ in 0..=random.below(2) {
            let length = match random.below(20) {
                0 => 1 << random.below(25),
                _ => random.below(40),
            };
            let kind_of_data = *random.pick(&[0, 1, 2, 13, 14, 21]);
            let mut data = be32(random, kind_of_data).to_vec();
            data.extend([0; 4]);
            if kind == b"----" {
                let numbers: Vec<String> = (0..4).map(|_| format!("{:016X}", random.extreme(64))).collect();
                data.extend_from_slice(format!(" {}", numbers.join(" ")).as_bytes());
            } else {
                data.resize(8 + length as usize, b'a');
            }
            inner.extend(atom(b"data", &data, random));
        }
        items.extend(atom(kind, &inner, random));
        if items.len() > 20 << 20 {
            break;
        }
    }
    let list = atom(b"ilst", &items, random);
    let meta = atom(b"meta", &[&[0u8; 4] as &[u8], &list].concat(), random);
    atom(b"udta", &meta, random)
}

fn header(kind: &[u8; 4], words: &[u64], random: &mut Random) -> Vec<u8> {
    let mut content = Vec::new();
    for word in words {
        content.extend(be32(random, *word));
    }
    atom(kind, &content, random)
}

/// Returns the track, with its samples in a table or not.
fn track(seed: &Seed, whole: bool, base: u64, random: &mut Random) -> Vec<u8> {
    let packets = if whole { seed.packets.len() } else { 0 };
    let each: Vec<Vec<u64>> = seed.packets[..packets].iter().map(|packet| vec![packet.len() as u64]).collect();
    let mut inner = description(seed, random);
    inner.extend(table(b"stts", &[vec![packets as u64, seed.ticks]], 4, random));
    if random.once_in(4) {
        inner.extend(table(b"ctts", &[vec![packets as u64, 7]], 4, random));
    }
    // One chunk, one chunk per packet, or runs of packets.
    let per_chunk = if random.once_in(2) { packets.max(1) } else { 1 + random.below(3) as usize };
    inner.extend(table(b"stsc", &[vec![1, per_chunk as u64, 1]], 4, random));
    let mut sizes = vec![0; 4];
    let constant = if random.once_in(10) { random.extreme(32) as u32 } else { 0 };
    sizes.extend(constant.to_be_bytes());
    sizes.extend(be32(random, packets as u64));
    for size in each.iter().flatten() {
        sizes.extend(be32(random, *size));
    }
    inner.extend(atom(b"stsz", &sizes, random));
    let mut offsets = Vec::new();
    let mut at = base;
    for chunk in seed.packets[..packets].chunks(per_chunk) {
        offsets.push(vec![at]);
        at += chunk.iter().map(|packet| packet.len() as u64).sum::<u64>();
    }
    if random.once_in(20) {
        // Many chunks at the same offset.
        offsets = vec![vec![base]; 20_000];
    }
    let wide = random.once_in(3);
    inner.extend(table(if wide { b"co64" } else { b"stco" }, &offsets, if wide { 8 } else { 4 }, random));
    if random.once_in(3) {
        inner.extend(table(b"sbgp", &[vec![packets as u64, 1]], 4, random));
    }
    let stbl = atom(b"stbl", &inner, random);
    let minf = atom(b"minf", &stbl, random);
    let mut media = header(b"mdhd", &[0, 0, 0, 44_100, 15_000, 0], random);
    media.extend(atom(b"hdlr", b"\0\0\0\0\0\0\0\0soun\0\0\0\0\0\0\0\0\0\0\0\0\0", random));
    media.extend(minf);
    let mut track = header(b"tkhd", &[0, 0, 0, 1, 0, 15_000], random);
    if random.once_in(2) {
        let long = random.once_in(2);
        let mut list = vec![u8::from(long), 0, 0, 0];
        let edits = if random.once_in(8) { random.below(2000) } else { 1 + random.below(5) };
        list.extend(be32(random, edits));
        for _ in 0..edits {
            let truth = if random.once_in(4) { u64::MAX } else { random.below(20_000) };
            let (duration, time) = (value(random, 300, 64), value(random, truth, 64));
            if long {
                list.extend(duration.to_be_bytes());
                list.extend(time.to_be_bytes());
            } else {
                list.extend((duration as u32).to_be_bytes());
                list.extend((time as u32).to_be_bytes());
            }
            list.extend((value(random, 1 << 16, 32) as u32).to_be_bytes());
        }
        let list = atom(b"elst", &list, random);
        track.extend(atom(b"edts", &list, random));
    }
    track.extend(atom(b"mdia", &media, random));
    atom(b"trak", &track, random)
}

/// Returns movie fragments with the packets.
fn fragments(seed: &Seed, random: &mut Random) -> Vec<u8> {
    let mut out = Vec::new();
    let many = random.once_in(12);
    for packets in seed.packets.chunks(1 + random.below(8) as usize) {
        let mut runs = Vec::new();
        let count = if many { random.below(3000) } else { 1 };
        for _ in 0..count.max(1) {
            let flags = if random.once_in(4) { random.next() as u32 & 0xf05 } else { 0x201 };
            let mut run = flags.to_be_bytes().to_vec();
            run.extend(be32(random, packets.len() as u64));
            if flags & 1 != 0 {
                run.extend(be32(random, 100));
            }
            if flags & 4 != 0 {
                run.extend([0; 4]);
            }
            for packet in packets {
                for flag in [0x100, 0x200, 0x400, 0x800] {
                    if flags & flag != 0 {
                        run.extend(be32(random, if flag == 0x200 { packet.len() as u64 } else { seed.ticks }));
                    }
                }
            }
            runs.extend(atom(b"trun", &run, random));
        }
        let flags = if random.once_in(4) { random.next() as u32 & 0x3b } else { 0x20_000 };
        let mut head = flags.to_be_bytes().to_vec();
        head.extend(be32(random, 1));
        if flags & 1 != 0 {
            head.extend(random.extreme(64).to_be_bytes());
        }
        for flag in [2, 8, 0x10, 0x20] {
            if flags & flag != 0 {
                head.extend(be32(random, 100));
            }
        }
        let mut inner = atom(b"tfhd", &head, random);
        inner.extend(runs);
        let traf = atom(b"traf", &inner, random);
        let mut moof = header(b"mfhd", &[0, 1], random);
        moof.extend(traf);
        out.extend(atom(b"moof", &moof, random));
        out.extend(atom(b"mdat", &packets.concat(), random));
    }
    if random.once_in(4) {
        out.extend(header(b"sidx", &[0, 1, 44_100, 0, 0, 0xffff, 100, 15_000, 0], random));
    }
    out
}

fn file(seed: &Seed, random: &mut Random) -> Vec<u8> {
    let mut out = atom(b"ftyp", b"M4A \0\0\0\0M4A mp42", random);
    let whole = !random.once_in(3);
    let data = if whole { atom(b"mdat", &seed.packets.concat(), random) } else { Vec::new() };
    let base = out.len() as u64 + 8;
    out.extend(data);
    let mut movie = header(b"mvhd", &[0, 0, 0, 1000, 15_000], random);
    movie.extend(track(seed, whole, base, random));
    if !whole {
        let trex = header(b"trex", &[0, 1, 1, seed.ticks, 100, 0], random);
        movie.extend(atom(b"mvex", &trex, random));
    }
    if random.once_in(3) {
        movie.extend(user_data(random));
    }
    out.extend(atom(b"moov", &movie, random));
    if !whole {
        out.extend(fragments(seed, random));
    }
    out
}

#[test]
fn mp4_files() {
    let mut seeds = vec![seed("edits.m4a", 1024), seed("alac.m4a", 4096), seed("opus.mp4", 960)];
    // Uncompressed audio: a single packet, with one sample per frame.
    let mut pcm = seed("pcm.mov", 1);
    pcm.packets = vec![vec![7; 6]; 400];
    seeds.push(pcm);
    run("mp4", Limits::default(), move |random| file(&random.pick(&seeds).clone(), random), open_and_read);
}
