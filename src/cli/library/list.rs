//! `undertone library list`: lists all tracks, or those that match a query.

use serde_json::json;

use super::arguments::List;
use super::question;
use crate::cli::Outcome;
use crate::cli::output::Output;
use crate::cli::time::text_from_seconds;
use crate::error::Result;
use crate::features::dimensions::index_of;
use crate::library::list::columns::sort_key;
use crate::library::{Library, SortKey, TrackRow};

pub fn run(words: &List, library: &Library, output: &Output) -> Result<Outcome> {
    let query = question(&words.query, output)?;
    let sort = match &words.sort {
        Some(name) => sort_key(name, words.descending)?,
        None => SortKey::up("path"),
    };
    let page = library.tracks(&query, &[sort], 0, words.limit.unwrap_or(usize::MAX))?;
    if output.is_json() {
        output.json(&json!({ "total": page.total, "tracks": page.rows }))?;
        return Ok(Outcome::Done);
    }
    for row in &page.rows {
        output.line(&line(row));
    }
    output.note(&format!("{} of {} tracks", page.rows.len(), page.total));
    Ok(Outcome::Done)
}

/// Formats a row: number, length or state, tempo, key and loudness in columns, then path, artist and title.
pub fn line(row: &TrackRow) -> String {
    let feature = |name| index_of(name).and_then(|index| row.features.get(index).copied().flatten());
    let number = |value: Option<f64>, unit: &str| value.map_or(String::new(), |value| format!("{value:.1} {unit}"));
    let state = serde_json::to_value(row.state).ok().and_then(|state| state.as_str().map(str::to_owned));
    let length = match (row.duration_s, state.as_deref()) {
        (Some(seconds), Some("done")) => text_from_seconds(seconds),
        (_, state) => state.unwrap_or_default().to_owned(),
    };
    let title = match (&row.artist, &row.title) {
        (Some(artist), Some(title)) => format!("  {artist} - {title}"),
        (None, Some(title)) => format!("  {title}"),
        _ => String::new(),
    };
    format!(
        "{:>6} {length:>12} {:>10} {:>4} {:>11}  {}{title}",
        row.id,
        number(feature("tempo_bpm"), "BPM"),
        row.key.as_deref().unwrap_or_default(),
        number(feature("loudness_lufs"), "LUFS"),
        row.path,
    )
}
