//! Tags and pictures as Vorbis comments.

use base64::Engine;
use lofty::picture::PictureInformation;

use crate::audio::{Picture, Tags};

/// Names and values, and what could not be kept, in words for people. Pictures are comments too, as Xiph's
/// `METADATA_BLOCK_PICTURE` has it.
pub fn comments(tags: &Tags) -> (Vec<(String, String)>, Vec<String>) {
    let (mut comments, mut warnings) = (Vec::new(), Vec::new());
    for (key, value) in &tags.items {
        // A field name is printable ASCII without `=`, as the Vorbis comment specification has it.
        let allowed = !key.is_empty() && key.bytes().all(|byte| (0x20..=0x7d).contains(&byte) && byte != b'=');
        // The library that writes Vorbis takes texts that end at a zero.
        if allowed && !value.contains('\0') {
            comments.push((key.clone(), value.clone()));
        } else {
            warnings.push(format!("the tag `{key}` could not be kept: Vorbis comments do not allow it"));
        }
    }
    for picture in &tags.pictures {
        let block = base64::engine::general_purpose::STANDARD.encode(picture_block(picture));
        comments.push(("METADATA_BLOCK_PICTURE".to_owned(), block));
    }
    (comments, warnings)
}

/// The picture as FLAC's metadata block has it (RFC 9639, section 8.8).
fn picture_block(picture: &Picture) -> Vec<u8> {
    let described = lofty::picture::Picture::unchecked(picture.data.clone())
        .mime_type(lofty::picture::MimeType::from_str(&picture.mime))
        .build();
    // What is not known is 0.
    let size = PictureInformation::from_picture(&described).unwrap_or_default();
    let mut block = Vec::with_capacity(picture.data.len() + picture.mime.len() + 32);
    block.extend_from_slice(&u32::from(picture.kind).to_be_bytes());
    block.extend_from_slice(&(picture.mime.len() as u32).to_be_bytes());
    block.extend_from_slice(picture.mime.as_bytes());
    // No description.
    for number in [0, size.width, size.height, size.color_depth, size.num_colors, picture.data.len() as u32] {
        block.extend_from_slice(&number.to_be_bytes());
    }
    block.extend_from_slice(&picture.data);
    block
}
