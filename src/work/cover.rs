//! Reads a picture file as a cover, and checks a cover before the window shows it: it must be in an image format that
//! every web view decodes, and its header must declare a size that takes little memory. A few bytes of PNG can declare
//! gigabytes.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use crate::audio::Picture;
use crate::error::{Error, Result};
use crate::files;
use base::declared::TS;

/// A cover image.
#[derive(Clone, Debug, Serialize, TS)]
pub struct CoverView {
    /// `image/jpeg`, `image/png`, `image/gif` or `image/webp`; empty if the cover is not shown.
    pub mime: String,
    /// The image file in Base64.
    pub data: String,
    /// Why the cover is not shown.
    pub reason: Option<String>,
}

/// The largest image file sent to the window, in bytes.
const MAX_BYTES: usize = 8 << 20;
/// The most pixels that the window may decode, at four bytes each.
const MAX_PIXELS: u64 = 32 << 20;
/// The greatest width or height in pixels.
const MAX_SIDE: u32 = 16_384;

/// Reads a picture file. Only kinds that the window can show are accepted.
///
/// # Errors
/// [`Error::Unsupported`] for another kind of file or a damaged one; [`Error::Limit`] for more than 8 MiB.
pub fn read(path: &Path) -> Result<Picture> {
    let data = files::read(path, "cover", MAX_BYTES as u64)?;
    let picture = Picture { kind: 3, data, ..Picture::default() };
    match view(&picture) {
        CoverView { reason: Some(reason), .. } => Err(Error::unsupported("This file as a cover", reason)),
        CoverView { mime, .. } => Ok(Picture { mime, ..picture }),
    }
}

/// Returns the image, or why it is not shown.
pub fn view(picture: &Picture) -> CoverView {
    let data = &picture.data;
    let nothing = |reason: String| CoverView { mime: String::new(), data: String::new(), reason: Some(reason) };
    if data.len() > MAX_BYTES {
        let mebibytes = data.len() as f64 / f64::from(1 << 20);
        return nothing(format!("The cover has {mebibytes:.1} MiB; up to {} MiB are shown", MAX_BYTES >> 20));
    }
    // The MIME type that the file declares is ignored.
    let Some((mime, size)) = kind(data) else {
        return nothing("The cover is no JPEG, PNG, GIF or WebP picture".to_owned());
    };
    match size {
        Some((width, height)) if width == 0 || height == 0 => nothing("The cover has no pixels".to_owned()),
        Some((width, height))
            if width > MAX_SIDE || height > MAX_SIDE || u64::from(width) * u64::from(height) > MAX_PIXELS =>
        {
            nothing(format!("The cover has {width} × {height} pixels; up to {} million are shown", MAX_PIXELS >> 20))
        }
        Some(_) => CoverView { mime: mime.to_owned(), data: STANDARD.encode(data), reason: None },
        None => nothing("The cover is damaged: it does not say how large it is".to_owned()),
    }
}

type Size = Option<(u32, u32)>;

/// Returns the media type, judged by the first bytes, and the declared width and height.
fn kind(data: &[u8]) -> Option<(&'static str, Size)> {
    match data {
        [0xff, 0xd8, 0xff, ..] => Some(("image/jpeg", jpeg_size(data))),
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(("image/png", png_size(data))),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(("image/gif", gif_size(data))),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(("image/webp", webp_size(data))),
        _ => None,
    }
}

fn le16(data: &[u8], at: usize) -> Option<u32> {
    Some(u32::from(u16::from_le_bytes(*data.get(at..)?.first_chunk()?)))
}

fn be16(data: &[u8], at: usize) -> Option<u32> {
    Some(u32::from(u16::from_be_bytes(*data.get(at..)?.first_chunk()?)))
}

/// Returns the size in the `IHDR` chunk, which comes first.
fn png_size(data: &[u8]) -> Size {
    let be32 = |at: usize| Some(u32::from_be_bytes(*data.get(at..)?.first_chunk()?));
    if data.get(12..16)? != b"IHDR" {
        return None;
    }
    Some((be32(16)?, be32(20)?))
}

/// Returns the size of the logical screen.
fn gif_size(data: &[u8]) -> Size {
    Some((le16(data, 6)?, le16(data, 8)?))
}

