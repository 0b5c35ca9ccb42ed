//! Ogg pages with valid checksums around arbitrary packets.

use super::harness::Random;

/// Returns the checksum of a page whose checksum field is 0.
fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0u32, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte) << 24, |sum, _| sum << 1 ^ if sum >> 31 == 1 { 0x04c1_1db7 } else { 0 })
    })
}

/// Returns a page from its flags (1 continued, 2 first, 4 last), granule position, segment lengths and contents.
pub fn page(flags: u8, granule: u64, sequence: u32, laces: &[u8], body: &[u8]) -> Vec<u8> {
    let mut page = b"OggS\0".to_vec();
    page.push(flags);
    page.extend(granule.to_le_bytes());
    page.extend(7u32.to_le_bytes());
    page.extend(sequence.to_le_bytes());
    page.extend([0; 4]);
    page.push(laces.len() as u8);
    page.extend(laces);
    page.extend(body);
    let sum = checksum(&page);
    page[22..26].copy_from_slice(&sum.to_le_bytes());
    page
}

/// Returns a stream: the first header on a separate page, the other headers, then the audio. `frames` is the usual
/// length of a packet. Some granule positions, flags, sequence numbers and checksums are inconsistent.
pub fn stream(random: &mut Random, headers: &[Vec<u8>], packets: &[Vec<u8>], frames: u64) -> Vec<u8> {
    let mut pages = Pages { out: Vec::new(), sequence: 0 };
    for (number, header) in headers.iter().enumerate() {
        pages.put(random, std::slice::from_ref(header), 0, if number == 0 { 2 } else { 0 });
    }
    let (mut at, mut granule) = (0, if random.once_in(6) { random.extreme(63) } else { 0 });
    while at < packets.len() {
        let end = (at + 1 + random.below(12) as usize).min(packets.len());
        granule = match random.below(40) {
            0 => random.extreme(64),
            1 => granule.wrapping_add(random.extreme(40)),
            _ => granule.wrapping_add(frames * (end - at) as u64),
        };
        let last = if end == packets.len() && !random.once_in(8) { 4 } else { 0 };
        pages.put(random, &packets[at..end], granule, last);
        at = end;
    }
    pages.out
}

struct Pages {
    out: Vec<u8>,
    sequence: u32,
}

impl Pages {
    /// Writes packets from the start of a page on, over as many pages as necessary.
    fn put(&mut self, random: &mut Random, packets: &[Vec<u8>], granule: u64, flags: u8) {
        let mut laces = Vec::new();
        for packet in packets {
            laces.extend(std::iter::repeat_n(255, packet.len() / 255));
            laces.push((packet.len() % 255) as u8);
        }
        let body = packets.concat();
        let (mut from, count) = (0, laces.len().div_ceil(255));
        for (number, part) in laces.chunks(255).enumerate() {
            let bytes: usize = part.iter().map(|lace| usize::from(*lace)).sum();
            let (first, last) = (number == 0, number + 1 == count);
            let flags = (flags & (2 * u8::from(first))) | (flags & (4 * u8::from(last))) | u8::from(!first);
            let granule = if last { granule } else { u64::MAX };
            let mut page = page(flags, granule, self.sequence, part, &body[from..from + bytes]);
            if random.once_in(200) {
                let at = random.below(page.len() as u64) as usize;
                page[at] ^= 1 << random.below(8);
            }
            self.out.extend(page);
            self.sequence = self.sequence.wrapping_add(1);
            from += bytes;
        }
    }
}
