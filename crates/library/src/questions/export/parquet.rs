//! The Parquet writer: nulls for missing values, row groups of 65,536 tracks.

use std::sync::Arc;

use ::parquet::basic::{LogicalType, Repetition, TimeUnit, Type as Physical};
use ::parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::types::Type;

use super::{Cell, Column, ColumnKind, Output, TrackRow, columns, internal};
use base::error::{Error, Result};

/// Tracks per row group, which are held until their columns are written.
const GROUP: usize = 1 << 16;

/// The metadata key of the columns' units and descriptions, as JSON.
pub(super) const METADATA_KEY: &str = "undertone.columns";

pub(super) fn write(output: &mut Output, tracks: &mut dyn Iterator<Item = Result<TrackRow>>) -> Result<()> {
    let described = serde_json::to_string(columns()).map_err(internal)?;
    let properties = WriterProperties::builder()
        .set_created_by(concat!("undertone ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(vec![KeyValue::new(METADATA_KEY.to_owned(), described)]));
    let mut writer =
        SerializedFileWriter::new(output, Arc::new(schema()?), Arc::new(properties.build())).map_err(internal)?;
    let mut group = Vec::new();
    loop {
        group.clear();
        for track in tracks.take(GROUP) {
            group.push(track?);
        }
        if group.is_empty() {
            break;
        }
        let mut columns_writer = writer.next_row_group().map_err(internal)?;
        write_group(&mut columns_writer, &group)?;
        columns_writer.close().map_err(internal)?;
    }
    writer.close().map(drop).map_err(internal)
}

fn schema() -> Result<Type> {
    let fields: Vec<Arc<Type>> = columns().iter().map(|column| field(column).map(Arc::new)).collect::<Result<_>>()?;
    Type::group_type_builder("library").with_fields(fields).build().map_err(internal)
}

fn field(column: &Column) -> Result<Type> {
    let (physical, logical) = match column.kind {
        ColumnKind::Integer => (Physical::INT64, None),
        ColumnKind::Real => (Physical::DOUBLE, None),
        ColumnKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        ColumnKind::Moment => (Physical::INT64, Some(LogicalType::timestamp(true, TimeUnit::MILLIS))),
    };
    Type::primitive_type_builder(column.name, physical)
        .with_logical_type(logical)
        .with_repetition(Repetition::OPTIONAL)
        .build()
        .map_err(internal)
}

fn write_group<W: std::io::Write + Send>(
    writer: &mut SerializedRowGroupWriter<'_, W>,
    tracks: &[TrackRow],
) -> Result<()> {
    let mut cells: Vec<_> = tracks.iter().map(TrackRow::cells).collect();
    for column in columns() {
        let cells = cells.iter_mut().map(|cells| cells.next().unwrap_or(Cell::Missing));
        match column.kind {
            ColumnKind::Integer | ColumnKind::Moment => {
                write_column::<Int64Type, W>(writer, cells, |cell| match cell {
                    Cell::Integer(value) | Cell::Moment(value) => Some(value),
                    _ => None,
                })
            }
            ColumnKind::Real => write_column::<DoubleType, W>(writer, cells, |cell| match cell {
                Cell::Real(value) => Some(value),
                _ => None,
            }),
            ColumnKind::Text => write_column::<ByteArrayType, W>(writer, cells, |cell| match cell {
                Cell::Text(text) => Some(ByteArray::from(text)),
                _ => None,
            }),
        }?;
    }
    Ok(())
}

/// Writes the next column: the values that exist, and a definition level for each track.
fn write_column<'c, T: DataType, W: std::io::Write + Send>(
    writer: &mut SerializedRowGroupWriter<'_, W>,
    cells: impl Iterator<Item = Cell<'c>>,
    value: impl Fn(Cell<'c>) -> Option<T::T>,
) -> Result<()> {
    let mut values = Vec::new();
    let mut is_there = Vec::new();
    for cell in cells {
        let value = value(cell);
        is_there.push(i16::from(value.is_some()));
        values.extend(value);
    }
    let missing = || Error::Internal("export: a column has no writer".to_owned());
    let mut column = writer.next_column().map_err(internal)?.ok_or_else(missing)?;
    column.typed::<T>().write_batch(&values, Some(&is_there), None).map_err(internal)?;
    column.close().map_err(internal)
}
