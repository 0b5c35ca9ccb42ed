//! Pictures in tags.

use lofty::picture::MimeType;

use super::collect::Collected;
use crate::Picture;

/// Creates a picture. If the file states no media type, it is detected from the first bytes.
pub(super) fn picture(mime: &str, kind: u8, data: Vec<u8>) -> Picture {
    let mime = match mime.trim() {
        "" | "image/" => sniffed(&data).to_owned(),
        named => MimeType::from_str(&named.to_lowercase()).to_string(),
    };
    Picture { mime, kind, data }
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
    let Some((kind, mime, range)) = block_parts(&block) else { return };
    block.truncate(range.end);
    block.drain(..range.start);
    collected.add_picture(picture(&mime, kind, block));
}

/// Returns the picture type, the media type and the byte range of the data.
fn block_parts(block: &[u8]) -> Option<(u8, String, std::ops::Range<usize>)> {
    let be32 = |at: usize| Some(u32::from_be_bytes(*block.get(at..)?.first_chunk()?) as usize);
    let kind = u8::try_from(be32(0)?).unwrap_or(0);
    let mime = block.get(8..8usize.checked_add(be32(4)?)?)?;
    let description = 8 + mime.len();
    // Width, height, depth and number of colours are skipped, because the picture itself contains them.
    let length = description.checked_add(4)?.checked_add(be32(description)?)?.checked_add(16)?;
    let start = length.checked_add(4)?;
    let end = start.checked_add(be32(length)?)?.min(block.len());
    // Links to pictures are not followed.
    (mime != b"-->" && start <= end)
        .then(|| (kind, String::from_utf8_lossy(&mime[..mime.len().min(64)]).into_owned(), start..end))
}
