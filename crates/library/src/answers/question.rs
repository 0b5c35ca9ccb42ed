//! Converts query text to a library query, and finds the tracks that a question is about.

use std::collections::HashSet;

use crate::questions::query::{Query, field, nearest_name};
use crate::{Library, SortKey, TrackQuery, list};
use base::error::{Error, NotationError, Result};

/// The tracks that a question is about: those that match a query, or some of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrackScope {
    /// The query.
    pub query: TrackQuery,
    /// The IDs to which the tracks are limited; `None` for all tracks that match.
    pub only: Option<HashSet<i64>>,
}

impl TrackScope {
    /// Returns the IDs of the tracks in this order.
    pub fn ids(&self, library: &Library, sort: &[SortKey]) -> Result<Vec<i64>> {
        let ids = library.track_ids(&self.query, sort)?;
        let is_in = |id: &i64| self.only.as_ref().is_none_or(|only| only.contains(id));
        Ok(ids.iter().copied().filter(is_in).collect())
    }
}

impl From<TrackQuery> for TrackScope {
    fn from(query: TrackQuery) -> Self {
        Self { query, only: None }
    }
}

/// Parses a query; empty text matches every track.
pub fn track_query(text: &str) -> Result<TrackQuery, NotationError> {
    let query: Query = text.parse()?;
    if query.is_all() {
        return Ok(TrackQuery::default());
    }
    Ok(TrackQuery { text: String::new(), filter: Some(query) })
}

/// Returns the sort key for a column, given by the column's name or a field's name.
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
