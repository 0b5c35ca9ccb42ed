//! Vorbis comments, of FLAC and Ogg files.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::picture;
use crate::Tags;

/// The types of FLAC's metadata blocks.
const COMMENTS: u8 = 4;
const PICTURE: u8 = 6;
/// The largest contents of a block in bytes: its length has 24 bits.
const MAX_BLOCK_BYTES: usize = (1 << 24) - 1;

/// Returns whether a name is one of Vorbis comments: printable ASCII without `=`.
pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| (0x20..=0x7d).contains(&byte) && byte != b'=')
}

/// Returns whether a picture fits into a metadata block.
pub(super) fn fits_block(picture: &crate::Picture) -> bool {
    picture.data.len() + picture.mime.len() + picture.description.len() + 32 <= MAX_BLOCK_BYTES
}

/// Returns the names and values of the fields, one comment for each value.
fn texts(tags: &Tags) -> impl Iterator<Item = (String, String)> {
    let fields = tags.items.iter().filter(|(name, _)| is_name(name));
    // The Vorbis library takes null-terminated strings.
    fields.flat_map(|(name, text)| text.values().map(|value| (name.clone(), value.replace('\0', " "))))
}

/// Returns the names and values of the comments of an Ogg stream. Pictures become comments in Xiph's
/// `METADATA_BLOCK_PICTURE` format.
pub(crate) fn comments(tags: &Tags) -> Vec<(String, String)> {
    let pictures = tags.pictures.iter().map(|picture| {
        let block = STANDARD.encode(picture::block(picture));
        ("METADATA_BLOCK_PICTURE".to_owned(), block)
    });
    texts(tags).chain(pictures).collect()
}

/// Returns the metadata blocks of a FLAC file: one with the comments, and one for each picture. None is marked as the
/// last.
pub(crate) fn flac_blocks(tags: &Tags, vendor: &str) -> Vec<u8> {
    let mut list = Vec::new();
    let put = |list: &mut Vec<u8>, text: &str| {
        list.extend_from_slice(&(text.len() as u32).to_le_bytes());
        list.extend_from_slice(text.as_bytes());
    };
    put(&mut list, vendor);
    let head = list.len();
    let mut count = 0u32;
    for (name, value) in texts(tags) {
        let comment = format!("{name}={value}");
        if list.len() + comment.len() + 8 <= MAX_BLOCK_BYTES {
            put(&mut list, &comment);
            count += 1;
        }
    }
    list.splice(head..head, count.to_le_bytes());
    let mut blocks = Vec::new();
    block(&mut blocks, COMMENTS, &list);
    for picture in tags.pictures.iter().filter(|picture| fits_block(picture)) {
        block(&mut blocks, PICTURE, &picture::block(picture));
    }
    blocks
}

fn block(blocks: &mut Vec<u8>, kind: u8, content: &[u8]) {
    blocks.push(kind);
    blocks.extend_from_slice(&(content.len() as u32).to_be_bytes()[1..]);
    blocks.extend_from_slice(content);
}
