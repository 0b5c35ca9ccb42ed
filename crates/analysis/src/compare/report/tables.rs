//! CSV and Markdown tables, with a row for each pair.

use std::fmt::Write;

use super::Compared;
use crate::compare::{Comparison, Measure};
use base::error::{Error, Result};
use base::files::csv_text;

/// The columns of the alignment.
const ALIGNMENT: [&str; 5] = ["offset_s", "drift_ppm", "polarity", "gain_db", "confidence"];

/// Returns a CSV table. What is missing is an empty field. With `conditions`, a column tells which of them make a pair
/// fail.
pub fn csv(pairs: &[Compared<'_>], measures: &[&Measure], conditions: bool) -> Result<String> {
    let internal = |error: csv::Error| Error::Internal(error.to_string());
    let mut writer = csv::Writer::from_writer(Vec::new());
    let last: &[&str] = if conditions { &["failed", "notes"] } else { &["notes"] };
    let header = ["reference", "other"].into_iter().chain(ALIGNMENT).chain(measures.iter().map(|measure| measure.name));
    writer.write_record(header.chain(last.iter().copied())).map_err(internal)?;
    for pair in pairs {
        let names = [pair.reference, pair.other].map(|name| csv_text(name).into_owned());
        let notes = match pair.result {
            Ok(comparison) => comparison.notes.join(" "),
            Err(failure) => failure.message.clone(),
        };
        let failed = conditions.then(|| pair.failed.join("; "));
        let cells = cells(pair, measures, |number, _| number.to_string());
        let record = names.into_iter().chain(cells).chain(failed).chain([csv_text(&notes).into_owned()]);
        writer.write_record(record).map_err(internal)?;
    }
    let bytes = writer.into_inner().map_err(|error| Error::Internal(error.to_string()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns a Markdown table. The first cell of a pair that failed says why.
pub fn markdown(pairs: &[Compared<'_>], measures: &[&Measure]) -> String {
    let plain = |text: &str| text.replace('|', "\\|").replace(char::is_control, " ");
    let titles = measures.iter().map(|measure| format!("{}{}", measure.name, unit(measure)));
    let header: Vec<String> =
        ["reference", "other"].into_iter().chain(ALIGNMENT).map(str::to_owned).chain(titles).collect();
    let mut text = format!("| {} |\n|---|---|{}\n", header.join(" | "), "---:|".repeat(header.len() - 2));
    for pair in pairs {
        let mut cells = cells(pair, measures, |number, decimals| format!("{number:.decimals$}"));
        if let Err(failure) = pair.result {
            cells[0] = plain(&failure.message);
        }
        let names = [pair.reference, pair.other].map(plain);
        let row: Vec<String> = names.into_iter().chain(cells).collect();
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    text
}

/// Returns the unit of a measure as the end of a heading.
pub fn unit(measure: &Measure) -> String {
    if measure.unit == "1" { String::new() } else { format!(" ({})", measure.unit) }
}

/// Returns the alignment as cells: offset, drift, polarity, gain, confidence; empty ones without an alignment. `text`
/// takes a number and digits after the point.
pub fn alignment_cells(comparison: Option<&Comparison>, text: impl Fn(f64, usize) -> String) -> Vec<String> {
    let Some(alignment) = comparison.and_then(|comparison| comparison.alignment.as_ref()) else {
        return vec![String::new(); ALIGNMENT.len()];
    };
    vec![
        text(alignment.offset_s, 6),
        text(alignment.drift_ppm, 3),
        alignment.polarity.to_string(),
        text(alignment.gain_db, 2),
        text(alignment.confidence, 2),
    ]
}

/// Returns the alignment and the measures of a pair as the cells of a row.
fn cells(pair: &Compared<'_>, measures: &[&Measure], text: impl Fn(f64, usize) -> String) -> Vec<String> {
    let comparison = pair.result.ok();
    let mut cells = alignment_cells(comparison, &text);
    for measure in measures {
        let number = comparison.and_then(|comparison| comparison.reading(measure)?.whole.number().ok());
        cells.push(number.map_or_else(String::new, |number| text(number, measure.decimals)));
    }
    cells
}
