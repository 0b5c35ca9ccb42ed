//! Text as a terminal may show it. Names of files, tags and messages come from strangers: an escape sequence in them
//! would move the cursor, change colours or worse, and a line break would look like a line of ours.

use std::borrow::Cow;
use std::fmt::Write;

/// `text` with control characters and those that change the direction of writing as escapes: `\u{1b}`, `\n`. What else
/// it has stays as it is.
pub fn shown(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_hidden(character) {
            // Writing to a string does not fail.
            let _ = match character {
                '\n' | '\r' | '\t' => write!(out, "{}", character.escape_default()),
                _ => write!(out, "{}", character.escape_unicode()),
            };
        } else {
            out.push(character);
        }
    }
    Cow::Owned(out)
}

/// Whether a character acts instead of being seen.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            // Marks, embeddings, overrides and isolates of direction (Unicode Standard Annex 9).
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            // Line and paragraph separators, deprecated format characters, the byte order mark, tags.
            | '\u{2028}' | '\u{2029}' | '\u{206a}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn what_acts_is_shown_as_an_escape() {
        for (text, expected) in [
            ("Björk: Jóga, 東京 \u{1f3b5}", "Björk: Jóga, 東京 \u{1f3b5}"),
            ("\u{1b}[31mred\u{1b}[0m", "\\u{1b}[31mred\\u{1b}[0m"),
            ("\u{1b}]0;title\u{7}", "\\u{1b}]0;title\\u{7}"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("a\r\nb\tc\0", "a\\r\\nb\\tc\\u{0}"),
            ("\u{202e}cod.exe\u{2066}", "\\u{202e}cod.exe\\u{2066}"),
            ("\u{7f}\u{85}\u{2028}", "\\u{7f}\\u{85}\\u{2028}"),
        ] {
            assert_eq!(shown(text), expected);
        }
    }
}
