//! The tables of a grid: codecs with their figures, and what failed.

use std::collections::BTreeSet;
use std::path::Path;

use super::shown;
use crate::codec_grid::{Cell, MeasureSummary, Results, Spread, Summary, summaries};
use analysis::compare::Measure;

/// A table of texts. All columns but the first have numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The heads of the columns.
    pub head: Vec<String>,
    /// The rows, each with as many cells as the head.
    pub rows: Vec<Vec<String>>,
}

/// Returns the table of all recordings: a row for each codec.
pub fn overall(results: &Results) -> Table {
    summary_table(results, &summaries(results, |_| true))
}

/// Returns the categories of a grid in the order of their names.
pub fn categories(results: &Results) -> Vec<&Path> {
    let names: BTreeSet<&Path> = results.grid.inputs.iter().map(|input| input.category.as_path()).collect();
    names.into_iter().collect()
}

/// Returns the table of a category.
pub fn of_category(results: &Results, category: &Path) -> Table {
    let belongs = |cell: &Cell| results.grid.inputs[cell.input].category == category;
    summary_table(results, &summaries(results, belongs))
}

/// Returns a table of summaries.
pub fn summary_table(results: &Results, summaries: &[Summary]) -> Table {
    let measures = &results.grid.request.measures;
    let any_failed = summaries.iter().any(|summary| summary.failed > 0);
    let fixed = ["codec", "kbit/s", "delay ms", "encode x", "decode x"].map(str::to_owned);
    let of_measures = measures.iter().map(|measure| match measure.unit {
        "1" => measure.name.to_owned(),
        unit => format!("{} {unit}", measure.name),
    });
    let mut head: Vec<String> = fixed.into_iter().chain(of_measures).collect();
    head.extend(any_failed.then(|| "failed".to_owned()));
    let row = |summary: &Summary| {
        let speed = |speed: Option<f64>| speed.map_or("-".to_owned(), |speed| format!("{speed:.0}"));
        let fixed = [
            results.grid.codecs[summary.codec].name(),
            summary.kbps.map_or("-".to_owned(), |kbps| with_spread(&kbps, 1)),
            summary.latency_ms.map_or("-".to_owned(), |latency| format!("{:.1}", latency.mean)),
            speed(summary.encode_speed),
            speed(summary.decode_speed),
        ];
        let values = measures.iter().zip(&summary.measures).map(|(measure, of_measure)| value(measure, of_measure));
        let mut row: Vec<String> = fixed.into_iter().chain(values).collect();
        row.extend(any_failed.then(|| summary.failed.to_string()));
        row
    };
    Table { head, rows: summaries.iter().map(row).collect() }
}

fn with_spread(spread: &Spread, decimals: usize) -> String {
    match spread.sd {
        Some(sd) => format!("{:.decimals$} ± {sd:.decimals$}", spread.mean),
        None => format!("{:.decimals$}", spread.mean),
    }
}

/// Returns the result of a measure, with the number of recordings that do not count in it.
fn value(measure: &Measure, summary: &MeasureSummary) -> String {
    let mean = summary.spread.map(|spread| with_spread(&spread, measure.decimals));
    let infinite = match (summary.infinite, mean.is_some()) {
        (0, _) => None,
        (_, false) => Some("infinite".to_owned()),
        (count, true) => Some(format!("({count} infinite)")),
    };
    let missing = (summary.missing > 0).then(|| format!("({} missing)", summary.missing));
    let parts: Vec<String> = [mean, infinite, missing].into_iter().flatten().collect();
    if parts.is_empty() { "-".to_owned() } else { parts.join(" ") }
}

/// Returns the table of cells that failed, with the reasons.
pub fn failures(results: &Results) -> Table {
    let row = |cell: &Cell| {
        let failure = cell.outcome.as_ref().err()?;
        let path = shown(&results.grid.inputs[cell.input].path);
        Some(vec![path, results.grid.codecs[cell.codec].name(), failure.message.clone()])
    };
    let head = ["recording", "codec", "why"].map(str::to_owned).to_vec();
    Table { head, rows: results.cells.iter().filter_map(row).collect() }
}
