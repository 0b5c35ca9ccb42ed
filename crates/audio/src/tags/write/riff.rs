//! Tags of WAV files: a RIFF INFO list of the fields that it has, and an `ID3v2` chunk of all; and the chunks about the
//! recording.

use super::{id3, known};
use crate::tags::Tags;

/// Returns the chunks of tags, each of even length; empty if there are none.
pub(crate) fn riff_chunks(tags: &Tags) -> Vec<u8> {
    let mut out = Vec::new();
    let (mut list, mut taken) = (b"INFO".to_vec(), Vec::new());
    for (field, _, text) in known(tags) {
        // Of several fields or spellings the first in the table has the place.
        if let Some(id) = field.info.first().filter(|id| !taken.contains(*id)) {
            taken.push(id);
            chunk(&mut list, id.as_bytes(), &[text.as_bytes(), b"\0"].concat());
        }
    }
    if !taken.is_empty() {
        chunk(&mut out, b"LIST", &list);
    }
    let id3 = id3::tag(tags, 0);
    if !id3.is_empty() {
        chunk(&mut out, b"ID3 ", &id3);
    }
    out
}

/// Returns the chunks about the recording, each of even length.
pub(crate) fn sound_chunks(tags: &Tags) -> Vec<u8> {
    let mut out = Vec::new();
    tags.chunks.iter().for_each(|kept| chunk(&mut out, &kept.id, &kept.data));
    out
}

fn chunk(out: &mut Vec<u8>, id: &[u8], content: &[u8]) {
    out.extend_from_slice(id);
    out.extend_from_slice(&(content.len() as u32).to_le_bytes());
    out.extend_from_slice(content);
    out.resize(out.len() + content.len() % 2, 0);
}
