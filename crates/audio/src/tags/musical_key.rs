//! Transposes the text of a key in the notation that it has.

/// Names of pitch classes, with sharps and with flats.
const NAMES: [[&str; 12]; 2] = [
    ["C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"],
    ["C", "Db", "D", "Eb", "E", "F", "Gb", "G", "Ab", "A", "Bb", "B"],
];

/// The texts that may follow the name of a tonic.
const MODES: [&str; 12] =
    ["", "m", "min", "minor", "maj", "major", "dorian", "phrygian", "lydian", "mixolydian", "aeolian", "locrian"];

/// Returns the text of a key that is this many semitones higher: names such as `F#m`, `Bb` and `C minor`, codes of the
/// Camelot wheel such as `8A` and of Open Key such as `1m`; `o`, off key, stays (`ID3v2.4`, TKEY). `None` for any other
/// text.
pub(super) fn transposed(text: &str, semitones: i32) -> Option<String> {
    let text = text.trim();
    if text == "o" {
        return Some(text.to_owned());
    }
    code(text, semitones).or_else(|| named(text, semitones))
}

/// Both wheels go by fifths, seven semitones an hour, so that a semitone is seven hours.
fn code(text: &str, semitones: i32) -> Option<String> {
    let digits = text.strip_suffix(['A', 'B', 'a', 'b', 'm', 'd', 'M', 'D'])?;
    if !matches!(digits.len(), 1 | 2) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let hour: i32 = digits.parse().ok().filter(|hour| (1..=12).contains(hour))?;
    let hour = (hour - 1 + 7 * semitones.rem_euclid(12)) % 12 + 1;
    let width = if digits.starts_with('0') { 2 } else { 1 };
    Some(format!("{hour:0width$}{}", &text[digits.len()..]))
}

fn named(text: &str, semitones: i32) -> Option<String> {
    let mut rest = text.chars();
    let letter = rest.next()?;
    let natural = match letter.to_ascii_uppercase() {
        'C' => 0,
        'D' => 2,
        'E' => 4,
        'F' => 5,
        'G' => 7,
        'A' => 9,
        'B' => 11,
        _ => return None,
    };
    let (shift, is_flat, mode) = match rest.clone().next() {
        Some(sign @ ('#' | '♯')) => (1, false, &rest.as_str()[sign.len_utf8()..]),
        Some(sign @ ('b' | '♭')) => (-1, true, &rest.as_str()[sign.len_utf8()..]),
        _ => (0, false, rest.as_str()),
    };
    let plain = mode.trim_start_matches([' ', '-']);
    if plain != "M" && !MODES.contains(&plain.to_ascii_lowercase().as_str()) {
        return None;
    }
    let class = (natural + shift + semitones).rem_euclid(12) as usize;
    let name = NAMES[usize::from(is_flat)][class];
    let name = if letter.is_lowercase() { name.to_ascii_lowercase() } else { name.to_owned() };
    Some(format!("{name}{mode}"))
}

#[cfg(test)]
mod tests {
    use super::transposed;

    #[test]
    fn keys_are_transposed_in_their_notation() {
        for (text, semitones, expected) in [
            ("Am", 2, "Bm"),
            ("Am", -1, "G#m"),
            ("C", 1, "C#"),
            ("Bb", 2, "C"),
            ("Eb minor", -2, "Db minor"),
            ("F# maj", 1, "G maj"),
            ("G♭", 1, "G"),
            ("bbm", 1, "bm"),
            ("CM", 4, "EM"),
            ("B", 1, "C"),
            ("D-dorian", 12, "D-dorian"),
            ("E", -24, "E"),
            // A minor is 8A and 1m, C minor 5A and 10m; B major is 1B; F major is 12d, C major 1d.
            ("8A", 3, "5A"),
            ("8b", -1, "1b"),
            ("08A", 3, "05A"),
            ("1m", 3, "10m"),
            ("12d", 7, "1d"),
            ("12A", 12, "12A"),
            ("o", 5, "o"),
        ] {
            assert_eq!(transposed(text, semitones).as_deref(), Some(expected), "{text} {semitones}");
        }
        for wrong in ["", "H", "13A", "0B", "A blue", "Good", "♯", "é", "99999999999A", "1", "A#b", "unknown"] {
            assert_eq!(transposed(wrong, 1), None, "{wrong}");
        }
    }

    #[test]
    fn both_wheels_and_the_names_agree() {
        let names = ["Am", "Em", "Bm", "F#m", "C#m", "G#m", "D#m", "A#m", "Fm", "Cm", "Gm", "Dm"];
        for semitones in -12..=12 {
            let to = |text: &str| transposed(text, semitones).unwrap();
            let place = names.iter().position(|name| *name == to("Am")).unwrap();
            assert_eq!(to("1m"), format!("{}m", place + 1));
            assert_eq!(to("8A"), format!("{}A", (place + 7) % 12 + 1));
        }
    }
}
