//! Two racks for one sound: one is heard and edited, the other waits to be compared with it.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

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
    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }

    /// Its letter.
    pub const fn letter(self) -> char {
        match self {
            Self::A => 'A',
            Self::B => 'B',
        }
    }
}

impl Document {
    /// Lets a rack be heard and edited; false where it is already.
    pub fn hear_rack(&mut self, rack: Rack) -> bool {
        if self.rack == rack {
            return false;
        }
        self.rack = rack;
        std::mem::swap(&mut self.chain, &mut self.resting);
        true
    }
}
