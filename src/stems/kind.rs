//! The kinds of stems.

use serde::Serialize;

use crate::error::{Error, Result};

/// What a stem contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StemKind {
    /// The singing or speaking voice.
    Voice,
    /// All but the voice.
    Accompaniment,
    /// Sounds that last: harmonics, pads, basses.
    Tones,
    /// Sounds that do not last: drums, attacks, consonants.
    Hits,
    /// What both channels have in common, in the middle between left and right.
    Centre,
    /// What stands to the left or right, or comes from all around.
    Sides,
    /// The singing voice, by a network.
    Vocals,
    /// Drums and other percussion.
    Drums,
    /// The bass.
    Bass,
    /// All that has no stem of its own, by a network.
    Other,
    /// Guitars.
    Guitar,
    /// Pianos.
    Piano,
    /// What the other stems leave of the input.
    Residual,
}

impl StemKind {
    /// All kinds.
    pub const ALL: [Self; 13] = [
        Self::Voice,
        Self::Accompaniment,
        Self::Tones,
        Self::Hits,
        Self::Centre,
        Self::Sides,
        Self::Vocals,
        Self::Drums,
        Self::Bass,
        Self::Other,
        Self::Guitar,
        Self::Piano,
        Self::Residual,
    ];

    /// Those that networks give, named as they name them.
    pub const OF_NETWORKS: [Self; 6] = [Self::Vocals, Self::Drums, Self::Bass, Self::Other, Self::Guitar, Self::Piano];

    /// Returns the name on the command line, in file names and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Voice => "voice",
            Self::Accompaniment => "accompaniment",
            Self::Tones => "tones",
            Self::Hits => "hits",
            Self::Centre => "centre",
            Self::Sides => "sides",
            Self::Vocals => "vocals",
            Self::Drums => "drums",
            Self::Bass => "bass",
            Self::Other => "other",
            Self::Guitar => "guitar",
            Self::Piano => "piano",
            Self::Residual => "residual",
        }
    }

    /// Returns the kind of that name.
    ///
    /// # Errors
    /// [`Error::Invalid`] with all names.
    pub fn named(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name);
            Error::invalid("stem", name, format!("one of {}", names.join(", ")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_kinds() {
        for kind in StemKind::ALL {
            assert_eq!(StemKind::named(kind.name()).unwrap(), kind);
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
        let message = StemKind::named("singer").unwrap_err().to_string();
        assert!(message.contains("singer") && message.contains("voice, accompaniment"), "{message}");
    }
}
