//! Completion of a query while it is typed.

use serde::Serialize;

use base::declared::TS;

use super::fields::{Field, Kind, field, fields};
use super::{Key, fold};

/// The possible replacements for a part of the text.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Completions {
    /// Start of the part, in bytes.
    pub start: usize,
    /// End of the part, in bytes.
    pub end: usize,
    /// The completions, best first.
    pub items: Vec<Completion>,
    /// A text column whose values also fit if they begin with the part. They come from the database.
    pub values_of: Option<&'static str>,
}

/// A completion of a query.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(rename = "QueryCompletion")]
pub struct Completion {
    /// The text to insert.
    pub text: String,
    /// An example with its unit.
    pub example: String,
    /// The meaning.
    pub help: String,
}

/// Returns the completions at the cursor, a byte offset: field names at the beginning of a word, values after a colon.
pub fn complete(text: &str, cursor: usize) -> Completions {
    let cursor = text.floor_char_boundary(cursor);
    let before = &text[..cursor];
    let (word_start, quote) = word_start(before);
    let dashes = before[word_start..].len() - before[word_start..].trim_start_matches('-').len();
    let start = word_start + dashes;
    let word = &before[start..];
    let Some((name, value)) = word.split_once(':') else {
        return Completions { start, end: cursor, items: names(word), values_of: None };
    };
    let value_start = start + name.len() + 1;
    let begins = || value_start + value.rfind([',', '=', '"']).map_or(0, |at| at + 1);
    let start = quote.map_or_else(begins, |at| at + 1);
    let typed = fold(&before[start..]);
    let Some(field) = field(name) else {
        return Completions { start, end: cursor, items: Vec::new(), values_of: None };
    };
    let values_of = matches!(field.kind, Kind::Text).then_some(field.column);
    Completions { start, end: cursor, items: values(field, &typed), values_of }
}

/// Returns the start of the last word, and the position of its quote if that is not closed. A quoted text is one word.
fn word_start(before: &str) -> (usize, Option<usize>) {
    let (mut start, mut quote, mut is_escaped) = (0, None, false);
    for (at, c) in before.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if quote.is_some() => is_escaped = true,
            '"' => quote = if quote.is_none() { Some(at) } else { None },
            c if quote.is_none() && (c.is_whitespace() || matches!(c, '(' | ')' | '|')) => start = at + c.len_utf8(),
            _ => {}
        }
    }
    (start, quote)
}

fn names(typed: &str) -> Vec<Completion> {
    let typed = fold(typed);
    let rank = |field: &Field| {
        let by_name = field.name.starts_with(&typed);
        let by_other = || field.aliases.iter().any(|alias| alias.starts_with(&typed));
        if by_name { Some(0) } else { by_other().then_some(1) }
    };
    let mut ranked: Vec<(usize, &Field)> = fields().iter().filter_map(|field| Some((rank(field)?, field))).collect();
    ranked.sort_by_key(|&(rank, _)| rank);
    let item = |field: &Field| {
        let unit = if matches!(field.unit, "" | "1") { String::new() } else { format!(" ({})", field.unit) };
        Completion {
            text: format!("{}:", field.name),
            example: field.example.to_owned(),
            help: format!("{}{unit}", field.help),
        }
    };
    ranked.into_iter().map(|(_, field)| item(field)).collect()
}

fn values(field: &Field, typed: &str) -> Vec<Completion> {
    let mut all: Vec<(String, String)> = match field.kind {
        Kind::Choice(options) => options.iter().map(|&option| (option.to_owned(), field.help.to_owned())).collect(),
        Kind::Key => Key::all().map(|key| (key.to_string(), field.help.to_owned())).collect(),
        _ => Vec::new(),
    };
    all.push(("none".to_owned(), "without a value".to_owned()));
    all.push(("any".to_owned(), "with any value".to_owned()));
    all.retain(|(value, _)| fold(value).starts_with(typed));
    all.into_iter().map(|(text, help)| Completion { example: format!("{}:{text}", field.name), text, help }).collect()
}
