//! Grammar-based Opus in Ogg (RFC 7845, RFC 6716): headers of every mapping family with extreme counts, and packets of
//! every framing for one or many streams. `scripts/fuzz-opus.mjs` tests libopus itself; this target tests the code that
//! splits the packets.

use super::bytes::open_and_read;
use super::harness::{Limits, Random, run};
use super::ogg;

/// Returns a length in one or two bytes.
fn length(bytes: usize) -> Vec<u8> {
    if bytes < 252 {
        return vec![bytes as u8];
    }
    let low = 252 + (bytes & 3);
    vec![low as u8, ((bytes - low) >> 2) as u8]
}

/// Returns a packet. With `delimited`, it states its length, like all but the last of several streams.
fn packet(random: &mut Random, configuration: u8, delimited: bool) -> Vec<u8> {
    let code = random.below(4) as u8;
    let mut size = || match random.below(8) {
        0 => *random.pick(&[0, 1, 251, 252, 255, 256, 1274, 1275, 1276]),
        _ => random.below(60) as usize,
    };
    let (first, second) = (size(), size());
    let mut bytes = vec![configuration << 2 | code];
    let mut body = match code {
        0 => first,
        1 => 2 * first,
        2 => first + second,
        _ => 0,
    };
    match code {
        0 | 1 if delimited => bytes.extend(length(first)),
        2 => {
            bytes.extend(length(first));
            if delimited {
                bytes.extend(length(second));
            }
        }
        3 => {
            let count = if random.once_in(3) { random.extreme(6) as usize } else { 1 + random.below(4) as usize };
            let (variable, padded) = (random.once_in(2), random.once_in(3));
            bytes.push(count as u8 | u8::from(variable) << 7 | u8::from(padded) << 6);
            if padded {
                let whole = if random.once_in(6) { random.below(200) as usize } else { 0 };
                bytes.extend(std::iter::repeat_n(255, whole));
                let last = random.below(255) as usize;
                bytes.push(last as u8);
                body += if random.once_in(10) { 0 } else { whole * 254 + last };
            }
            let said = if variable { count.saturating_sub(usize::from(!delimited)) } else { usize::from(delimited) };
            let each = first.min(60);
            (0..said).for_each(|_| bytes.extend(length(each)));
            body += count * each;
        }
        _ => {}
    }
    bytes.extend(random.bytes(body));
    if random.once_in(25) {
        bytes.truncate(random.below(bytes.len() as u64 + 1) as usize);
    }
    bytes
}

fn file(random: &mut Random) -> Vec<u8> {
    let family = *random.pick(&[0, 0, 1, 1, 2, 3, 255, 255]);
    let streams = match random.below(6) {
        0 => random.extreme(8) as u8,
        _ => 1 + random.below(6) as u8,
    };
    let coupled = if random.once_in(12) { random.extreme(8) as u8 } else { random.below(u64::from(streams) + 1) as u8 };
    let channels = match (family, random.below(12)) {
        (_, 0) => random.extreme(8) as u8,
        (0, _) => 1 + random.below(2) as u8,
        (1, _) => 1 + random.below(8) as u8,
        _ => 1 + random.below(20) as u8,
    };
    let mut head = b"OpusHead".to_vec();
    head.push(if random.once_in(30) { random.extreme(8) as u8 } else { 1 });
    head.push(channels);
    head.extend((random.extreme(16) as u16).to_le_bytes());
    head.extend((random.extreme(32) as u32).to_le_bytes());
    let gain = if random.once_in(3) { random.extreme(16) as u16 } else { 0 };
    head.extend(gain.to_le_bytes());
    head.push(family);
    if family > 0 {
        head.extend([streams, coupled]);
        let decoded = u64::from(streams) + u64::from(coupled);
        for _ in 0..channels {
            let silent = random.once_in(10);
            head.push(if silent { 255 } else { random.below(decoded.max(1)) as u8 });
        }
    }
    if random.once_in(30) {
        head.truncate(random.below(head.len() as u64 + 1) as usize);
    }
    let tags = b"OpusTags\0\0\0\0\0\0\0\0".to_vec();
    let (several, mut configuration) = (family > 0 && streams > 1, random.below(64) as u8);
    let packets: Vec<Vec<u8>> = (0..random.below(50))
        .map(|_| {
            if random.once_in(6) {
                configuration = random.below(64) as u8;
            }
            let count = if several { streams } else { 1 };
            (0..count).flat_map(|stream| packet(random, configuration, stream + 1 < count)).collect()
        })
        .collect();
    ogg::stream(random, &[head, tags], &packets, 960)
}

#[test]
fn opus() {
    run("opus", Limits { bytes: 64 << 20, ..Limits::default() }, file, open_and_read);
}
