//! Texts in CSV files that a spreadsheet must not take for formulas (OWASP, CSV Injection).

use std::borrow::Cow;

/// Returns whether a spreadsheet would interpret a text as a formula.
pub fn is_formula(text: &str) -> bool {
    // Some programs trim leading spaces, and accept the full-width forms as well.
    let first = text.trim_start_matches(' ').chars().next();
    first.is_some_and(|first| "=+-@\t\r\n\u{ff1d}\u{ff0b}\u{ff0d}\u{ff20}".contains(first))
}

/// Returns a text for a CSV file: behind an apostrophe if it would be a formula.
pub fn csv_text(text: &str) -> Cow<'_, str> {
    if is_formula(text) { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

/// Returns the text of a field written by [`csv_text`].
pub fn text_from_csv(field: &str) -> &str {
    field.strip_prefix('\'').filter(|text| is_formula(text)).unwrap_or(field)
}
