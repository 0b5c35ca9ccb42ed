//! The two racks of a document: one is active, the other is kept for comparison.

use serde::{Deserialize, Serialize};

use base::declared::TS;

use super::Document;

/// One of the two racks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum Rack {
    #[default]
    A,
    B,
}

impl Rack {
    /// Returns the other rack.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }

    /// Returns the letter of the rack.
    pub const fn letter(self) -> char {
        match self {
            Self::A => 'A',
            Self::B => 'B',
        }
    }
}

impl Document {
    /// Makes a rack the active one. Returns `false` if it already is.
    pub fn hear_rack(&mut self, rack: Rack) -> bool {
        if self.rack == rack {
            return false;
        }
        self.rack = rack;
        std::mem::swap(&mut self.chain, &mut self.resting);
        true
    }
}
