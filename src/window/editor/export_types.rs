//! What crosses to the window about exports.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::window::workspace::types::CoverId;
use crate::work::cover::CoverView;
use base::declared::TS;

/// The tags of a recording before an export.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ExportTags {
    /// Text by field, named as in Vorbis comments.
    pub items: BTreeMap<String, String>,
    /// The cover; null if there is none.
    pub cover: Option<CoverView>,
}

/// The tags that an exported file has instead of the recording's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct TagEdits {
    /// Text by field, named as in Vorbis comments. An empty text removes the field. Other fields are kept.
    pub items: BTreeMap<String, String>,
    /// The edit of the cover.
    pub cover: CoverEdit,
    /// Whether the gain of the track is measured again on the written file; false if absent.
    #[serde(default)]
    #[ts(as = "Option<bool>", optional)]
    pub replay_gain: bool,
}

/// An edit of the cover.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CoverEdit {
    /// Keeps the cover and all other pictures.
    #[default]
    Keep,
    /// Removes all pictures.
    Remove,
    /// Replaces the cover by the chosen picture.
    Replace {
        /// The picture.
        cover: CoverId,
    },
}

/// A picture that the user chose as a cover.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ChosenCover {
    /// The handle.
    pub id: CoverId,
    /// The file name.
    pub name: String,
    /// The picture.
    pub view: CoverView,
}
