//! The causes that make each tag false, and how it is then treated: one table for everything that writes files.

use serde::{Deserialize, Serialize};

use base::declared::TS;

/// A change to a recording that can make one of its tags false.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum TagCause {
    /// The level changes, or the sound is filtered.
    Level,
    /// Parts are left out, added, moved or played backwards.
    Cut,
    /// Other sound is in it, or only a part of its sounds: a mix, an insertion, a stem.
    Mixed,
    /// The tempo changes.
    Tempo,
    /// The pitch changes.
    Pitch,
    /// The channels change.
    Channels,
    /// The samples are encoded anew.
    Encoding,
}

impl TagCause {
    /// All causes.
    pub const ALL: [Self; 7] =
        [Self::Level, Self::Cut, Self::Mixed, Self::Tempo, Self::Pitch, Self::Channels, Self::Encoding];

    /// Returns the cause in words: "the level changes".
    pub const fn words(self) -> &'static str {
        match self {
            Self::Level => "the level changes",
            Self::Cut => "the recording is cut",
            Self::Mixed => "other sound is in it",
            Self::Tempo => "the tempo changes",
            Self::Pitch => "the pitch changes",
            Self::Channels => "the channels change",
            Self::Encoding => "it is encoded anew",
        }
    }
}

/// The treatment of a tag that is false.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Becomes {
    /// It is left out.
    LeftOut,
    /// A number that is multiplied with the tempo; left out if it is none, or if the tempo changes from place to place.
    Scaled,
    /// A key that is transposed; left out if it is none, or if the pitch does not change by whole semitones everywhere.
    Transposed,
}

/// The rule for some tags. Tags without a rule are kept.
#[derive(Debug)]
pub struct TagRule {
    /// The subject of the tags.
    pub about: &'static str,
    /// Their names. A `*` at the end stands for anything; case, spaces, `_` and `-` do not matter.
    pub names: &'static [&'static str],
    /// Whether the rule is only for texts that contain times, such as `[01:12.30]`.
    pub only_timed: bool,
    /// The causes that make them false.
    pub causes: &'static [TagCause],
    /// Their treatment when they are false.
    pub becomes: Becomes,
    /// Why.
    pub why: &'static str,
}

use TagCause::{Channels, Cut, Encoding, Level, Mixed, Pitch, Tempo};

const PLAIN: TagRule =
    TagRule { about: "", names: &[], only_timed: false, causes: &[], becomes: Becomes::LeftOut, why: "" };

/// The rules. The first one with a tag's name counts.
pub static RULES: [TagRule; 10] = [
    TagRule {
        about: "Gains and levels",
        names: &["REPLAYGAIN_*", "R128_*", "ITUNNORM", "DYNAMIC RANGE*", "ALBUM DYNAMIC RANGE*"],
        causes: &[Level, Cut, Mixed, Channels],
        why: "They were measured on other samples; an album's on all of its tracks.",
        ..PLAIN
    },
    TagRule {
        about: "Tempo",
        names: &["BPM", "TBPM", "FBPM", "TEMPO"],
        causes: &[Tempo],
        becomes: Becomes::Scaled,
        why: "Half the length is twice the tempo.",
        ..PLAIN
    },
    TagRule {
        about: "Key",
        names: &["INITIALKEY", "KEY", "TKEY"],
        causes: &[Pitch],
        becomes: Becomes::Transposed,
        why: "Names such as F#m, and codes such as 8A (Camelot) and 1m (Open Key), in the notation that they have.",
        ..PLAIN
    },
    TagRule {
        about: "Identity of the recording",
        names: &["ISRC", "MUSICBRAINZ_TRACKID", "MUSICBRAINZ_RELEASETRACKID", "ACOUSTID_ID", "MUSICIP_PUID"],
        causes: &[Cut, Mixed, Tempo, Pitch],
        why: "An edit is another recording (ISRC Handbook; MusicBrainz style for recordings); a change of level is not.",
        ..PLAIN
    },
    TagRule {
        about: "Fingerprints",
        names: &["ACOUSTID_FINGERPRINT", "MUSICIP_FINGERPRINT", "FINGERPRINT"],
        causes: &[Level, Cut, Mixed, Tempo, Pitch, Channels],
        why: "They describe the sound as it was.",
        ..PLAIN
    },
    TagRule {
        about: "Times",
        names: &["LENGTH", "TLEN", "DURATION", "CUESHEET", "SYNCEDLYRICS"],
        causes: &[Cut, Mixed, Tempo],
        why: "Their times are those of the recording as it was. Markers are moved, and are no tags.",
        ..PLAIN
    },
    TagRule {
        about: "Lyrics with times",
        names: &["LYRICS", "UNSYNCEDLYRICS"],
        only_timed: true,
        causes: &[Cut, Mixed, Tempo],
        why: "Lyrics without times are kept.",
        ..PLAIN
    },
    TagRule {
        about: "Analysis by programs for DJs",
        names: &["SERATO_*", "TRAKTOR*", "BEATGRID*", "CUEPOINTS"],
        causes: &[Level, Cut, Mixed, Tempo, Pitch],
        why: "Gains, beats, cue points and pictures of the sound as it was.",
        ..PLAIN
    },
    TagRule {
        about: "Encoder, file and checksums",
        names: &[
            "ENCODER",
            "ENCODER_OPTIONS",
            "ENCODERSETTINGS",
            "ENCODED_BY",
            "ENCODING",
            "ENCODINGTIME",
            "ENCODINGTOOL",
            "TSSE",
            "TENC",
            "TDEN",
            "MP3GAIN_*",
            "ITUNSMPB",
            "ITUNPGAP",
            "MAJOR_BRAND",
            "MINOR_VERSION",
            "COMPATIBLE_BRANDS",
            "FILETYPE",
            "TFLT",
            "FILESIZE",
            "BITRATE",
            "SAMPLERATE",
            "BITDEPTH",
            "BITSPERSAMPLE",
            "CODEC",
            "MD5",
            "MD5SUM",
            "AUDIOMD5",
            "CRC",
            "CRC32",
            "ACCURATERIP*",
        ],
        causes: &[Encoding],
        why: "They are about the former file, its encoder and its samples. A copy with other markers keeps them.",
        ..PLAIN
    },
    TagRule {
        about: "Channels",
        names: &["CHANNEL_MASK", "CHANNELS"],
        causes: &[Channels],
        why: "They name the speakers of the former channels.",
        ..PLAIN
    },
];

