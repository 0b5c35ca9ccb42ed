//! Title, artist and the like, and cover pictures: read from any format, written into WAV and FLAC.

mod read;
mod write;

pub use read::limits;
pub(crate) use read::read;
#[cfg(feature = "mp3")]
pub(crate) use write::id3;
pub use write::write;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a file says about itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct Tags {
    /// Text by field, named as Vorbis comments are: `TITLE`, `ARTIST`, `TRACKNUMBER`. Several values of one field are
    /// joined by `"; "`.
    pub items: BTreeMap<String, String>,
    /// Cover and other pictures.
    pub pictures: Vec<Picture>,
}

/// A picture in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Picture {
    /// Its media type: `image/jpeg`.
    pub mime: String,
    /// What it shows, by the number that `ID3v2` and FLAC give it: 3 is the front cover.
    pub kind: u8,
    /// The file of the picture. It does not travel as JSON.
    #[serde(skip)]
    #[ts(skip)]
    pub data: Vec<u8>,
}

impl Tags {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty() && self.pictures.is_empty()
    }
}
