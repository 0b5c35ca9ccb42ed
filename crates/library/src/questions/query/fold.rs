//! Folds case and accents, so that `bjork` finds `Björk` and `BJÖRK`.

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The name of [`fold`] in SQL.
pub(super) const SQL_NAME: &str = "undertone_fold";

/// Returns a text in lower case without accents: Unicode's compatibility decomposition (NFKD) without combining marks,
/// each character in lower case, and `ß` as `ss`.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let lower = text.nfkd().filter(|&c| !is_combining_mark(c)).flat_map(char::to_lowercase);
    // Lower case may add combining marks (a dotted capital I), which are removed as well.
    lower.filter(|&c| !is_combining_mark(c)).fold(String::with_capacity(text.len()), |mut folded, c| {
        if c == 'ß' {
            folded.push_str("ss");
        } else {
            folded.push(c);
        }
        folded
    })
}

/// Registers the function that conditions use with a connection. It maps NULL to NULL.
pub fn add_functions(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function(SQL_NAME, 1, flags, |context| Ok(context.get_raw(0).as_str_or_null()?.map(fold)))
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn case_and_accents_do_not_count() {
        for (text, folded) in [
            ("BJÖRK", "bjork"),
            ("Bjo\u{308}rk", "bjork"),
            ("Sigur Rós", "sigur ros"),
            ("Straße", "strasse"),
            ("Дельфин Й", "дельфин и"),
            ("ﬁne", "fine"),
            ("İstanbul", "istanbul"),
            ("東京事変", "東京事変"),
        ] {
            assert_eq!(fold(text), folded);
            assert_eq!(fold(folded), folded);
        }
    }
}
