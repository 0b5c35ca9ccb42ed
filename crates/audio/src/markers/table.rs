//! Markers as CSV (RFC 4180). The first line names the columns `start`, `end`, `name`, `note`, `performer`, `low_hz` and
//! `high_hz`, in any order; only `start` is needed. Times are in seconds, or with colons.
//!
//! Adobe Audition's tables have tabs instead of commas, `Duration` instead of an end, and `Description` instead of a note.
//! Their column `Time Format` says how times are written: `decimal` for those with colons. Whole samples are read too.
//!
//! A text that a spreadsheet would take for a formula is written behind an apostrophe, which is removed on reading.

use super::files::Problem;
use super::{Marker, clock, scaled};
use base::error::{Error, Result};
use base::files::{csv_text, text_from_csv};
use base::units::SampleRate;

const COLUMNS: [&str; 7] = ["start", "end", "name", "note", "performer", "low_hz", "high_hz"];
/// Other names of columns, and one of a column that only Audition has.
const DURATIONS: [&str; 2] = ["duration", "length"];
const DESCRIPTION: &str = "description";
const TIME_FORMAT: &str = "time format";

/// Returns whether a text is a table with tabs between its columns, one of which has a start.
pub(super) fn is_tabbed(text: &str) -> bool {
    let mut fields = text.lines().next().unwrap_or_default().split('\t').map(str::trim);
    text.contains('\t') && fields.any(|field| field.eq_ignore_ascii_case(COLUMNS[0]))
}

/// Reads a table whose fields are separated by tabs, by commas, or by semicolons if the first line has some and no comma.
pub(super) fn read(text: &str, rate: SampleRate) -> std::result::Result<Vec<Marker>, Problem> {
    let first = text.lines().next().unwrap_or_default();
    let is_tabbed = is_tabbed(text);
    let has_semicolons = first.contains(';') && !first.contains(',');
    let delimiter = if is_tabbed {
        b'\t'
    } else if has_semicolons {
        b';'
    } else {
        b','
    };
    let mut reader = csv::ReaderBuilder::new();
    // Quotes belong to the names where tabs separate them.
    reader.delimiter(delimiter).quoting(!is_tabbed).flexible(true);
    let mut reader = reader.from_reader(text.as_bytes());
    let headers = reader.headers().map_err(|_| Problem::new(1, "The first line is not that of a CSV table"))?;
    let column = |name: &str| headers.iter().position(|header| header.trim().eq_ignore_ascii_case(name));
    let columns = COLUMNS.map(column);
    let (durations, description, format) = (DURATIONS.map(column), column(DESCRIPTION), column(TIME_FORMAT));
    let duration = durations[0].or(durations[1]);
    let [start_column, end_column, name, note, performer, low, high] = columns;
    let note = note.or(description);
    if start_column.is_none() {
        return Err(Problem::new(1, "The first line of a CSV table names its columns, with one named start"));
    }
    let mut markers = Vec::new();
    for record in reader.records() {
        let Ok(record) = record else { return Err(Problem::new(markers.len() + 2, "The line is not one of CSV")) };
        let line = || record.position().map_or(markers.len() + 2, |position| line_at(text, position.byte()));
        let field = |column: Option<usize>| column.and_then(|index| record.get(index)).unwrap_or_default().trim();
        let format = field(format);
        let time = |column: Option<usize>| match field(column) {
            "" => Ok(None),
            text => frame(text, format, rate).map(Some).ok_or_else(|| Problem::new(line(), problem(format))),
        };
        let Some(start) = time(start_column)? else { return Err(Problem::new(line(), "There is no start")) };
        let end = match time(end_column)? {
            Some(end) => end,
            None => start.saturating_add(time(duration)?.unwrap_or(0)),
        };
        let hz = |column: Option<usize>| field(column).replace(',', ".").parse::<f64>().ok();
        let text = |column: Option<usize>| match field(column) {
            text if is_tabbed => unquoted(text),
            text => text_from_csv(text).to_owned(),
        };
        let mut marker = Marker::region(start.min(end), start.max(end), text(name));
        (marker.note, marker.performer) = (text(note), text(performer));
        marker.band_hz = super::band(hz(low), hz(high));
        markers.push(marker);
        if markers.len() > super::MAX_MARKERS {
            break;
        }
    }
    Ok(markers)
}

/// Returns the line of a record that was found at a byte of the text. After `\r\n`, that is the byte between the two.
fn line_at(text: &str, byte: u64) -> usize {
    let (before, after) = text.as_bytes().split_at(text.len().min(byte as usize));
    let ends = after.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
    1 + before.iter().chain(ends).filter(|byte| **byte == b'\n').count()
}

/// Returns the frame of a time in a table that states this format, or none.
fn frame(text: &str, format: &str, rate: SampleRate) -> Option<u64> {
    let format = format.to_ascii_lowercase();
    if format.contains("sample") || format.ends_with("hz") {
        // They count at the rate that the format names, which need not be that of the recording.
        let frames = text.parse().ok()?;
        return Some(named_hz(&format).map_or(frames, |hz| scaled(frames, rate.hz().into(), hz)));
    }
    let is_known = format.is_empty() || format == "decimal";
    clock::frame(text, rate).filter(|_| is_known)
}

/// Returns the sample rate in Hz that a time format names, as in `48000 Hz`, `44,100 Hz` or `44.1 kHz`.
fn named_hz(format: &str) -> Option<u64> {
    let number = format.trim().strip_suffix("hz")?.trim_end();
    let (number, unit) = match number.strip_suffix('k') {
        Some(number) => (number.trim_end().replace(',', "."), 1000.0),
        None => (number.replace([',', '.'], ""), 1.0),
    };
    let hz = number.rsplit(char::is_whitespace).next()?.parse::<f64>().ok()? * unit;
    (1.0..1e9).contains(&hz).then(|| hz.round() as u64)
}

/// Returns what is wrong with a time.
fn problem(format: &str) -> &'static str {
    if format.is_empty() || format.eq_ignore_ascii_case("decimal") {
        "A time is not in seconds (12.5) or hours (1:02:03.5)"
    } else {
        "This time format is not read. Choose the decimal one in Audition and write the markers again"
    }
}

/// Returns a text without the quotes around it, which some programs write.
fn unquoted(text: &str) -> String {
    let inside = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    inside.map_or_else(|| text.to_owned(), |inside| inside.replace("\"\"", "\""))
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
