//! Grammar-based FLAC (RFC 9639): stream information and metadata at their extremes, frames with valid checksums whose
//! numbers, block sizes and subframes are extreme, and junk between and after them; native and in Ogg.

use super::bytes::open_and_read;
use super::harness::{Limits, Random, run};
use super::ogg;
use super::support::flac::{self as legal, Bits, coded, crc8, crc16};

/// The properties that all frames of a stream share.
struct Format {
    channels: u32,
    /// Bits per sample, and their code in a frame header.
    bits: (u32, u8),
    block: u32,
    variable: bool,
}

/// Returns the 34 bytes of the stream information.
fn info(random: &mut Random, format: &Format, frames: u64) -> Vec<u8> {
    let least = if format.variable { 16 } else { format.block };
    let mut bytes = [(least as u16).to_be_bytes(), (format.block as u16).to_be_bytes()].concat();
    for _ in 0..2 {
        let size = if random.once_in(4) { random.extreme(24) } else { 0 };
        bytes.extend(&size.to_be_bytes()[5..]);
    }
    let rate = 44_100u64;
    let packed = rate << 44 | u64::from(format.channels - 1) << 41 | u64::from(format.bits.0 - 1) << 36 | frames;
    bytes.extend(packed.to_be_bytes());
    bytes.extend([0; 16]);
    bytes
}

fn subframe(bits: &mut Bits, random: &mut Random, depth: u32, block: u32) {
    bits.put(0, 1);
    let kind = match random.below(8) {
        0..4 => 0,
        4 => 1,
        5 => 8 + random.below(5),
        6 => 32 + random.extreme(5),
        _ => random.extreme(6),
    };
    bits.put(kind, 6);
    let wasted = if random.once_in(10) { 1 + random.below(40) } else { 0 };
    bits.put(u64::from(wasted > 0), 1);
    if wasted > 0 {
        bits.put(1, wasted as u32);
    }
    match kind {
        0 => bits.put(random.extreme(depth), depth),
        1 => (0..block.min(2000)).for_each(|_| bits.put(random.next(), depth)),
        _ => {
            let order = if kind < 16 { kind & 7 } else { (kind & 31) + 1 };
            (0..order).for_each(|_| bits.put(random.extreme(depth), depth));
            if kind >= 32 {
                bits.put(random.extreme(4), 4);
                bits.put(random.extreme(5), 5);
                (0..order).for_each(|_| bits.put(random.next(), 15));
            }
            // A residual with one partition or as many as possible, with words of random width.
            bits.put(random.below(4), 2);
            bits.put(if random.once_in(3) { random.extreme(4) } else { 0 }, 4);
            bits.put(random.extreme(5), 5);
            (0..random.below(4000)).for_each(|_| bits.put(random.next() | random.next() >> 8, 8));
        }
    }
}

/// Returns a frame, mostly with correct checksums, and its number of samples per channel.
fn frame(random: &mut Random, format: &Format, number: u64) -> (Vec<u8>, u32) {
    let block = match random.below(8) {
        0 => random.extreme(16) as u32 + 1,
        1 if format.variable => 1 + random.below(u64::from(format.block)) as u32,
        _ => format.block,
    };
    let assignment = match format.channels {
        2 => *random.pick(&[1, 8, 9, 10]),
        count => count as u8 - 1,
    };
    let mut bytes = vec![0xff, 0xf8 | u8::from(format.variable), 7 << 4 | 9, assignment << 4 | format.bits.1 << 1];
    bytes.extend(coded(number & 0xf_ffff_ffff));
    bytes.extend(((block - 1) as u16).to_be_bytes());
    bytes.push(crc8(&bytes));
    let mut bits = Bits(bytes, 0);
    for channel in 0..format.channels {
        let side = matches!((assignment, channel), (8 | 10, 1) | (9, 0));
        subframe(&mut bits, random, format.bits.0 + u32::from(side), block);
    }
    let mut bytes = bits.0;
    let sum = if random.once_in(30) { random.next() as u16 } else { crc16(&bytes) };
    bytes.extend(sum.to_be_bytes());
    (bytes, block)
}

