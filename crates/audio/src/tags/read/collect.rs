//! Collects tags from one or several places of a file, within the limits.

use std::collections::{BTreeSet, HashSet};
use std::hash::{BuildHasher, RandomState};

use base::units::SampleRate;

use super::limits::{
    MAX_CHUNK_BYTES, MAX_CHUNKS_BYTES, MAX_FIELD_BYTES, MAX_INFLATED_BYTES, MAX_NAME_BYTES, MAX_PARTS,
    MAX_PICTURE_BYTES, MAX_PICTURES, MAX_PICTURES_BYTES, MAX_TEXT_BYTES, MAX_VALUES,
};
use crate::markers::collect::FoundMarkers;
use crate::tags::chunks::{self, Chunk};
use crate::tags::fields::{TagKind, field};
use crate::tags::{TagText, Tags};
use crate::{Picture, text};

/// The maximum number of warnings about one file's tags. Further ones are only counted.
const MAX_WARNINGS: usize = 12;
/// The maximum number of kinds of data that are named as not kept.
const MAX_NOT_KEPT: usize = 32;
/// The separator between several values of a field.
const BETWEEN: &str = TagText::BETWEEN;

/// The tags and markers read so far.
#[derive(Default)]
pub(super) struct Collected {
    tags: Tags,
    /// The markers.
    pub(super) markers: FoundMarkers,
    /// Fields and pictures of earlier tags. Later tags do not change them.
    settled: BTreeSet<String>,
    settled_pictures: bool,
    /// The hashes of fields with their values: a value that a field has already is not added again.
    known: HashSet<u64>,
    hashes: RandomState,
    values: usize,
    text_bytes: usize,
    picture_bytes: usize,
    inflated_bytes: usize,
    parts: usize,
    full: bool,
    warnings: Vec<String>,
    more_warnings: usize,
}

impl Collected {
    /// Marks the current fields as final. The next tag of the file is less reliable and only adds fields.
    pub(super) fn next_tag(&mut self) {
        self.settled.extend(self.tags.items.keys().cloned());
        self.settled_pictures = !self.tags.pictures.is_empty();
    }

    /// Adds a value to a field whose name follows the conventions of `kind`. Returns whether the table has it; other
    /// values are ignored.
    pub(super) fn add_native(&mut self, kind: TagKind, name: &str, text: &str) -> bool {
        let known = field(kind, name);
        if let Some(field) = known {
            self.add(field.name(), text);
        }
        known.is_some()
    }

    /// Returns whether there is a picture.
    pub(super) fn has_pictures(&self) -> bool {
        !self.tags.pictures.is_empty()
    }

    /// Returns whether a field has a value.
    pub(super) fn has(&self, key: &str) -> bool {
        self.tags.items.contains_key(key)
    }

    /// Adds a value to a field, or several that zeros separate.
    pub(super) fn add(&mut self, key: &str, text: &str) {
        text.split('\0').for_each(|value| self.add_value(key, value.trim()));
    }

    fn add_value(&mut self, key: &str, text: &str) {
        if text.is_empty() || key.is_empty() {
            return;
        }
        // Only the start of a long name is processed, because a frame may repeat a name of half a megabyte thousands of
        // times.
        let is_allowed = |name: &String| name.len() <= MAX_NAME_BYTES;
        let upper = (key.len() <= MAX_NAME_BYTES).then(|| key.to_uppercase()).filter(is_allowed);
        let Some(key) = upper else {
            let shown = key.chars().take(32).collect::<String>().to_uppercase();
            self.warn(format!(
                "the tag `{shown}...` is left out: its name has {} bytes, {MAX_NAME_BYTES} are allowed",
                key.len()
            ));
            return;
        };
        if self.settled.contains(&key) || self.known.contains(&self.hashes.hash_one((&key, text))) {
            return;
        }
        if self.values >= MAX_VALUES || self.text_bytes >= MAX_TEXT_BYTES {
            if !self.full {
                self.full = true;
                self.warn(format!(
                    "the tags from `{key}` on are left out: {MAX_VALUES} values and {} of text are kept",
                    mebibytes(MAX_TEXT_BYTES)
                ));
            }
            return;
        }
        let known = self.tags.items.get(&key).map(|text| text.len());
        let before = known.map_or(0, |bytes| bytes + BETWEEN.len());
        let names = if known.is_some() { 0 } else { key.len() };
        let room = MAX_FIELD_BYTES.saturating_sub(before).min(MAX_TEXT_BYTES.saturating_sub(self.text_bytes + names));
        let kept = cut(text, room);
        if kept.len() < text.len() {
            self.warn(format!(
                "the tag `{key}` is cut: it has {} bytes or more, a field keeps {} and all text {}",
                before + text.len(),
                mebibytes(MAX_FIELD_BYTES),
                mebibytes(MAX_TEXT_BYTES)
            ));
        }
        if kept.is_empty() {
            return;
        }
        self.values += 1;
        self.text_bytes += kept.len() + names + known.map_or(0, |_| BETWEEN.len());
        self.known.insert(self.hashes.hash_one((&key, kept)));
        match self.tags.items.get_mut(&key) {
            Some(text) => text.push(kept),
            None => drop(self.tags.items.insert(key, kept.into())),
        }
    }

