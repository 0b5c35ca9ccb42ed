//! The kinds of stems of recordings.

use serde::{Deserialize, Serialize};

use crate::declared::TS;
use crate::error::{Error, Result};

/// The contents of a track that is a stem of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum StemKind {
    /// The singing or speaking voice.
    Voice,
    /// The singing voice, as networks for songs call it.
    Vocals,
    /// The drums.
    Drums,
    /// The bass.
    Bass,
    /// The guitar.
    Guitar,
    /// The piano.
    Piano,
    /// The sound that belongs to none of the other instruments.
    Other,
    /// All but the voice.
    Accompaniment,
    /// Sounds that last.
    Tones,
    /// Sounds that do not last.
    Hits,
    /// The sound that both channels have in common.
    Centre,
    /// The sound that stands to the left or right.
    Sides,
    /// The recording less the other stems.
    Residual,
}

impl StemKind {
    /// All contents, in the order of their tracks.
    pub const ALL: [Self; 13] = [
        Self::Voice,
        Self::Vocals,
        Self::Drums,
        Self::Bass,
        Self::Guitar,
        Self::Piano,
        Self::Other,
        Self::Accompaniment,
        Self::Tones,
        Self::Hits,
        Self::Centre,
        Self::Sides,
        Self::Residual,
    ];

    /// Returns the name that is used in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Voice => "voice",
            Self::Vocals => "vocals",
            Self::Drums => "drums",
            Self::Bass => "bass",
            Self::Guitar => "guitar",
            Self::Piano => "piano",
            Self::Other => "other",
            Self::Accompaniment => "accompaniment",
            Self::Tones => "tones",
            Self::Hits => "hits",
            Self::Centre => "centre",
            Self::Sides => "sides",
            Self::Residual => "residual",
        }
    }

    /// Returns the kind of that name.
    pub fn named(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name);
            Error::invalid("stem", name, format!("one of {}", names.join(", ")))
        })
    }

    /// Returns the index of the colour of such a track, among the colours of tracks. Contents that occur together
    /// differ.
    pub const fn colour(self) -> u8 {
        match self {
            Self::Other => 0,
            Self::Residual => 1,
            Self::Guitar => 2,
            Self::Drums | Self::Hits => 3,
            Self::Accompaniment | Self::Sides => 4,
            Self::Bass | Self::Tones => 5,
            Self::Voice | Self::Vocals | Self::Centre => 6,
            Self::Piano => 7,
        }
    }

    /// Whether it is a voice.
    pub const fn is_voice(self) -> bool {
        matches!(self, Self::Voice | Self::Vocals)
    }
}