/// Returns the rule for a tag, if it has one.
pub fn rule(name: &str, text: &str) -> Option<&'static TagRule> {
    let name = folded(name);
    let names_it = |pattern: &&str| match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(&folded(start)),
        None => name == folded(pattern),
    };
    RULES.iter().find(|rule| rule.names.iter().any(names_it) && (!rule.only_timed || has_times(text)))
}

/// Returns a name without what differs between spellings.
fn folded(name: &str) -> String {
    name.chars().filter(|character| !matches!(character, ' ' | '_' | '-')).flat_map(char::to_uppercase).collect()
}

/// Returns whether a line begins with a time in brackets, as in the LRC format.
fn has_times(text: &str) -> bool {
    text.lines().any(|line| {
        let time = line.trim_start().strip_prefix('[').and_then(|rest| rest.split_once(']')).map(|(time, _)| time);
        let parts = time.and_then(|time| time.split_once(':'));
        parts.is_some_and(|(minutes, seconds)| {
            let digits =
                |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
            digits(minutes) && digits(seconds)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_found_by_every_spelling_of_a_name() {
        let about = |name: &str| rule(name, "x").map(|rule| rule.about);
        for (name, found) in [
            ("REPLAYGAIN_TRACK_GAIN", Some("Gains and levels")),
            ("replaygain_album_peak", Some("Gains and levels")),
            ("R128_ALBUM_GAIN", Some("Gains and levels")),
            ("ALBUM DYNAMIC RANGE (R128)", Some("Gains and levels")),
            ("Acoustid Fingerprint", Some("Fingerprints")),
            ("ENCODED-BY", Some("Encoder, file and checksums")),
            ("ENCODEDBY", Some("Encoder, file and checksums")),
            ("initial key", Some("Key")),
            ("TITLE", None),
            ("MUSICBRAINZ_ALBUMID", None),
            ("KEYWORDS", None),
            ("LYRICS", None),
            ("", None),
        ] {
            assert_eq!(about(name), found, "{name}");
        }
        for timed in ["[00:12.00]Line", "Title\n  [1:02] Line", "[00:12.00] a\n[00:13.00] b"] {
            assert_eq!(rule("LYRICS", timed).map(|rule| rule.about), Some("Lyrics with times"), "{timed}");
        }
        for plain in ["[Chorus]", "[Verse 1: Name] Line", "at 1:02", "[:]", "[", ""] {
            assert!(rule("LYRICS", plain).is_none(), "{plain}");
        }
    }

    #[test]
    fn no_name_stands_twice() {
        let names: Vec<String> = RULES.iter().flat_map(|rule| rule.names).map(|name| folded(name)).collect();
        for (at, name) in names.iter().enumerate() {
            assert!(!names[..at].contains(name), "{name}");
        }
    }
}
