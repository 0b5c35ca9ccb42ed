//! Converts tags and pictures to Vorbis comments.

use base64::Engine;
use lofty::picture::PictureInformation;

use crate::{Picture, Tags};

/// Returns the names and values of the comments, and warnings about tags that could not be kept. Pictures become
/// comments in Xiph's `METADATA_BLOCK_PICTURE` format.
pub fn comments(tags: &Tags) -> (Vec<(String, String)>, Vec<String>) {
    let (mut comments, mut warnings) = (Vec::new(), Vec::new());
    for (key, value) in &tags.items {
        // The Vorbis comment specification allows printable ASCII without `=` in field names.
        let allowed = !key.is_empty() && key.bytes().all(|byte| (0x20..=0x7d).contains(&byte) && byte != b'=');
        // The Vorbis library takes null-terminated strings.
        if allowed && !value.contains('\0') {
            comments.push((key.clone(), value.clone()));
        } else {
            warnings.push(format!("The tag `{key}` was not written: Vorbis comments do not allow it."));
        }
    }
    for picture in &tags.pictures {
        let block = base64::engine::general_purpose::STANDARD.encode(picture_block(picture));
        comments.push(("METADATA_BLOCK_PICTURE".to_owned(), block));
    }
    (comments, warnings)
}

/// Returns the picture as a FLAC metadata block (RFC 9639, section 8.8).
fn picture_block(picture: &Picture) -> Vec<u8> {
    let described = lofty::picture::Picture::unchecked(picture.data.clone())
        .mime_type(lofty::picture::MimeType::from_str(&picture.mime))
        .build();
    // Unknown fields are 0.
    let size = PictureInformation::from_picture(&described).unwrap_or_default();
    let mut block = Vec::with_capacity(picture.data.len() + picture.mime.len() + 32);
    block.extend_from_slice(&u32::from(picture.kind).to_be_bytes());
    block.extend_from_slice(&(picture.mime.len() as u32).to_be_bytes());
    block.extend_from_slice(picture.mime.as_bytes());
    // The description is empty.
    for number in [0, size.width, size.height, size.color_depth, size.num_colors, picture.data.len() as u32] {
        block.extend_from_slice(&number.to_be_bytes());
    }
    block.extend_from_slice(&picture.data);
    block
}
