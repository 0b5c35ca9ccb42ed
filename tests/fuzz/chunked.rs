//! Chunks of Wave64, AIFF-C and WAV with sizes, counts and formats at their extremes, around samples and blocks of ADPCM.

use super::bytes::open_and_read;
use super::harness::{Limits, Random, run};
use super::wave64;

/// Returns the contents of a `fmt ` chunk, of a format that can mostly be read.
fn format(random: &mut Random) -> Vec<u8> {
    let channels = if random.once_in(8) { random.extreme(16) } else { 1 + random.below(3) } as u16;
    let (tag, bits, each): (u16, u16, u16) =
        *random.pick(&[(1, 24, 4), (1, 16, 2), (3, 32, 4), (0x11, 4, 256), (2, 4, 256), (0x50, 0, 1), (0xfffe, 24, 4)]);
    let block = if random.once_in(8) { random.extreme(16) as u16 } else { each.wrapping_mul(channels) };
    let rate = if random.once_in(8) { random.extreme(32) as u32 } else { 44_100 };
    let mut bytes = [tag.to_le_bytes(), channels.to_le_bytes()].concat();
    bytes.extend([rate.to_le_bytes(), 0u32.to_le_bytes()].concat());
    bytes.extend([block, bits, 22, random.extreme(16) as u16].map(u16::to_le_bytes).concat());
    bytes.extend(random.bytes(20));
    let keep = if random.once_in(10) { random.below(bytes.len() as u64) as usize } else { bytes.len() };
    bytes.truncate(keep);
    bytes
}

fn sound(random: &mut Random) -> Vec<u8> {
    let count = random.below(6000) as usize;
    match random.below(4) {
        0 => vec![0; count],
        // Frames of MPEG audio, or their beginnings.
        1 => [0xff, 0xfd, 0x94, 0x00].repeat(count / 4),
        _ => random.bytes(count),
    }
}

fn size(random: &mut Random, truth: u64, bits: u32) -> u64 {
    if random.once_in(8) { random.extreme(bits) } else { truth }
}

#[test]
fn wave64_files() {
    let make = |random: &mut Random| {
        let mut chunks = Vec::new();
        let count = if random.once_in(30) { 20_000 } else { random.below(4) };
        for _ in 0..count {
            let body = if count > 100 { Vec::new() } else { sound(random) };
            let stated = size(random, body.len() as u64 + 24, 64);
            let id = *random.pick(&[b"fact", b"bext", b"list", b"\0\0\0\0"]);
            chunks.extend(wave64::chunk(id, stated, &body));
        }
        for _ in 0..=random.below(2) {
            let format = format(random);
            let stated = size(random, format.len() as u64 + 24, 64);
            chunks.extend(wave64::chunk(b"fmt ", stated, &format));
            if random.once_in(2) {
                let frames = random.extreme(64);
                chunks.extend(wave64::chunk(b"fact", 32, &frames.to_le_bytes()));
            }
            let body = sound(random);
            let stated = size(random, body.len() as u64 + 24, 64);
            chunks.extend(wave64::chunk(b"data", stated, &body));
        }
        let all = random.once_in(4).then(|| random.extreme(64));
        wave64::file(&chunks, all)
    };
    run("wave64", Limits::default(), make, open_and_read);
}

#[test]
fn wav_of_wide_samples_and_of_mpeg_audio() {
    let make = |random: &mut Random| {
        let (format, body) = (format(random), sound(random));
        let mut case = [b"WAVEfmt ".as_slice(), &(format.len() as u32).to_le_bytes(), &format].concat();
        case.resize(case.len().next_multiple_of(2), 0);
        case.extend(b"data");
        case.extend((size(random, body.len() as u64, 32) as u32).to_le_bytes());
        case.extend(body);
        let all = size(random, case.len() as u64, 32) as u32;
        [b"RIFF".as_slice(), &all.to_le_bytes(), &case].concat()
    };
    run("wav_formats", Limits::default(), make, open_and_read);
}

#[test]
fn aiff_of_ima_adpcm() {
    let make = |random: &mut Random| {
        let channels = if random.once_in(6) { random.extreme(16) } else { 1 + random.below(3) } as u16;
        let body = sound(random);
        let stated = size(random, body.len() as u64 / 34, 32) as u32;
        let rate = [0x40, 0x0e, 0xac, 0x44, 0, 0, 0, 0, 0, 0];
        let common = [&channels.to_be_bytes()[..], &stated.to_be_bytes(), &[0, 16], &rate, b"ima4\0\0"].concat();
        let mut case = b"AIFC".to_vec();
        let offset = if random.once_in(6) { random.extreme(32) as u32 } else { 0 };
        let data = [&offset.to_be_bytes()[..], &[0; 4], &body].concat();
        let mut parts = [(b"COMM", common), (b"SSND", data)];
        if random.once_in(4) {
            parts.reverse();
        }
        for (id, body) in parts {
            case.extend(id);
            case.extend((size(random, body.len() as u64, 32) as u32).to_be_bytes());
            case.extend(&body);
            case.resize(case.len().next_multiple_of(2), 0);
        }
        let all = size(random, case.len() as u64, 32) as u32;
        [b"FORM".as_slice(), &all.to_be_bytes(), &case].concat()
    };
    run("aiff_ima4", Limits::default(), make, open_and_read);
}