    /// Adds a chunk about the recording, with contents of up to [`MAX_CHUNK_BYTES`]. The first of each kind counts.
    pub(super) fn add_chunk(&mut self, id: [u8; 4], rate: SampleRate, data: Vec<u8>) {
        let all: usize = self.tags.chunks.iter().map(|chunk| chunk.data.len()).sum();
        if self.tags.chunks.iter().any(|chunk| chunk.id == id) {
            return;
        }
        if data.len() > MAX_CHUNK_BYTES || all + data.len() > MAX_CHUNKS_BYTES {
            self.warn(format!(
                "the chunk `{}` is left out: it has more than {}, or all of them more than {}",
                chunks::name(id),
                mebibytes(MAX_CHUNK_BYTES),
                mebibytes(MAX_CHUNKS_BYTES)
            ));
            return;
        }
        self.tags.chunks.push(Chunk { id, rate, data });
    }

    /// Notes that the file has data that no written file gets: `kind` in words, with the identifier that the file gives
    /// it.
    pub(super) fn not_kept(&mut self, kind: &str, id: &[u8]) {
        if self.tags.not_kept.len() < MAX_NOT_KEPT && id.iter().all(|byte| (0x20..0x7f).contains(byte)) {
            self.tags.not_kept.insert(format!("the {kind} `{}`", text::latin1(id).trim_end()));
        }
    }

    /// Returns the maximum size of another picture in bytes; 0 if no more pictures are kept.
    pub(super) fn picture_room(&self) -> usize {
        if self.settled_pictures || self.tags.pictures.len() >= MAX_PICTURES {
            return 0;
        }
        MAX_PICTURE_BYTES.min(MAX_PICTURES_BYTES - self.picture_bytes)
    }

    /// Adds a picture if there is room for it; otherwise warns.
    pub(super) fn add_picture(&mut self, picture: Picture) {
        if picture.data.is_empty() || self.settled_pictures {
            return;
        }
        if picture.data.len() > self.picture_room() {
            return self.leave_out_picture(picture.data.len() as u64);
        }
        self.picture_bytes += picture.data.len();
        self.tags.pictures.push(picture);
    }

    /// Warns that a picture is not kept.
    pub(super) fn leave_out_picture(&mut self, bytes: u64) {
        if !self.settled_pictures {
            self.warn(format!(
                "a picture of {bytes} bytes is left out: pictures of up to {} are kept, {MAX_PICTURES} of them and {} \
                 together",
                mebibytes(MAX_PICTURE_BYTES),
                mebibytes(MAX_PICTURES_BYTES)
            ));
        }
    }

    /// Returns the number of bytes that may still be inflated.
    pub(super) fn inflation_room(&self) -> usize {
        MAX_INFLATED_BYTES - self.inflated_bytes
    }

    /// Adds to the number of inflated bytes.
    pub(super) fn inflated(&mut self, bytes: usize) {
        self.inflated_bytes = (self.inflated_bytes + bytes).min(MAX_INFLATED_BYTES);
    }

    /// Counts a processed part. Returns `false` once there are too many.
    pub(super) fn part(&mut self) -> bool {
        self.parts += 1;
        if self.parts == MAX_PARTS {
            self.warn(format!("The tags have more than {MAX_PARTS} parts. The rest is left out."));
        }
        self.parts < MAX_PARTS
    }

    /// Adds a warning, unless it is a duplicate.
    pub(super) fn warn(&mut self, warning: String) {
        if self.warnings.contains(&warning) {
            return;
        }
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(warning);
        } else {
            self.more_warnings += 1;
        }
    }

    /// Returns the tags, the markers and the warnings.
    pub(super) fn finish(mut self) -> (Tags, FoundMarkers, Vec<String>) {
        if self.more_warnings > 0 {
            self.warnings.push(format!("{} more parts of the tags were cut or left out.", self.more_warnings));
        }
        (self.tags, self.markers, self.warnings)
    }
}

/// Returns the longest prefix of `text` of at most `bytes` bytes, cut between characters.
fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// Formats a size for display.
pub(super) fn mebibytes(bytes: usize) -> String {
    if bytes < 1 << 20 { format!("{} KiB", bytes >> 10) } else { format!("{} MiB", bytes >> 20) }
}
