//! Tags (title, artist and others) and cover pictures. They are read from every format and written to every format
//! that can be exported.

mod change;
mod chunks;
mod edit;
mod fields;
mod frame_map;
mod genres;
mod musical_key;
mod processing;
mod rating;
mod read;
mod rules;
mod tag_text;
mod write;

pub use change::{CoverChange, TagChanges};
pub use chunks::{CHUNKS, Chunk, ChunkContent, ChunkRow};
pub use edit::{EditedTag, TagFormat, edit};
pub use fields::{FIELDS, Field, Id3Place, TagKind, field};
pub use frame_map::{FrameMap, MapPiece};
pub use processing::{ChangedTag, Processing, in_words};
pub use read::limits;
pub(crate) use read::read;
pub use rules::{Becomes, RULES, TagCause, TagRule, rule};
pub use tag_text::TagText;
pub use write::{TagLimits, limits_of, write};
pub(crate) use write::{comments, flac_blocks, id3, riff_chunks, sound_chunks};

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use base::declared::TS;

/// The tags of a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct Tags {
    /// Text by field. Fields are named as in Vorbis comments: `TITLE`, `ARTIST`, `TRACKNUMBER`. Several values of one
    /// field read as one text, joined by `"; "`.
    #[ts(type = "{ [key in string]: string }")]
    pub items: BTreeMap<String, TagText>,
    /// The cover and other pictures.
    pub pictures: Vec<Picture>,
    /// The chunks of a WAV file about the recording. They are not serialised.
    #[serde(skip)]
    #[ts(skip)]
    pub chunks: Vec<Chunk>,
    /// What the file says of the recording in a form that no written file gets, in words: "the ID3 frame PRIV".
    #[serde(skip)]
    #[ts(skip)]
    pub not_kept: BTreeSet<String>,
}

/// A picture stored in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Picture {
    /// The media type, for example `image/jpeg`.
    pub mime: String,
    /// The picture type, by the numbers of `ID3v2` and FLAC; 3 is the front cover.
    pub kind: u8,
    /// The description; mostly empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[ts(as = "Option<String>", optional)]
    pub description: String,
    /// The bytes of the picture file. They are not serialised.
    #[serde(skip)]
    #[ts(skip)]
    pub data: Vec<u8>,
}

impl Tags {
    /// Returns whether there are neither fields nor pictures nor chunks.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty() && self.pictures.is_empty() && self.chunks.is_empty()
    }
}
