//! Converts query text to a library query.

use crate::error::{Error, NotationError, Result};
use crate::library::questions::query::{Query, field, nearest_name};
use crate::library::{SortKey, TrackQuery, list};

/// Parses a query; empty text matches every track.
///
/// # Errors
/// Returns what is wrong with the text, and where.
pub fn track_query(text: &str) -> Result<TrackQuery, NotationError> {
    let query: Query = text.parse()?;
    if query.is_all() {
        return Ok(TrackQuery::default());
    }
    Ok(TrackQuery { text: String::new(), filter: Some(query) })
}

/// Returns the sort key for a column, given by its own name or a field's name.
///
/// # Errors
/// Returns [`Error::Impossible`] with all names and the nearest one.
pub fn sort_key(name: &str, descending: bool) -> Result<SortKey> {
    let column = field(name).map_or(name, |field| field.column);
    if list::columns().any(|known| known == column) {
        return Ok(SortKey { column: column.to_owned(), descending });
    }
    let nearest = nearest_name(name, list::columns());
    let nearest = nearest.map_or(String::new(), |name| format!(" Did you mean `{name}`?"));
    let allowed = list::columns().collect::<Vec<_>>().join(", ");
    Err(Error::impossible(format!("There is no field `{name}` to sort by. The fields: {allowed}.{nearest}")))
}
