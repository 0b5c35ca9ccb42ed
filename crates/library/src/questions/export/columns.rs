//! The columns of an export, and the tracks that fill them.

use std::sync::LazyLock;

use serde::{Serialize, Serializer};

use crate::TrackRow;
use crate::sql::Value;
use crate::tracks::columns::all;
pub use crate::tracks::columns::{Column, ColumnKind};
use base::date::moment;

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

/// Columns of a row that no export has.
const LEFT_OUT: [&str; 3] = ["disc_no", "bytes", "reason"];

fn is_exported(column: &Column) -> bool {
    !LEFT_OUT.contains(&column.name)
}

/// Moments count milliseconds in a Parquet file.
static COLUMNS: LazyLock<Vec<Column>> = LazyLock::new(|| {
    let with_unit = |column: Column| match column.kind {
        ColumnKind::Moment => Column { unit: "ms", ..column },
        _ => column,
    };
    all().filter(is_exported).map(with_unit).collect()
});

/// Returns all columns in order.
pub fn columns() -> &'static [Column] {
    &COLUMNS
}

impl TrackRow {
    /// Returns the cells in the order of [`columns`].
    pub fn cells(&self) -> impl Iterator<Item = Cell<'_>> {
        let exported = all().zip(self.values()).filter(|(column, _)| is_exported(column));
        exported.map(|(column, value)| match value {
            Value::Integer(ms) if column.kind == ColumnKind::Moment => Cell::Moment(ms),
            Value::Integer(value) => Cell::Integer(value),
            Value::Real(value) if value.is_finite() => Cell::Real(value),
            Value::Text(text) => Cell::Text(text),
            _ => Cell::Missing,
        })
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
