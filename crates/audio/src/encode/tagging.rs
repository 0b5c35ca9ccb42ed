//! Tags as the bytes that a file has in front of its sound or behind it.

use crate::flac::CHANNEL_MASK;
use crate::tags::{self, Tags};
use crate::{AudioFormat, Layout};

/// The program that wrote the file, in Vorbis comments.
const VENDOR: &str = concat!("Undertone ", env!("CARGO_PKG_VERSION"));

/// Returns the metadata blocks that hold `tags` and the layout in a FLAC file. None is marked as the last. There is at
/// least one block, which names this program.
pub fn flac_blocks(tags: &Tags, format: AudioFormat) -> Vec<u8> {
    let layout = format.layout().filter(|layout| Some(*layout) != Layout::of_flac(format.channels));
    let mut tags = tags.clone();
    tags.items.extend(layout.map(|layout| (CHANNEL_MASK.to_owned(), format!("{:#06X}", layout.mask()).into())));
    tags::flac_blocks(&tags, VENDOR)
}
