//! Pictures as bytes.

use crate::Picture;

/// The size of a picture and how it stores its points, as far as they are known; otherwise 0.
#[derive(Debug, Default, PartialEq)]
struct PictureSize {
    width: u32,
    height: u32,
    /// Bits of a point.
    depth: u32,
    /// The colours of a palette.
    colours: u32,
}

/// Returns the picture as a FLAC metadata block (RFC 9639, section 8.8).
pub(super) fn block(picture: &Picture) -> Vec<u8> {
    let PictureSize { width, height, depth, colours } = size(&picture.data).unwrap_or_default();
    let mut block = Vec::with_capacity(picture.data.len() + picture.mime.len() + picture.description.len() + 32);
    block.extend_from_slice(&u32::from(picture.kind).to_be_bytes());
    for text in [&picture.mime, &picture.description] {
        block.extend_from_slice(&(text.len() as u32).to_be_bytes());
        block.extend_from_slice(text.as_bytes());
    }
    for number in [width, height, depth, colours, picture.data.len() as u32] {
        block.extend_from_slice(&number.to_be_bytes());
    }
    block.extend_from_slice(&picture.data);
    block
}

fn size(data: &[u8]) -> Option<PictureSize> {
    if data.starts_with(b"\x89PNG\r\n\x1a\n") {
        png(data)
    } else if data.starts_with(&[0xff, 0xd8]) {
        jpeg(data)
    } else {
        None
    }
}

/// Reads the header of a PNG (ISO/IEC 15948), and the length of its palette.
fn png(data: &[u8]) -> Option<PictureSize> {
    let be32 = |at: usize| Some(u32::from_be_bytes(*data.get(at..)?.first_chunk()?));
    let (bits, kind) = (u32::from(*data.get(24)?), *data.get(25)?);
    // Grey, colours, palette, grey with transparency, colours with transparency.
    let samples = match kind {
        2 => 3,
        4 => 2,
        6 => 4,
        _ => 1,
    };
    let (mut at, mut colours) = (8usize, 0);
    while kind == 3 && data.get(at + 4..at + 8)? != b"PLTE" {
        at = at.checked_add(12)?.checked_add(be32(at)? as usize)?;
    }
    if kind == 3 {
        colours = be32(at)? / 3;
    }
    Some(PictureSize { width: be32(16)?, height: be32(20)?, depth: bits * samples, colours })
}

/// Reads the header of the frame of a JPEG (ITU-T T.81, B.2.2).
fn jpeg(data: &[u8]) -> Option<PictureSize> {
    let be16 = |at: usize| Some(u16::from_be_bytes(*data.get(at..)?.first_chunk()?));
    let mut at = 2;
    loop {
        if *data.get(at)? != 0xff {
            return None;
        }
        match *data.get(at + 1)? {
            // A fill byte.
            0xff => at += 1,
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                let (bits, components) = (u32::from(*data.get(at + 4)?), u32::from(*data.get(at + 9)?));
                let (height, width) = (be16(at + 5)?.into(), be16(at + 7)?.into());
                return Some(PictureSize { width, height, depth: bits * components, colours: 0 });
            }
            _ => at += 2 + usize::from(be16(at + 2)?).max(2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_in_the_header() {
        let png = |bits: u8, kind: u8, more: &[u8]| {
            let head = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x01\0\0\0\0\x10";
            [head, &[bits, kind, 0, 0, 0][..], b"crc!", more].concat()
        };
        let of = |width, height, depth, colours| Some(PictureSize { width, height, depth, colours });
        assert_eq!(size(&png(8, 2, b"")), of(256, 16, 24, 0));
        assert_eq!(size(&png(16, 6, b"")), of(256, 16, 64, 0));
        assert_eq!(size(&png(4, 3, b"\0\0\0\x02tEXtab....\0\0\0\x0cPLTE")), of(256, 16, 4, 4));
        assert_eq!(size(&png(4, 3, b"\xff\xff\xff\xfftEXt")), None);
        let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xff\xc2\0\x11\x08\0\x40\0\x20\x03";
        assert_eq!(size(jpeg), of(32, 64, 24, 0));
        for data in [&jpeg[..10], b"\xff\xd8\xff\xe0\0\0", b"GIF89a", b"", b"\x89PNG\r\n\x1a\n"] {
            assert_eq!(size(data), None);
        }
    }
}
