//! The columns of an export, and the tracks that fill them.

use std::sync::LazyLock;

use serde::{Serialize, Serializer};

use crate::TrackRow;
use crate::questions::table::DIMENSION_COUNT;
use analysis::features::dimensions::DIMENSIONS;
use base::date::moment;

/// The type of a column's cells.
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
    /// Its name, the same as in the database.
    pub name: &'static str,
    /// The type of its cells.
    pub kind: ColumnKind,
    /// The unit of its values; empty for none.
    pub unit: &'static str,
    /// A description of its values.
    pub meaning: &'static str,
}

/// A cell.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "named after the kinds")]
pub enum Cell<'a> {
    Missing,
    Integer(i64),
    Real(f64),
    Text(&'a str),
    Moment(i64),
}

const TAGS: [Column; 20] = {
    use ColumnKind::{Integer, Moment, Real, Text};
    const fn column(name: &'static str, kind: ColumnKind, unit: &'static str, meaning: &'static str) -> Column {
        Column { name, kind, unit, meaning }
    }
    [
        column("id", Integer, "", "the track's number in the library"),
        column("path", Text, "", "the file"),
        column("title", Text, "", "from the tags"),
        column("artist", Text, "", "from the tags"),
        column("album", Text, "", "from the tags"),
        column("album_artist", Text, "", "from the tags"),
        column("genre", Text, "", "from the tags"),
        column("year", Integer, "", "from the tags"),
        column("track_no", Integer, "", "number on the album, from the tags"),
        column("duration_s", Real, "s", "the length"),
        column("rate_hz", Integer, "Hz", "sample rate"),
        column("channels", Integer, "", "number of channels"),
        column("format", Text, "", "kind of file"),
        column("codec", Text, "", "the codec"),
        column("bit_rate", Integer, "bit/s", "mean bit rate"),
        column("bits", Integer, "bit", "bits per sample"),
        column("bandwidth_hz", Real, "Hz", "the bandwidth"),
        column("key", Text, "", "musical key"),
        column("added_at", Moment, "ms", "when it was added, universal time"),
        column("state", Text, "", "the state of its analysis"),
    ]
};

static COLUMNS: LazyLock<Vec<Column>> = LazyLock::new(|| {
    let features = DIMENSIONS.iter().map(|dimension| Column {
        name: dimension.name,
        kind: ColumnKind::Real,
        unit: dimension.unit,
        meaning: dimension.meaning,
    });
    TAGS.into_iter().chain(features).collect()
});

/// Returns all columns in order.
pub fn columns() -> &'static [Column] {
    &COLUMNS
}

impl TrackRow {
    /// Returns the cells in the order of [`columns`].
    pub fn cells(&self) -> impl Iterator<Item = Cell<'_>> {
        fn integer(value: Option<impl Into<i64>>) -> Cell<'static> {
            value.map_or(Cell::Missing, |value| Cell::Integer(value.into()))
        }
        let real = |value: Option<f64>| value.filter(|value| value.is_finite()).map_or(Cell::Missing, Cell::Real);
        fn text(value: Option<&String>) -> Cell<'_> {
            value.map_or(Cell::Missing, |text| Cell::Text(text))
        }
        let tags: [Cell<'_>; TAGS.len()] = [
            Cell::Integer(self.id),
            Cell::Text(&self.path),
            text(self.title.as_ref()),
            text(self.artist.as_ref()),
            text(self.album.as_ref()),
            text(self.album_artist.as_ref()),
            text(self.genre.as_ref()),
            integer(self.year),
            integer(self.track_no),
            real(self.duration_s),
            integer(self.rate_hz),
            integer(self.channels),
            text(self.format.as_ref()),
            text(self.codec.as_ref()),
            integer(self.bit_rate),
            integer(self.bits),
            real(self.bandwidth_hz),
            text(self.key.as_ref()),
            Cell::Moment(self.added_at),
            Cell::Text(self.state.name()),
        ];
        let feature = move |dimension| real(self.features.get(dimension).copied().flatten());
        tags.into_iter().chain((0..DIMENSION_COUNT).map(feature))
    }
}

impl Serialize for Cell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Missing => serializer.serialize_none(),
            Self::Integer(value) => serializer.serialize_i64(value),
            Self::Real(value) => serializer.serialize_f64(value),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Moment(ms) => serializer.serialize_str(&moment(ms)),
        }
    }
}
