//! Escapes text for display on a terminal. File names, tags and messages are untrusted: an escape sequence in them
//! could move the cursor, change colours or worse, and a line break could imitate a line of this program's output.

use std::borrow::Cow;
use std::fmt::Write;

/// Returns `text` with control characters and bidirectional formatting characters escaped, such as `\u{1b}` and `\n`.
/// Everything else is unchanged.
pub fn shown(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_hidden(character) {
            // Writing to a string cannot fail.
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

/// Returns whether a character is invisible or acts on the terminal.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            // Bidirectional marks, embeddings, overrides and isolates (Unicode Standard Annex 9).
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
