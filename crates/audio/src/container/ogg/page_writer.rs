//! Packs packets into the pages of an Ogg stream.

use crate::checksums::crc32;

/// The maximum number of segments in a page; also the length of a full segment in bytes.
const SEGMENTS: usize = 255;

/// Collects packets into pages.
#[derive(Debug)]
pub struct Pages {
    serial: u32,
    sequence: u32,
    laces: Vec<u8>,
    body: Vec<u8>,
    /// The granule position of the last packet that ends on this page.
    granule: Option<u64>,
    /// Whether this page begins within a packet.
    continued: bool,
}

impl Pages {
    /// Creates a stream with a serial number.
    pub fn new(serial: u32) -> Self {
        Self { serial, sequence: 0, laces: Vec::new(), body: Vec::new(), granule: None, continued: false }
    }

    /// Creates pages that continue a stream after its first `sequence` pages.
    pub fn after(serial: u32, sequence: u32) -> Self {
        Self { sequence, ..Self::new(serial) }
    }

    /// Returns the number of pages so far.
    pub fn sequence(&self) -> u32 {
        self.sequence
    }

    /// Adds a packet that ends at `granule`. Full pages are written to `out`. The last page is always held back, so
    /// that it can be marked as the end.
    pub fn packet(&mut self, packet: &[u8], granule: u64, out: &mut Vec<u8>) {
        let mut rest = packet;
        loop {
            if self.laces.len() == SEGMENTS {
                self.page(false, out);
                self.continued = rest.len() < packet.len();
            }
            let length = rest.len().min(SEGMENTS);
            let (now, later) = rest.split_at(length);
            self.laces.push(length as u8);
            self.body.extend_from_slice(now);
            rest = later;
            if length < SEGMENTS {
                self.granule = Some(granule);
                return;
            }
        }
    }

    /// Writes the current page to `out`; `ends` marks it as the last of the stream.
    pub fn page(&mut self, ends: bool, out: &mut Vec<u8>) {
        let start = out.len();
        let begins = self.sequence == 0;
        out.extend_from_slice(b"OggS\0");
        out.push(u8::from(self.continued) | u8::from(begins) << 1 | u8::from(ends) << 2);
        out.extend_from_slice(&self.granule.unwrap_or(u64::MAX).to_le_bytes());
        out.extend_from_slice(&self.serial.to_le_bytes());
        out.extend_from_slice(&self.sequence.to_le_bytes());
        out.extend_from_slice(&[0; 4]);
        out.push(self.laces.len() as u8);
        out.extend_from_slice(&self.laces);
        out.extend_from_slice(&self.body);
        let crc = crc32(0, &out[start..]);
        out[start + 22..start + 26].copy_from_slice(&crc.to_le_bytes());
        self.sequence += 1;
        self.laces.clear();
        self.body.clear();
        self.granule = None;
        self.continued = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_of_any_length_are_laced_and_continued() {
        let mut pages = Pages::new(7);
        let mut out = Vec::new();
        let sizes = [0, 1, 254, 255, 256, 65_024, 65_025, 65_026, 200_000, 3];
        for (index, size) in sizes.iter().enumerate() {
            pages.packet(&vec![index as u8; *size], index as u64, &mut out);
        }
        pages.page(true, &mut out);
        // Parsed again, following only the format's definition.
        let (mut packets, mut packet, mut at, mut sequence, mut within) = (Vec::new(), Vec::new(), 0, 0u32, false);
        let mut last = 0;
        while at < out.len() {
            assert_eq!(&out[at..at + 5], b"OggS\0");
            last = out[at + 5];
            assert_eq!(last & 1 == 1, within);
            assert_eq!(last & 2 == 2, at == 0);
            assert_eq!(out[at + 18..at + 22], sequence.to_le_bytes());
            let segments = usize::from(out[at + 26]);
            let laces = out[at + 27..at + 27 + segments].to_vec();
            let mut body = at + 27 + segments;
            let ended = laces.iter().any(|lace| *lace < 255);
            assert_eq!(out[at + 6..at + 14] == u64::MAX.to_le_bytes(), !ended);
            for lace in laces {
                packet.extend_from_slice(&out[body..body + usize::from(lace)]);
                body += usize::from(lace);
                within = lace == 255;
                if !within {
                    packets.push(std::mem::take(&mut packet));
                }
            }
            at = body;
            sequence += 1;
        }
        assert_eq!(last & 4, 4);
        assert_eq!(packets.iter().map(Vec::len).collect::<Vec<_>>(), sizes);
        assert!(packets.iter().enumerate().all(|(index, packet)| packet.iter().all(|byte| *byte == index as u8)));
    }
}
