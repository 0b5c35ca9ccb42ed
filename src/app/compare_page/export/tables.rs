//! A comparison as CSV, Markdown and JSON, in the forms of the command line.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::{Report, Row};
use crate::compare::{Alignment, MEASURES, Measure, Outcome};
use crate::error::{Error, Result};
use crate::files::csv_text;

/// The columns of the alignment.
const ALIGNMENT: [&str; 5] = ["offset_s", "drift_ppm", "polarity", "gain_db", "confidence"];

/// Returns a CSV table with a row for each version. What is missing is an empty field.
pub(super) fn csv(report: &Report) -> Result<String> {
    let internal = |error: csv::Error| Error::Internal(error.to_string());
    let mut writer = csv::Writer::from_writer(Vec::new());
    let header = ["reference", "other"].into_iter().chain(ALIGNMENT).chain(MEASURES.iter().map(|measure| measure.name));
    writer.write_record(header.chain(["notes"])).map_err(internal)?;
    for row in &report.rows {
        let names = [&report.reference.name, &row.version.name].map(|name| csv_text(name).into_owned());
        let cells = cells(row, |number, _| number.to_string());
        let notes = match &row.result {
            Ok(compared) => compared.comparison.notes.join(" "),
            Err(failure) => failure.message.clone(),
        };
        writer.write_record(names.into_iter().chain(cells).chain([csv_text(&notes).into_owned()])).map_err(internal)?;
    }
    let bytes = writer.into_inner().map_err(|error| Error::Internal(error.to_string()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns a Markdown table with a row for each version.
pub(super) fn markdown(report: &Report) -> String {
    let plain = |text: &str| text.replace('|', "\\|").replace(['\r', '\n'], " ");
    let titles = MEASURES.iter().map(|measure| format!("{}{}", measure.name, unit(measure)));
    let header: Vec<String> =
        ["reference", "other"].into_iter().chain(ALIGNMENT).map(str::to_owned).chain(titles).collect();
    let mut text = format!("| {} |\n|---|---|{}\n", header.join(" | "), "---:|".repeat(header.len() - 2));
    for row in &report.rows {
        let mut cells = cells(row, |number, decimals| format!("{number:.decimals$}"));
        if let Err(failure) = &row.result {
            cells[0] = plain(&failure.message);
        }
        let names = [&report.reference.name, &row.version.name].map(|name| plain(name));
        let all: Vec<String> = names.into_iter().chain(cells).collect();
        let _ = writeln!(text, "| {} |", all.join(" | "));
    }
    text
}

/// Returns the JSON document of `undertone compare --json --curves`, with names in place of paths.
pub(super) fn json(report: &Report) -> Result<String> {
    let pair = |row: &Row| -> Value {
        let mut map = Map::new();
        map.insert("reference".into(), json!(report.reference.name));
        map.insert("other".into(), json!(row.version.name));
        let comparison = match &row.result {
            Ok(compared) => &compared.comparison,
            Err(failure) => {
                map.insert("error".into(), json!(failure));
                return Value::Object(map);
            }
        };
        map.insert("alignment".into(), json!(comparison.alignment));
        let whole = || comparison.readings.iter().map(|(measure, reading)| (measure.name.to_owned(), &reading.whole));
        let numbers = whole().filter_map(|(name, outcome)| Some((name, json!(outcome.number().ok()?))));
        map.insert("measures".into(), Value::Object(numbers.collect()));
        let reasons = whole().filter_map(|(name, outcome)| Some((name, json!(outcome.number().err()?))));
        map.insert("missing".into(), Value::Object(reasons.collect()));
        let curves = comparison
            .readings
            .iter()
            .filter_map(|(measure, reading)| Some((measure.name.to_owned(), json!(reading.curve.as_ref()?))));
        map.insert("curves".into(), Value::Object(curves.collect()));
        if !comparison.notes.is_empty() {
            map.insert("notes".into(), json!(comparison.notes));
        }
        Value::Object(map)
    };
    let pairs: Vec<Value> = report.rows.iter().map(pair).collect();
    let text = serde_json::to_string_pretty(&json!({ "pairs": pairs }));
    text.map(|text| text + "\n").map_err(|error| Error::Internal(error.to_string()))
}

/// Returns the unit of a measure as the end of a heading.
pub(super) fn unit(measure: &Measure) -> String {
    if measure.unit == "1" { String::new() } else { format!(" ({})", measure.unit) }
}

/// Returns what a measure gave of a row, if it was compared.
pub(super) fn outcome<'a>(row: &'a Row, measure: &Measure) -> Option<&'a Outcome> {
    let comparison = &row.result.as_ref().ok()?.comparison;
    comparison.readings.iter().find(|(own, _)| *own == measure).map(|(_, reading)| &reading.whole)
}

/// Returns the alignment as cells; empty without one.
pub(super) fn alignment_cells(row: &Row, text: impl Fn(f64, usize) -> String) -> Vec<String> {
    let alignment = row.result.as_ref().ok().and_then(|compared| compared.comparison.alignment.as_ref());
    let of = |alignment: &Alignment| {
        vec![
            text(alignment.offset_s, 6),
            text(alignment.drift_ppm, 3),
            alignment.polarity.to_string(),
            text(alignment.gain_db, 2),
            text(alignment.confidence, 2),
        ]
    };
    alignment.map_or_else(|| vec![String::new(); ALIGNMENT.len()], of)
}

/// Returns the alignment and the measures of a row as cells.
fn cells(row: &Row, text: impl Fn(f64, usize) -> String) -> Vec<String> {
    let mut cells = alignment_cells(row, &text);
    for measure in &MEASURES {
        let number = outcome(row, measure).and_then(|outcome| outcome.number().ok());
        cells.push(number.map_or_else(String::new, |number| text(number, measure.decimals)));
    }
    cells
}
