//! Converts query text to a library query, and finds the tracks that a question is about.

use std::collections::HashSet;

use crate::questions::query::Query;
use crate::{Library, SortKey, TrackQuery};
use base::error::{NotationError, Result};

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
