//! The columns that a list can be sorted by, and those of the window's table: their names, units and meanings.

use serde::Serialize;

use super::SortKey;
use crate::questions::query::{field, nearest_name};
use crate::tracks::columns::{ColumnKind, all};
use analysis::features::dimensions::unit_to_show;
use base::declared::TS;
use base::error::{Error, Result};

/// A column of the window's table.
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

/// The file name, which is not a stored column: it is the last component of the path.
pub(super) const FILE_NAME: &str = "file_name";

/// The first sortable columns.
const FIRST: [&str; 4] = ["id", "path", FILE_NAME, "state"];

/// Columns that have another name in the window's rows, and what they hold there.
const RENAMED: [(&str, &str, &str); 2] =
    [(FILE_NAME, "name", "the file's name"), ("path", "folder", "the folder that the file lies in")];

/// The default sort order of the window's table.
const STANDARD: [&str; 5] = ["artist", "album", "disc_no", "track_no", "path"];

/// Returns the names of all sortable columns.
pub fn names() -> impl Iterator<Item = &'static str> {
    FIRST.into_iter().chain(all().map(|column| column.name).filter(|name| !FIRST.contains(name)))
}

/// Returns the sort key for a column, given by the column's name or a field's name.
pub fn sort_key(name: &str, descending: bool) -> Result<SortKey> {
    let column = field(name).map_or(name, |field| field.column);
    if names().any(|known| known == column) {
        return Ok(SortKey { column: column.to_owned(), descending });
    }
    let nearest = nearest_name(name, names());
    let nearest = nearest.map_or(String::new(), |name| format!(" Did you mean `{name}`?"));
    let allowed = names().collect::<Vec<_>>().join(", ");
    Err(Error::impossible(format!("There is no field `{name}` to sort by. The fields: {allowed}.{nearest}")))
}

/// Returns all columns that the window's table can show and sort by.
pub fn shown() -> Vec<LibraryColumn> {
    names().map(column).collect()
}

/// Whether the window's table has a column of this name.
pub fn is_shown(name: &str) -> bool {
    names().any(|listed| shown_as(listed) == name)
}

/// Converts the sort order of the window's table to the list's.
pub fn sort_keys(sort: &[SortKey]) -> Result<Vec<SortKey>> {
    if sort.is_empty() {
        return Ok(STANDARD.map(SortKey::up).to_vec());
    }
    let key = |by: &SortKey| match names().find(|listed| shown_as(listed) == by.column) {
        Some(listed) => Ok(SortKey { column: listed.to_owned(), descending: by.descending }),
        None => sort_key(&by.column, by.descending),
    };
    sort.iter().map(key).collect()
}

fn shown_as(listed: &'static str) -> &'static str {
    RENAMED.iter().find(|(name, ..)| *name == listed).map_or(listed, |(_, shown, _)| shown)
}

fn column(listed: &'static str) -> LibraryColumn {
    let renamed = RENAMED.iter().find(|(name, ..)| *name == listed);
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
        let columns = shown();
        assert_eq!(columns.len(), names().count());
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
