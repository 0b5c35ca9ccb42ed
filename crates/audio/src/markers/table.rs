//! Markers as CSV (RFC 4180). The first line names the columns `start`, `end`, `name`, `note`, `performer`, `low_hz` and
//! `high_hz`, in any order; only `start` is needed. Times are in seconds, or with colons.
//!
//! A text that a spreadsheet would take for a formula is written behind an apostrophe, which is removed on reading.

use super::files::Problem;
use super::{Marker, clock};
use base::error::{Error, Result};
use base::files::{csv_text, text_from_csv};
use base::units::SampleRate;

const COLUMNS: [&str; 7] = ["start", "end", "name", "note", "performer", "low_hz", "high_hz"];

/// Reads a table whose fields are separated by commas, or by semicolons if the first line has some and no comma.
pub(super) fn read(text: &str, rate: SampleRate) -> std::result::Result<Vec<Marker>, Problem> {
    let first = text.lines().next().unwrap_or_default();
    let delimiter = if first.contains(';') && !first.contains(',') { b';' } else { b',' };
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(text.as_bytes());
    let headers = reader.headers().map_err(|_| Problem::new(1, "The first line is not that of a CSV table"))?;
    let columns = COLUMNS.map(|name| headers.iter().position(|header| header.trim().eq_ignore_ascii_case(name)));
    if columns[0].is_none() {
        return Err(Problem::new(1, "The first line of a CSV table names its columns, with one named start"));
    }
    let mut markers = Vec::new();
    for record in reader.records() {
        let Ok(record) = record else { return Err(Problem::new(markers.len() + 2, "The line is not one of CSV")) };
        let line = record.position().map_or(markers.len() + 2, |position| position.line() as usize);
        let field = |column: usize| columns[column].and_then(|index| record.get(index)).unwrap_or_default().trim();
        let time = |column: usize| match field(column) {
            "" => Ok(None),
            text => clock::frame(text, rate)
                .map(Some)
                .ok_or_else(|| Problem::new(line, "A time is not in seconds (12.5) or hours (1:02:03.5)")),
        };
        let Some(start) = time(0)? else { return Err(Problem::new(line, "There is no start")) };
        let end = time(1)?.unwrap_or(start);
        let hz = |column: usize| field(column).replace(',', ".").parse::<f64>().ok();
        let mut marker = Marker::region(start.min(end), start.max(end), text_from_csv(field(2)));
        text_from_csv(field(3)).clone_into(&mut marker.note);
        text_from_csv(field(4)).clone_into(&mut marker.performer);
        marker.band_hz = super::band(hz(5), hz(6));
        markers.push(marker);
        if markers.len() > super::MAX_MARKERS {
            break;
        }
    }
    Ok(markers)
}

/// Writes a table.
pub(super) fn write(markers: &[Marker], rate: SampleRate) -> Result<String> {
    let failed = |error: String| Error::Internal(error);
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS).map_err(|error| failed(error.to_string()))?;
    for marker in markers {
        let time = |frame| clock::with_microseconds(frame, rate);
        let hz =
            |index: usize| marker.band_hz.and_then(|band| band[index]).map(|hz| hz.to_string()).unwrap_or_default();
        let row = [
            time(marker.start_frame),
            marker.end_frame.map(time).unwrap_or_default(),
            csv_text(&marker.name).into_owned(),
            csv_text(&marker.note).into_owned(),
            csv_text(&marker.performer).into_owned(),
            hz(0),
            hz(1),
        ];
        writer.write_record(&row).map_err(|error| failed(error.to_string()))?;
    }
    let bytes = writer.into_inner().map_err(|error| failed(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| failed(error.to_string()))
}
