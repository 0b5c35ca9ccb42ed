//! The settings of separation into stems.

use serde::{Deserialize, Deserializer, Serialize};

use crate::stems::ResidualUse;
use base::declared::TS;
use base::stem::StemKind;

/// How recordings are separated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct StemsWish {
    /// The handle of the model.
    pub model: String,
    /// The requested stems, all from one of the model's sets.
    pub stems: Vec<StemKind>,
    /// How to use the residual, which is the recording without the requested stems.
    pub residual: ResidualUse,
    /// One of the model's qualities; null for its default, and for a model without a choice.
    pub quality: Option<String>,
}

impl Default for StemsWish {
    fn default() -> Self {
        Self {
            model: "quick".to_owned(),
            stems: vec![StemKind::Voice, StemKind::Accompaniment],
            residual: ResidualUse::LeftOut,
            quality: None,
        }
    }
}

/// The settings of separating.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct StemsSettings {
    /// The settings of the last separation.
    #[serde(deserialize_with = "known_wish")]
    pub wish: StemsWish,
    /// The limit of the disk cache for separated recordings in MiB; 0 keeps none.
    pub cache_mib: u32,
}

impl StemsSettings {
    /// The greatest limit of the cache in MiB.
    pub const MAX_CACHE_MIB: u32 = 1 << 20;
}

impl Default for StemsSettings {
    fn default() -> Self {
        Self { wish: StemsWish::default(), cache_mib: 4096 }
    }
}

/// Reads a wish. A wish of a later version, with stems that are not known here, becomes the default.
fn known_wish<'de, D: Deserializer<'de>>(from: D) -> Result<StemsWish, D::Error> {
    let stored = serde_json::Value::deserialize(from)?;
    Ok(serde_json::from_value(stored).unwrap_or_default())
}
