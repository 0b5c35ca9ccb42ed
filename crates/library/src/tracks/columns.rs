//! The columns of a track that users see: one table, by which rows are read, sorted, exported, and explained.
//!
//! A new column of the table `track` is one of the migrations of both databases ([`crate::schema`] and the server's),
//! and is written where its value arises, mostly in `store/outcome.rs`. Copies of a library have it then. If users see
//! it, it is also a field of [`TrackRow`] and a line of [`PLAIN`]; if queries name it, a line in
//! `questions/query/fields.rs`. Queries compare text without case and accents: a server has it so in `folded`, and
//! [`TEXTS`] names it.
//!
//! A new dimension is a line of [`DIMENSIONS`] and of the fields of queries, and a column of `feature` in both
//! databases.

use serde::Serialize;

use super::TrackRow;
use crate::schema::FEATURES;
use crate::sql::{self, Bind, Row, Value};
use analysis::features::dimensions::DIMENSIONS;

/// The type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnKind {
    /// 64-bit integers.
    Integer,
    /// 64-bit floating-point numbers.
    Real,
    /// Text.
    Text,
    /// Milliseconds since 1970, UTC.
    Moment,
}

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Column {
    /// Its name in the database.
    pub name: &'static str,
    /// The type of its values.
    pub kind: ColumnKind,
    /// The unit of its values; empty for none.
    pub unit: &'static str,
    /// A description of its values.
    pub meaning: &'static str,
}

macro_rules! plain {
    ($($name:ident $kind:ident $unit:literal $meaning:literal;)*) => {
        /// The columns of `track` that a [`TrackRow`] has as they are.
        pub const PLAIN: &[Column] = &[$(Column {
            name: stringify!($name),
            kind: ColumnKind::$kind,
            unit: $unit,
            meaning: $meaning,
        }),*];

        /// Reads the columns of [`PLAIN`], the first of a row.
        pub(crate) fn read(row: &Row<'_>) -> sql::Result<TrackRow> {
            let mut next = 0;
            Ok(TrackRow {
                $($name: {
                    next += 1;
                    row.get(next - 1)?
                },)*
                bandwidth: None,
                cover: false,
                features: Vec::new(),
            })
        }

        impl TrackRow {
            /// Returns the values of [`all`] columns.
            pub(crate) fn values(&self) -> impl Iterator<Item = Value<'_>> {
                let feature = |at| self.features.get(at).map_or(Value::Null, Bind::value);
                [$(self.$name.value()),*].into_iter().chain((0..FEATURES.len()).map(feature))
            }
        }
    };
}

plain! {
    id Integer "" "its number in the library";
    path Text "" "the file's path";
    title Text "" "the title, from the tags";
    artist Text "" "the artist, from the tags";
    album Text "" "the album, from the tags";
    album_artist Text "" "the album's artist";
    genre Text "" "the genre, from the tags";
    year Integer "" "the year, from the tags";
    track_no Integer "" "the number on the album";
    disc_no Integer "" "the number of the disc, from the tags";
    duration_s Real "s" "the length";
    rate_hz Integer "Hz" "the sample rate";
    channels Integer "" "the number of channels";
    format Text "" "the kind of file";
    codec Text "" "the codec";
    bit_rate Integer "bit/s" "the mean bit rate";
    bits Integer "bit" "bits per sample";
    bandwidth_hz Real "Hz" "the bandwidth";
    key Text "" "the key; C#m and Dbm are one, 8A is Am";
    bytes Integer "bytes" "the file's size";
    added_at Moment "" "the date it was added";
    state Text "" "the state of its analysis";
    reason Text "" "why it could not be analysed";
}

/// The columns of [`Bandwidth`](crate::encodings::Bandwidth).
pub(crate) const BANDWIDTH: [&str; 5] =
    ["bandwidth_hz", "bandwidth_of_hz", "floor_db", "cliff_drop_db", "cliff_width_hz"];

/// The text columns that are compared without case and accents. The words of the first [`INDEXED`] are indexed.
pub const TEXTS: [&str; 9] = ["title", "artist", "album", "path", "album_artist", "genre", "format", "codec", "key"];
/// Number of columns whose words are indexed.
pub const INDEXED: usize = 4;

/// Returns all columns, the features last.
pub fn all() -> impl Iterator<Item = Column> {
    let features = DIMENSIONS.iter().map(|dimension| Column {
        name: dimension.name,
        kind: ColumnKind::Real,
        unit: dimension.unit,
        meaning: dimension.meaning,
    });
    PLAIN.iter().copied().chain(features)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::questions::query::{Kind, fields};
    use crate::schema::fresh;

    #[test]
    fn the_tables_have_these_columns() {
        let database = fresh().unwrap();
        let mut columns = database.prepare("SELECT name, type FROM pragma_table_info('track')").unwrap();
        let columns = columns.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        let columns: BTreeMap<String, String> = columns.map(Result::unwrap).collect();
        for column in PLAIN {
            let kind = match column.kind {
                ColumnKind::Integer | ColumnKind::Moment => "INTEGER",
                ColumnKind::Real => "REAL",
                ColumnKind::Text => "TEXT",
            };
            assert_eq!(columns[column.name], kind, "{}", column.name);
        }
        assert!(BANDWIDTH.iter().all(|name| columns[*name] == "REAL"));
        assert!(TEXTS.iter().all(|name| columns[*name] == "TEXT"));
        // A field without a column would be left out.
        assert_eq!(all().count() - fields().len(), 3);
        for field in fields().iter().filter(|field| matches!(field.kind, Kind::Text | Kind::Key)) {
            assert!(TEXTS.contains(&field.column), "{}", field.column);
        }
    }
}
