//! The CSV writer.

use std::io::Write;

use super::{Cell, Output, TrackRow, columns, internal};
use base::date::moment;
use base::error::Result;
use base::files::csv_text;

pub(super) fn write(output: &mut Output, tracks: &mut dyn Iterator<Item = Result<TrackRow>>) -> Result<()> {
    let mut writer =
        ::csv::WriterBuilder::new().buffer_capacity(1 << 18).terminator(::csv::Terminator::CRLF).from_writer(output);
    writer.write_record(columns().iter().map(|column| column.name)).map_err(internal)?;
    let mut text = Vec::new();
    for track in tracks {
        for cell in track?.cells() {
            text.clear();
            match cell {
                Cell::Missing => {}
                Cell::Integer(value) => write!(text, "{value}").map_err(internal)?,
                Cell::Real(value) => write!(text, "{value}").map_err(internal)?,
                // Numbers written by this module are never `Cell::Text`.
                Cell::Text(value) => text.extend_from_slice(csv_text(value).as_bytes()),
                Cell::Moment(ms) => text.extend_from_slice(moment(ms).as_bytes()),
            }
            writer.write_field(&text).map_err(internal)?;
        }
        writer.write_record(None::<&[u8]>).map_err(internal)?;
    }
    writer.flush().map_err(internal)
}
