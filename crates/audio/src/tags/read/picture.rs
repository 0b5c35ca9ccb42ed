//! Pictures in tags.

use super::collect::Collected;
use crate::Picture;

/// The maximum size of a description in bytes. Longer ones are cut.
pub(super) const MAX_DESCRIPTION_BYTES: usize = 1024;

/// Creates a picture. If the file states no media type, it is detected from the first bytes.
pub(super) fn picture(mime: &str, kind: u8, description: String, data: Vec<u8>) -> Picture {
    let mime = match mime.trim() {
        "" | "image/" => sniffed(&data).to_owned(),
        named => match named.to_lowercase().as_str() {
            "image/jpg" => "image/jpeg".to_owned(),
            named => named.to_owned(),
        },
    };
    Picture { mime, kind, description, data }
}

fn sniffed(data: &[u8]) -> &'static str {
    match data {
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [b'G', b'I', b'F', b'8', ..] => "image/gif",
        [b'B', b'M', ..] => "image/bmp",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
        _ => "",
    }
}

/// Adds the picture of a FLAC PICTURE block (RFC 9639, section 8.8).
pub(super) fn add_block(mut block: Vec<u8>, collected: &mut Collected) {
    let Some(PictureBlock { kind, mime, description, range }) = block_parts(&block) else { return };
    block.truncate(range.end);
    block.drain(..range.start);
    collected.add_picture(picture(&mime, kind, description, block));
}

/// The parts of a block, and the byte range of the picture.
struct PictureBlock {
    kind: u8,
    mime: String,
    description: String,
    range: std::ops::Range<usize>,
}

fn block_parts(block: &[u8]) -> Option<PictureBlock> {
    let be32 = |at: usize| Some(u32::from_be_bytes(*block.get(at..)?.first_chunk()?) as usize);
    let kind = u8::try_from(be32(0)?).unwrap_or(0);
    let mime = block.get(8..8usize.checked_add(be32(4)?)?)?;
    let description = 8 + mime.len();
    let described = block.get(description + 4..(description + 4).checked_add(be32(description)?)?)?;
    // Width, height, depth and number of colours are skipped, because the picture itself contains them.
    let length = (description + 4 + described.len()).checked_add(16)?;
    let start = length.checked_add(4)?;
    let end = start.checked_add(be32(length)?)?.min(block.len());
    // Links to pictures are not followed.
    let text = |bytes: &[u8], most: usize| String::from_utf8_lossy(&bytes[..bytes.len().min(most)]).into_owned();
    (mime != b"-->" && start <= end).then(|| PictureBlock {
        kind,
        mime: text(mime, 64),
        description: text(described, MAX_DESCRIPTION_BYTES),
        range: start..end,
    })
}
