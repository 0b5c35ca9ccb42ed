//! Frequencies written as pitches: `A4`, `C#3`, `Eb2`, in equal temperament with A4 at 440 Hz.

/// The number of steps per hertz to which frequencies of pitches are rounded, so that they print shortly: 0.0001 Hz.
const STEPS: f64 = 1e4;

/// Returns the length in bytes of the pitch at the beginning of a text, 0 if there is none: a letter, `#` or `b`, and
/// an octave from -1 to 10.
pub(crate) fn pitch_length(text: &str) -> usize {
    let mut rest = text.chars();
    if !rest.next().is_some_and(|letter| matches!(letter.to_ascii_uppercase(), 'A'..='G')) {
        return 0;
    }
    let octave = rest.as_str().trim_start_matches(['#', '\u{266f}', 'b', '\u{266d}']);
    let accidental = rest.as_str().len() - octave.len();
    if rest.as_str()[..accidental].chars().count() > 1 {
        return 0;
    }
    let number = octave.strip_prefix('-').unwrap_or(octave);
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    let ends = !number[digits..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    if !(1..=2).contains(&digits) || !ends {
        return 0;
    }
    text.len() - number.len() + digits
}

/// Returns the frequency of a pitch such as `C#3`, to 0.0001 Hz. `None` for any other text.
pub(crate) fn hz_from_pitch(text: &str) -> Option<f64> {
    if text.is_empty() || pitch_length(text) != text.len() {
        return None;
    }
    let mut letters = text.chars();
    let natural = match letters.next()?.to_ascii_uppercase() {
        'C' => 0,
        'D' => 2,
        'E' => 4,
        'F' => 5,
        'G' => 7,
        'A' => 9,
        _ => 11,
    };
    let rest = letters.as_str();
    let octave = rest.trim_start_matches(['#', '\u{266f}', 'b', '\u{266d}']);
    let accidental = match rest[..rest.len() - octave.len()].chars().next() {
        Some('#' | '\u{266f}') => 1,
        Some(_) => -1,
        None => 0,
    };
    let octave: i32 = octave.parse().ok().filter(|octave| (-1..=10).contains(octave))?;
    let semitones = 12 * (octave - 4) + natural + accidental - 9;
    Some((440.0 * (f64::from(semitones) / 12.0).exp2() * STEPS).round() / STEPS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pitches_have_the_frequencies_of_equal_temperament() {
        for (text, hz) in [
            ("A4", 440.0),
            ("a4", 440.0),
            ("C4", 261.6256),
            ("C#3", 138.5913),
            ("C\u{266f}3", 138.5913),
            ("Db3", 138.5913),
            ("bb3", 233.0819),
            ("B3", 246.9417),
            ("A0", 27.5),
            ("A-1", 13.75),
            ("C10", 16_744.036_2),
        ] {
            assert_eq!(hz_from_pitch(text), Some(hz), "{text}");
        }
    }

    #[test]
    fn other_words_are_no_pitches() {
        for text in ["", "A", "H4", "A4x", "A44x", "A##4", "A-2", "A11", "4A", "A 4", "Ab", "A4#", "off", "gain"] {
            assert_eq!(hz_from_pitch(text), None, "{text}");
        }
        assert_eq!(pitch_length("C#3, 2)"), 3);
        assert_eq!(pitch_length("bass(2)"), 0);
    }
}
