//! Shortens text from files before it is sent to the window.

use std::collections::BTreeMap;
use std::ops::Deref;

/// The most characters of a cell or a heading.
pub const ROW_CHARACTERS: usize = 300;
/// The most characters of one field on a detail page.
pub const PAGE_CHARACTERS: usize = 4000;
/// The most fields of a page.
const PAGE_FIELDS: usize = 200;

/// Returns `text`, or its first `characters - 1` characters and an ellipsis if it is longer than `characters`.
pub fn excerpt(text: &str, characters: usize) -> String {
    // A text has at most as many characters as bytes.
    if text.len() > characters
        && let Some((end, _)) = text.char_indices().nth(characters.saturating_sub(1))
        && text[end..].chars().nth(1).is_some()
    {
        return format!("{}…", &text[..end]);
    }
    text.to_owned()
}

/// Returns the first tags with shortened names and values, as a page shows them.
pub fn fields<T: Deref<Target = str>>(tags: &BTreeMap<String, T>) -> BTreeMap<String, String> {
    tags.iter()
        .take(PAGE_FIELDS)
        .map(|(name, value)| (excerpt(name, ROW_CHARACTERS), excerpt(value, PAGE_CHARACTERS)))
        .collect()
}

/// Returns the first warnings, shortened, as a page shows them.
pub fn warnings(warnings: &[String]) -> Vec<String> {
    warnings.iter().take(PAGE_FIELDS).map(|warning| excerpt(warning, PAGE_CHARACTERS)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_ends_with_an_ellipsis() {
        assert_eq!(excerpt("abc", 3), "abc");
        assert_eq!(excerpt("abcd", 3), "ab…");
        assert_eq!(excerpt("äöü", 3), "äöü");
        assert_eq!(excerpt("äöüß", 3), "äö…");
        assert_eq!(excerpt("", 3), "");
        assert_eq!(excerpt(&"a".repeat(1 << 20), ROW_CHARACTERS).chars().count(), ROW_CHARACTERS);
    }
}
