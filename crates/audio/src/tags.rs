//! Tags (title, artist and others) and cover pictures. They are read from every format and written to every format
//! that can be exported.

mod change;
mod edit;
mod musical_key;
mod processing;
mod read;
mod rules;
mod write;

pub use change::{CoverChange, TagChanges};
pub use edit::{EditedTag, TagFormat, edit};
pub use processing::{ChangedTag, Processing, in_words};
pub use read::limits;
pub(crate) use read::read;
pub use rules::{Becomes, RULES, TagCause, TagRule};
pub use write::write;
pub(crate) use write::{flac_comments, id3, only_in_id3, rounded_tempo};

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use base::declared::TS;

/// The tags of a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct Tags {
    /// Text by field. Fields are named as in Vorbis comments: `TITLE`, `ARTIST`, `TRACKNUMBER`. Several values of one
    /// field are joined by `"; "`.
    pub items: BTreeMap<String, String>,
    /// The cover and other pictures.
    pub pictures: Vec<Picture>,
}

/// A picture stored in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Picture {
    /// The media type, for example `image/jpeg`.
    pub mime: String,
    /// The picture type, by the numbers of `ID3v2` and FLAC; 3 is the front cover.
    pub kind: u8,
    /// The bytes of the picture file. They are not serialised.
    #[serde(skip)]
    #[ts(skip)]
    pub data: Vec<u8>,
}

impl Tags {
    /// Returns whether there are neither fields nor pictures.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty() && self.pictures.is_empty()
    }
}