/// Returns the largest size in the frame headers before the first scan.
fn jpeg_size(data: &[u8]) -> Size {
    let (mut at, mut found) = (2, None);
    while let Some(&[0xff, marker]) = data.get(at..at + 2) {
        match marker {
            // Fill bytes and markers without content.
            0xff => at += 1,
            0x01 | 0xd0..=0xd8 => at += 2,
            0xd9 | 0xda => break,
            _ => {
                let bytes = be16(data, at + 2)?;
                if matches!(marker, 0xc0..=0xcf) && !matches!(marker, 0xc4 | 0xc8 | 0xcc) {
                    let (height, width) = (be16(data, at + 5)?, be16(data, at + 7)?);
                    let (max_width, max_height) = found.unwrap_or((0, 0));
                    found = Some((width.max(max_width), height.max(max_height)));
                }
                at += 2 + bytes as usize;
            }
        }
    }
    found
}

/// Returns the size in the first chunk: lossy, lossless or extended (RFC 9649).
fn webp_size(data: &[u8]) -> Size {
    let le24 = |at: usize| Some(le16(data, at)? | u32::from(*data.get(at + 2)?) << 16);
    match data.get(12..16)? {
        b"VP8 " => Some((le16(data, 26)? & 0x3fff, le16(data, 28)? & 0x3fff)),
        b"VP8L" => {
            let bits = u32::from_le_bytes(*data.get(21..)?.first_chunk()?);
            Some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
        }
        b"VP8X" => Some((le24(24)? + 1, le24(27)? + 1)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut data = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        data.extend_from_slice(&width.to_be_bytes());
        data.extend_from_slice(&height.to_be_bytes());
        data.extend_from_slice(&[8, 2, 0, 0, 0]);
        data
    }

    fn shown(data: &[u8]) -> Result<String, String> {
        // The MIME type that the file declares must not matter.
        let view = view(&Picture { mime: "text/html".into(), kind: 3, data: data.to_vec(), ..Picture::default() });
        match view.reason {
            None => {
                assert_eq!(STANDARD.decode(view.data).unwrap(), data);
                Ok(view.mime)
            }
            Some(reason) => {
                assert!(view.data.is_empty());
                Err(reason)
            }
        }
    }

    #[test]
    fn pictures_are_told_by_their_content() {
        assert_eq!(shown(&png(600, 600)).unwrap(), "image/png");
        assert_eq!(shown(b"GIF89a\x20\0\x20\0\0\0\0").unwrap(), "image/gif");
        let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc2\0\x0b\x08\x01\0\x02\0\x01\x11\0\x01\x11\0\xff\xda";
        assert_eq!(kind(jpeg), Some(("image/jpeg", Some((512, 256)))));
        assert_eq!(shown(jpeg).unwrap(), "image/jpeg");
        let extended = b"RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x1f\x03\0\x57\x02\0";
        assert_eq!(kind(extended), Some(("image/webp", Some((800, 600)))));
        let lossless = b"RIFF\x16\0\0\0WEBPVP8L\x0a\0\0\0\x2f\x1f\xc3\x95\0\0";
        assert_eq!(kind(lossless), Some(("image/webp", Some((800, 600)))));
        let lossy = b"RIFF\x16\0\0\0WEBPVP8 \x0a\0\0\0\0\0\0\x9d\x01\x2a\x20\x03\x58\x02";
        assert_eq!(kind(lossy), Some(("image/webp", Some((800, 600)))));
    }

    #[test]
    fn what_would_harm_the_window_is_not_shown() {
        assert!(shown(&png(65_535, 65_535)).unwrap_err().contains("65535 × 65535"));
        assert!(shown(&png(16_000, 16_000)).is_err());
        assert!(shown(&png(20_000, 1)).is_err());
        assert!(shown(&png(0, 5)).is_err());
        assert!(shown(b"GIF89a\xff\xff\xff\xff\0\0\0").is_err());
        assert!(shown(b"\xff\xd8\xff\xc0\0\x0b\x08\xff\xff\xff\xff\x01").is_err());
        // Two sizes: the larger one counts.
        let two = b"\xff\xd8\xff\xc0\0\x0b\x08\0\x10\0\x10\x01\x11\0\0\0\xff\xc0\0\x0b\x08\xff\xff\xff\xff\x01";
        assert!(shown(&[&two[..2], &two[2..15], &two[16..]].concat()).is_err());
        assert!(shown(b"<svg xmlns='http://www.w3.org/2000/svg'/>").unwrap_err().contains("no JPEG"));
        assert!(shown(b"").is_err());
        for whole in [&png(600, 600)[..], b"GIF89a\x20\0\x20\0\0\0\0", b"\xff\xd8\xff\xe0\0\x04ab\xff\xc2\0\x0b\x08"] {
            (0..whole.len()).for_each(|end| drop(shown(&whole[..end])));
        }
        assert!(shown(&[&png(10, 10)[..], &vec![0; MAX_BYTES]].concat()).unwrap_err().contains("8.0 MiB"));
    }
}
