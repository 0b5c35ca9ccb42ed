//! Musical keys in common notations.

use std::fmt;

/// Tonics, first with sharps, then the alternative spelling.
const TONICS: [[&str; 2]; 12] = [
    ["C", "C"],
    ["C#", "Db"],
    ["D", "D"],
    ["D#", "Eb"],
    ["E", "E"],
    ["F", "F"],
    ["F#", "Gb"],
    ["G", "G"],
    ["G#", "Ab"],
    ["A", "A"],
    ["A#", "Bb"],
    ["B", "Cb"],
];

/// A major or minor key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    tonic: u8,
    minor: bool,
}

impl Key {
    /// Returns all 24 keys.
    pub fn all() -> impl Iterator<Item = Self> {
        [false, true].into_iter().flat_map(|minor| (0..12).map(move |tonic| Self { tonic, minor }))
    }

    /// Parses `Am`, `F#`, `Eb minor`, `C maj`, or a code of the Camelot wheel such as `8A`.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        Self::camelot(text).or_else(|| Self::named(text))
    }

    fn named(text: &str) -> Option<Self> {
        let mut rest = text.chars();
        let natural = match rest.next()?.to_ascii_uppercase() {
            'C' => 0,
            'D' => 2,
            'E' => 4,
            'F' => 5,
            'G' => 7,
            'A' => 9,
            'B' => 11,
            _ => return None,
        };
        let (shift, mode) = match rest.clone().next() {
            Some('#' | '♯') => (1, rest.as_str().split_at(rest.next()?.len_utf8()).1),
            Some('b' | '♭') => (11, rest.as_str().split_at(rest.next()?.len_utf8()).1),
            _ => (0, rest.as_str()),
        };
        let mode = mode.trim();
        let minor = match mode {
            "" | "M" => false,
            "m" => true,
            _ => match mode.to_ascii_lowercase().as_str() {
                "maj" | "major" => false,
                "min" | "minor" => true,
                _ => return None,
            },
        };
        Some(Self { tonic: (natural + shift) % 12, minor })
    }

    /// Parses a Camelot code. The wheel is ordered by fifths: 8A is A minor, 8B is C major.
    fn camelot(text: &str) -> Option<Self> {
        let digits = text.strip_suffix(['a', 'A', 'b', 'B'])?;
        let hour: u32 = digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())??;
        let minor = text.ends_with(['a', 'A']);
        (1..=12).contains(&hour).then(|| {
            let tonic = ((if minor { 9 } else { 0 }) + 7 * (hour + 4)) % 12;
            Self { tonic: tonic as u8, minor }
        })
    }

    /// Returns the steps from one key to another: those on the wheel of fifths, where a key and its relative share a
    /// place, at most 6; plus one between major and minor.
    pub fn steps_to(self, other: Self) -> u8 {
        // Relative keys share the tonic of the major one, three half tones above the minor one; seven are a fifth.
        let hour = |key: Self| (key.tonic + if key.minor { 3 } else { 0 }) * 7 % 12;
        let steps = (hour(self) + 12 - hour(other)) % 12;
        steps.min(12 - steps) + u8::from(self.minor != other.minor)
    }

    /// Returns every spelling under which the key may occur in tags, folded.
    pub(super) fn spellings(self) -> Vec<String> {
        let [sharp, flat] = TONICS[usize::from(self.tonic)];
        let tonics = if sharp == flat { vec![sharp] } else { vec![sharp, flat] };
        let modes: &[&str] = if self.minor { &["m", " minor", " min", "min"] } else { &["", " major", " maj", "maj"] };
        tonics.iter().flat_map(|t| modes.iter().map(move |m| format!("{t}{m}").to_ascii_lowercase())).collect()
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", TONICS[usize::from(self.tonic)][0], if self.minor { "m" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::Key;

    #[test]
    fn keys_are_read_as_people_write_them() {
        for (text, printed) in [
            ("Am", "Am"),
            ("a minor", "Am"),
            ("A", "A"),
            ("AM", "A"),
            ("8A", "Am"),
            ("8b", "C"),
            ("12A", "C#m"),
            ("1A", "G#m"),
            ("5B", "D#"),
            ("Bb", "A#"),
            ("bbm", "A#m"),
            ("G♭ Major", "F#"),
            ("Cb", "B"),
            ("E#", "F"),
            ("F# min", "F#m"),
        ] {
            assert_eq!(Key::read(text).map(|key| key.to_string()).as_deref(), Some(printed), "{text}");
        }
        for wrong in ["", "H", "13A", "0B", "Amm", "A#b", "A blue", "♯", "99999999999A", "é"] {
            assert_eq!(Key::read(wrong), None, "{wrong}");
        }
        for (one, other, steps) in [
            ("Am", "Am", 0),
            ("Am", "C", 1),
            ("Am", "Em", 1),
            ("C", "F", 1),
            ("8A", "9B", 2),
            ("C", "F#", 6),
            ("C", "Cm", 4),
        ] {
            let [one, other] = [one, other].map(|text| Key::read(text).unwrap());
            assert_eq!((one.steps_to(other), other.steps_to(one)), (steps, steps), "{one} {other}");
        }
        assert_eq!(Key::all().count(), 24);
        assert!(Key::all().all(|key| Key::read(&key.to_string()) == Some(key)));
        for key in Key::all() {
            let read: Vec<Option<Key>> = key.spellings().iter().map(|spelling| Key::read(spelling)).collect();
            assert!(read.iter().all(|read| *read == Some(key)), "{key}: {:?}", key.spellings());
        }
    }
}
