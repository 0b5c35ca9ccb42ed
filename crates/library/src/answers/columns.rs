//! The columns of the library's table: name, unit, meaning.

use serde::Serialize;

use super::sort_key;
use crate::tracks::columns::{ColumnKind, all};
use crate::{SortKey, list};
use analysis::features::dimensions::unit_to_show;
use base::declared::TS;
use base::error::Result;

/// A column of the table.
#[derive(Clone, Debug, Serialize, TS)]
pub struct LibraryColumn {
    /// The name in queries and for sorting; a field of the row or a dimension.
    pub name: String,
    /// The unit of the values; empty if they have none.
    pub unit: String,
    /// The meaning of the values.
    pub meaning: String,
    /// Whether the values are numbers, usually sorted with the largest first.
    pub numeric: bool,
}

/// Columns that have another name in the window's rows, and what they hold there.
const RENAMED_COLUMNS: [(&str, &str, &str); 2] =
    [("file_name", "name", "the file's name"), ("path", "folder", "the folder that the file lies in")];

/// The default sort order.
const STANDARD: [&str; 5] = ["artist", "album", "disc_no", "track_no", "path"];

/// Returns all columns that the table can show and sort by.
pub fn columns() -> Vec<LibraryColumn> {
    list::columns().map(column).collect()
}

/// Whether a column of this name exists.
pub fn is_column(name: &str) -> bool {
    list::columns().any(|listed| shown_as(listed) == name)
}

/// Converts the window's sort order to the list's.
pub fn sort_keys(sort: &[SortKey]) -> Result<Vec<SortKey>> {
    if sort.is_empty() {
        return Ok(STANDARD.map(SortKey::up).to_vec());
    }
    let key = |by: &SortKey| match list::columns().find(|listed| shown_as(listed) == by.column) {
        Some(listed) => Ok(SortKey { column: listed.to_owned(), descending: by.descending }),
        None => sort_key(&by.column, by.descending),
    };
    sort.iter().map(key).collect()
}

fn shown_as(listed: &'static str) -> &'static str {
    RENAMED_COLUMNS.iter().find(|(name, ..)| *name == listed).map_or(listed, |(_, shown, _)| shown)
}

fn column(listed: &'static str) -> LibraryColumn {
    let renamed = RENAMED_COLUMNS.iter().find(|(name, ..)| *name == listed);
    let known = all().find(|column| column.name == listed);
    LibraryColumn {
        name: shown_as(listed).to_owned(),
        unit: known.map_or("", |column| unit_to_show(column.unit)).to_owned(),
        meaning: renamed
            .map(|(.., meaning)| *meaning)
            .or(known.map(|column| column.meaning))
            .unwrap_or_default()
            .to_owned(),
        numeric: known.is_some_and(|column| column.kind != ColumnKind::Text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_says_what_it_is() {
        let columns = columns();
        assert_eq!(columns.len(), list::columns().count());
        for column in &columns {
            assert!(!column.meaning.is_empty(), "{}", column.name);
        }
        let of = |name: &str| columns.iter().find(|column| column.name == name).expect("there");
        assert_eq!((of("rate_hz").unit.as_str(), of("rate_hz").numeric), ("Hz", true));
        assert_eq!((of("loudness_lufs").unit.as_str(), of("band_air").unit.as_str()), ("LUFS", ""));
        assert!(!of("title").numeric && of("added_at").numeric);
    }

    #[test]
    fn names_of_the_table_are_the_lists() {
        let by = |column: &str| [SortKey { column: column.into(), descending: true }];
        assert_eq!(sort_keys(&by("name")).unwrap(), [SortKey::down("file_name")]);
        assert_eq!(sort_keys(&by("folder")).unwrap(), [SortKey::down("path")]);
        assert_eq!(sort_keys(&by("bpm")).unwrap(), [SortKey::down("tempo_bpm")]);
        assert!(sort_keys(&by("mood")).is_err());
        assert_eq!(sort_keys(&[]).unwrap().len(), STANDARD.len());
    }
}
