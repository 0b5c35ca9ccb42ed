//! The JSON document of a grid.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::table::categories;
use crate::codec_grid::cell::{Aligned, ReadValue, Seconds};
use crate::codec_grid::{Cell, MeasureSummary, Results, Spread, Summary, summaries};
use analysis::compare::Measure;
use base::error::Failure;
use base::files::json;

/// The document.
#[derive(Serialize)]
struct Document<'a> {
    program: &'static str,
    version: &'static str,
    jobs: usize,
    is_aligned: bool,
    measures: Vec<Definition>,
    files: usize,
    failed: usize,
    cells: Vec<One<'a>>,
    overall: Vec<Row<'a>>,
    categories: Vec<Category<'a>>,
}

#[derive(Serialize)]
struct Definition {
    name: &'static str,
    unit: &'static str,
    better: &'static str,
}

#[derive(Serialize)]
struct Name<'a> {
    codec: String,
    family: &'a str,
    setting: &'a str,
}

/// A cell.
#[derive(Serialize)]
struct One<'a> {
    #[serde(flatten, serialize_with = "json::as_path")]
    path: &'a Path,
    #[serde(serialize_with = "json::lossy")]
    category: &'a Path,
    #[serde(flatten)]
    name: Name<'a>,
    #[serde(flatten)]
    outcome: Outcome<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Outcome<'a> {
    Failed { error: &'a Failure },
    Measured(Box<Figures<'a>>),
}

#[derive(Serialize)]
struct Figures<'a> {
    rate: u32,
    channels: usize,
    duration_s: f64,
    coded_rate: u32,
    bytes: u64,
    kbps: f64,
    nominal_kbps: Option<f64>,
    latency_frames: u64,
    encode_speed: f64,
    decode_speed: f64,
    seconds: Seconds,
    is_from_before: bool,
    alignment: Option<Aligned>,
    is_in_place: bool,
    measures: BTreeMap<&'a str, f64>,
    missing: BTreeMap<&'a str, &'a str>,
    #[serde(skip_serializing_if = "is_empty")]
    notes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    decoded: Option<Cow<'a, str>>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_empty(notes: &&[String]) -> bool {
    notes.is_empty()
}

/// A summary.
#[derive(Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    name: Name<'a>,
    measured: usize,
    failed: usize,
    kbps: Option<Spread>,
    latency_ms: Option<Spread>,
    encode_speed: Option<f64>,
    decode_speed: Option<f64>,
    measures: BTreeMap<&'static str, MeasureSummary>,
}

#[derive(Serialize)]
struct Category<'a> {
    #[serde(serialize_with = "json::lossy")]
    category: &'a Path,
    codecs: Vec<Row<'a>>,
}

/// Returns the JSON document of a grid: `measures`, `cells`, `overall` and `categories`.
pub fn document(results: &Results) -> impl Serialize + '_ {
    let definition = |measure: &&'static Measure| Definition {
        name: measure.name,
        unit: measure.unit,
        better: measure.direction.words(),
    };
    let rows = |belongs: &dyn Fn(&Cell) -> bool| {
        summaries(results, belongs).into_iter().map(|summary| row(results, summary)).collect::<Vec<_>>()
    };
    let category = |category| {
        let belongs = move |cell: &Cell| results.grid.inputs[cell.input].category == category;
        Category { category, codecs: rows(&belongs) }
    };
    Document {
        program: "undertone",
        version: env!("CARGO_PKG_VERSION"),
        jobs: results.grid.jobs,
        is_aligned: results.grid.request.align,
        measures: results.grid.request.measures.iter().map(definition).collect(),
        files: results.grid.inputs.len(),
        failed: results.failed(),
        cells: results.cells.iter().map(|cell| one(results, cell)).collect(),
        overall: rows(&|_| true),
        categories: categories(results).into_iter().map(category).collect(),
    }
}

fn name(results: &Results, codec: usize) -> Name<'_> {
    let codec = &results.grid.codecs[codec];
    Name { codec: codec.name(), family: codec.family(), setting: codec.setting() }
}

fn one<'a>(results: &'a Results, cell: &'a Cell) -> One<'a> {
    let input = &results.grid.inputs[cell.input];
    let outcome = match &cell.outcome {
        Err(error) => Outcome::Failed { error },
        Ok(measured) => {
            let (mut measures, mut missing) = (BTreeMap::new(), BTreeMap::new());
            for measure in &results.grid.request.measures {
                match measured.value(measure) {
                    Some(ReadValue::Number(number)) => drop(measures.insert(measure.name, *number)),
                    Some(ReadValue::Infinite) => {
                        missing.insert(measure.name, "infinite: the two do not differ here");
                    }
                    Some(ReadValue::Missing(reason)) => drop(missing.insert(measure.name, reason.as_str())),
                    None => {}
                }
            }
            Outcome::Measured(Box::new(Figures {
                rate: measured.format.rate.hz(),
                channels: measured.format.channels,
                duration_s: measured.duration_s,
                coded_rate: measured.coded_rate.hz(),
                bytes: measured.bytes,
                kbps: measured.kbps,
                nominal_kbps: measured.nominal_kbps,
                latency_frames: measured.latency_frames,
                encode_speed: measured.encode_speed(),
                decode_speed: measured.decode_speed(),
                seconds: measured.seconds,
                is_from_before: cell.is_from_before,
                alignment: measured.alignment,
                is_in_place: measured.is_in_place,
                measures,
                missing,
                notes: &measured.notes,
                decoded: cell.decoded.as_ref().map(|path| path.to_string_lossy()),
            }))
        }
    };
    One { path: &input.path, category: &input.category, name: name(results, cell.codec), outcome }
}

fn row(results: &Results, summary: Summary) -> Row<'_> {
    let measures = results.grid.request.measures.iter().zip(summary.measures);
    Row {
        name: name(results, summary.codec),
        measured: summary.measured,
        failed: summary.failed,
        kbps: summary.kbps,
        latency_ms: summary.latency_ms,
        encode_speed: summary.encode_speed,
        decode_speed: summary.decode_speed,
        measures: measures.map(|(measure, of_measure)| (measure.name, of_measure)).collect(),
    }
}
