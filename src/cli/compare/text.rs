//! Comparisons as text.

use super::Pair;
use crate::cli::output::Output;
use crate::compare::parts::Kind;
use crate::compare::{ComparedPart, Outcome};

/// Prints a pair as text.
pub fn print(pair: &Pair, channels: bool, output: &Output) {
    let Ok(comparison) = &pair.result else { return };
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
            // A reason that concerns all measures is printed as a note.
            Err(reason) if comparison.notes.contains(&reason) => String::new(),
            Err(reason) => reason,
        };
        let of_channels: String = if channels { reading.channels.iter().map(value).collect() } else { String::new() };
        output.line(format!("  {:<24}{} {said:<4}{of_channels}", measure.name, value(&reading.whole)).trim_end());
    }
    for note in comparison.notes.iter().chain(&pair.warnings) {
        output.note(&format!("  note      {note}"));
    }
    for condition in &pair.failed {
        output.note(&format!("  failed    {condition}"));
    }
}

fn part_line(part: &ComparedPart) -> String {
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
