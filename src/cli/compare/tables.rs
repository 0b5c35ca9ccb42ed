//! Comparisons as text, CSV and Markdown.

use super::report::{Pair, PairResult};
use crate::cli::output::Output;
use crate::cli::shown::shown;
use crate::compare::parts::Kind;
use crate::compare::{Alignment, Measure, Outcome, Part};
use crate::error::{Error, Result};
use crate::files::csv_text;

/// The columns of the alignment.
const ALIGNMENT: [&str; 5] = ["offset_s", "drift_ppm", "polarity", "gain_db", "confidence"];

/// Prints a pair as text.
pub fn print(pair: &Pair, channels: bool, output: &Output) {
    let PairResult::Compared(compared) = &pair.result else { return };
    let comparison = &compared.comparison;
    output.line(&format!("{}  ->  {}", pair.reference.display(), pair.other.display()));
    if let Some(alignment) = &comparison.alignment {
        let polarity = if alignment.polarity < 0 { ", inverted" } else { "" };
        output.line(&format!(
            "  offset {:.6} s, drift {:.3} ppm, gain {:+.2} dB{polarity}, confidence {:.2}",
            alignment.offset_s, alignment.drift_ppm, alignment.gain_db, alignment.confidence
        ));
    }
    for part in &comparison.parts {
        output.line(&part_line(part));
    }
    for (measure, reading) in &comparison.readings {
        let value = |outcome: &Outcome| match outcome.number() {
            Ok(number) => format!("{number:>12.*}", measure.decimals),
            Err(_) => format!("{:>12}", "-"),
        };
        let said = match reading.whole.number() {
            Ok(_) if measure.unit == "1" => String::new(),
            Ok(_) => measure.unit.to_owned(),
            // What concerns all measures is a note.
            Err(reason) if comparison.notes.contains(&reason) => String::new(),
            Err(reason) => reason,
        };
        let of_channels: String = if channels { reading.channels.iter().map(value).collect() } else { String::new() };
        output.line(format!("  {:<24}{} {said:<4}{of_channels}", measure.name, value(&reading.whole)).trim_end());
    }
    for note in comparison.notes.iter().chain(&compared.warnings) {
        output.note(&format!("  note      {note}"));
    }
    for condition in &compared.failed {
        output.note(&format!("  failed    {condition}"));
    }
}

fn part_line(part: &Part) -> String {
    let kind = match part.kind {
        Kind::Same => "same",
        Kind::Moved => "moved",
        Kind::Cut => "cut",
        Kind::Inserted => "inserted",
        Kind::Replaced => "replaced",
    };
    let range =
        |range: Option<[f64; 2]>| range.map_or_else(|| "-".to_owned(), |[from, to]| format!("{from:.3}..{to:.3} s"));
    let speed = if part.speed == 1.0 { String::new() } else { format!(", speed {:.4}", part.speed) };
    let (reference, other) = (range(part.reference_s), range(part.other_s));
    format!("  {kind:<9} {reference:>20}  ->  {other:<20} confidence {:.2}{speed}", part.confidence)
}

/// Prints a CSV table with a row for each pair. What is missing is an empty field.
///
/// # Errors
/// [`Error::Internal`] if the table cannot be written.
pub fn csv(pairs: &[Pair], measures: &[&'static Measure], output: &Output) -> Result<()> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let internal = |error: csv::Error| Error::Internal(error.to_string());
    let header = ["reference", "other"].into_iter().chain(ALIGNMENT).chain(measures.iter().map(|measure| measure.name));
    writer.write_record(header.chain(["failed", "notes"])).map_err(internal)?;
    for pair in pairs {
        let names = [&pair.reference, &pair.other].map(|path| csv_text(&path.to_string_lossy()).into_owned());
        let (numbers, failed, notes) = match &pair.result {
            PairResult::Compared(compared) => {
                let numbers = cells(pair, measures, |number, _| number.to_string());
                (numbers, compared.failed.join("; "), compared.comparison.notes.join(" "))
            }
            PairResult::Failed(failure) => {
                (vec![String::new(); ALIGNMENT.len() + measures.len()], String::new(), failure.message.clone())
            }
        };
        writer.write_record(names.into_iter().chain(numbers).chain([failed, notes])).map_err(internal)?;
    }
    let bytes = writer.into_inner().map_err(|error| Error::Internal(error.to_string()))?;
    String::from_utf8_lossy(&bytes).lines().for_each(|line| output.line(line));
    Ok(())
}

/// Prints a Markdown table with a row for each pair.
pub fn markdown(pairs: &[Pair], measures: &[&'static Measure], output: &Output) {
    let unit = |measure: &&Measure| if measure.unit == "1" { String::new() } else { format!(" ({})", measure.unit) };
    let titles = measures.iter().map(|measure| format!("{}{}", measure.name, unit(measure)));
    let header: Vec<String> =
        ["reference", "other"].into_iter().chain(ALIGNMENT).map(str::to_owned).chain(titles).collect();
    output.line(&format!("| {} |", header.join(" | ")));
    output.line(&format!("|---|---|{}", "---:|".repeat(header.len() - 2)));
    for pair in pairs {
        let names = [&pair.reference, &pair.other].map(|path| shown(&path.to_string_lossy()).replace('|', "\\|"));
        let numbers = match &pair.result {
            PairResult::Compared(_) => cells(pair, measures, |number, decimals| format!("{number:.decimals$}")),
            PairResult::Failed(failure) => {
                let mut cells = vec![String::new(); ALIGNMENT.len() + measures.len()];
                cells[0] = failure.message.replace('|', "\\|");
                cells
            }
        };
        let row: Vec<String> = names.into_iter().chain(numbers).collect();
        output.line(&format!("| {} |", row.join(" | ")));
    }
}

/// Returns the alignment and the measures of a pair as the cells of a row.
fn cells(pair: &Pair, measures: &[&'static Measure], text: impl Fn(f64, usize) -> String) -> Vec<String> {
    let PairResult::Compared(compared) = &pair.result else { return Vec::new() };
    let of_alignment = |alignment: &Alignment| {
        vec![
            text(alignment.offset_s, 6),
            text(alignment.drift_ppm, 3),
            alignment.polarity.to_string(),
            text(alignment.gain_db, 2),
            text(alignment.confidence, 2),
        ]
    };
    let alignment = compared.comparison.alignment.as_ref();
    let mut cells = alignment.map_or_else(|| vec![String::new(); ALIGNMENT.len()], of_alignment);
    for measure in measures {
        let reading = compared.comparison.readings.iter().find(|(own, _)| own == measure);
        let number = reading.and_then(|(_, reading)| reading.whole.number().ok());
        cells.push(number.map_or_else(String::new, |number| text(number, measure.decimals)));
    }
    cells
}