/// Returns legal streams one after the other, with some bits changed; or only headers, each for a frame that could have
/// megabytes.
fn almost_legal(random: &mut Random) -> Vec<u8> {
    let mut next = || random.next();
    let mut bytes = Vec::new();
    for _ in 0..=next() % 3 {
        let mut format = legal::format(&mut next);
        format.begins = if next().is_multiple_of(3) { next() % 1000 } else { 0 };
        let blocks = 1 + next() as usize % 9;
        bytes.extend(legal::stream(format, blocks, &mut next).bytes());
    }
    if random.once_in(4) {
        let header = |number: u64| {
            let mut header = vec![0xff, 0xf8, 7 << 4 | 9, 7 << 4 | 7 << 1];
            header.extend(coded(number));
            header.extend(65_534u16.to_be_bytes());
            header.push(crc8(&header));
            // Then a subframe of plain samples, which reads the headers that follow.
            header.extend([2, 0]);
            header
        };
        (0..20_000 + random.below(200_000)).for_each(|number| bytes.extend(header(number)));
    }
    for _ in 0..random.below(5) {
        let at = random.below(bytes.len() as u64) as usize;
        bytes[at] ^= 1 << random.below(8);
    }
    bytes
}

fn file(random: &mut Random) -> Vec<u8> {
    if random.once_in(3) {
        return almost_legal(random);
    }
    let most = if random.once_in(4) { 8 } else { 2 };
    let format = Format {
        channels: 1 + random.below(most) as u32,
        bits: *random.pick(&[(8, 1), (12, 2), (16, 4), (20, 5), (24, 6), (32, 7)]),
        block: *random.pick(&[16, 192, 4096, 65_535]),
        variable: random.once_in(3),
    };
    let (mut frames, mut at, mut number) = (Vec::new(), 0u64, 0u64);
    for _ in 0..random.below(40) {
        if random.once_in(25) {
            number = random.extreme(36);
        }
        let (bytes, block) = frame(random, &format, if format.variable { at } else { number });
        frames.push(bytes);
        at = if random.once_in(25) { random.extreme(36) } else { at + u64::from(block) };
        number += 1;
    }
    let claimed = if random.once_in(2) { random.extreme(36) } else { at & 0xf_ffff_ffff };
    let info = info(random, &format, claimed);
    if random.once_in(4) {
        let mut first = b"\x7fFLAC\x01\x00".to_vec();
        first.extend((random.extreme(16).min(3) as u16).to_be_bytes());
        first.extend(b"fLaC\0\0\0\x22");
        first.extend(&info);
        let comments = [&[0x84, 0, 0, 8][..], &[0; 8]].concat();
        return ogg::stream(random, &[first, comments], &frames, u64::from(format.block));
    }
    let mut bytes = b"fLaC".to_vec();
    let blocks = if random.once_in(10) { 1 + random.below(2000) } else { random.below(3) };
    bytes.extend([if blocks == 0 { 0x80 } else { 0 }, 0, 0, 34]);
    bytes.extend(&info);
    for block in 0..blocks {
        let body = {
            let count = random.below(40) as usize;
            random.bytes(count)
        };
        let size = if random.once_in(30) { random.extreme(24) as u32 } else { body.len() as u32 };
        let kind = random.below(7) as u8 | if block + 1 == blocks { 0x80 } else { 0 };
        bytes.extend([&[kind], &size.to_be_bytes()[1..], &body].concat());
    }
    for frame in frames {
        bytes.extend(frame);
        if random.once_in(20) {
            let count = random.below(3000) as usize;
            bytes.extend(random.bytes(count));
        }
    }
    // Junk after the last frame, sometimes more than a single backward read.
    let count = if random.once_in(30) { 17 << 20 } else { random.below(100_000) as usize };
    match random.below(3) {
        0 => bytes.extend(random.bytes(count)),
        1 => bytes.extend(std::iter::repeat_n(0xff, count)),
        _ => {}
    }
    bytes
}

#[test]
fn flac() {
    run("flac", Limits { bytes: 96 << 20, ..Limits::default() }, file, open_and_read);
}
