//! Text of files as the window gets it: no more than it shows.

use std::collections::BTreeMap;

/// Characters of a cell or a heading.
pub const ROW_CHARACTERS: usize = 300;
/// Characters of one field on a page of its own.
pub const PAGE_CHARACTERS: usize = 4000;
/// Fields of a page.
const PAGE_FIELDS: usize = 200;

/// `text`, or its first `characters` with an ellipsis as the last of them.
pub fn excerpt(text: &str, characters: usize) -> String {
    // As many bytes are as many characters at most.
    if text.len() > characters
        && let Some((end, _)) = text.char_indices().nth(characters.saturating_sub(1))
        && text[end..].chars().nth(1).is_some()
    {
        return format!("{}…", &text[..end]);
    }
    text.to_owned()
}

/// Tags as a page shows them: the first fields, each no longer than it is read.
pub fn fields(tags: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    tags.iter()
        .take(PAGE_FIELDS)
        .map(|(name, value)| (excerpt(name, ROW_CHARACTERS), excerpt(value, PAGE_CHARACTERS)))
        .collect()
}

/// Warnings as a page shows them.
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
