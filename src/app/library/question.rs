//! A query's text as the library's question.

use crate::error::{Error, NotationError, Result};
use crate::library::questions::query::{FreeText, Query, Value, field, nearest_name};
use crate::library::{Filter, SortKey, TrackQuery, list};

/// The question of a query's text; an empty one asks for every track.
///
/// # Errors
/// What is wrong with the text, and where.
pub fn track_query(text: &str) -> Result<TrackQuery, NotationError> {
    let query: Query = text.parse()?;
    if query.is_all() {
        return Ok(TrackQuery::default());
    }
    let condition = query.condition(FreeText::Index);
    let value = |value| match value {
        Value::Real(real) => rusqlite::types::Value::Real(real),
        Value::Text(text) => rusqlite::types::Value::Text(text),
    };
    let values = condition.values.into_iter().map(value).collect();
    Ok(TrackQuery { text: String::new(), filter: Some(Filter { sql: condition.sql, values }) })
}

/// The column to sort by that is called by a field's name or its own.
///
/// # Errors
/// [`Error::Invalid`] with all names and the nearest.
pub fn sort_key(name: &str, descending: bool) -> Result<SortKey> {
    let column = field(name).map_or(name, |field| field.column);
    if list::columns().any(|known| known == column) {
        return Ok(SortKey { column: column.to_owned(), descending });
    }
    let nearest = nearest_name(name, list::columns());
    let nearest = nearest.map_or(String::new(), |name| format!("; did you mean `{name}`?"));
    let allowed = list::columns().collect::<Vec<_>>().join(", ");
    Err(Error::invalid("field to sort by", format!("`{name}`"), format!("{allowed}{nearest}")))
}
