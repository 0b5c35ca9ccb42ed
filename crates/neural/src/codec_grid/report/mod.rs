//! The results of a grid as files: `results.json`, `results.csv`, `report.md`, `report.html`, and a plot of each measure
//! against the bit rate as SVG and PNG.

mod csv;
mod document;
mod html;
mod markdown;
mod plot;
mod points;
mod table;

use std::path::Path;

pub use document::document;
pub use table::{Table, categories, failures, overall, summary_table};

use super::Results;
use analysis::compare::{MEASURES, Measure};
use base::error::{Error, Result};
use base::files;

/// The folder of the plots in the grid's folder.
const PLOTS: &str = "plots";

/// A measure's plot, in both forms.
struct Plot {
    measure: &'static Measure,
    svg: String,
    png: Vec<u8>,
}

/// Writes all files into the grid's folder. Each appears under its name when it is complete; `results.json` is the last.
pub fn write(results: &Results) -> Result<()> {
    let folder = &results.grid.folder;
    let plots = folder.join(PLOTS);
    std::fs::create_dir_all(&plots).map_err(|error| Error::io("make the folder", &plots, error))?;
    let mut drawn = Vec::new();
    for &measure in &results.grid.request.measures {
        if let Some(plot) = plot::plot(results, measure)? {
            write_file(&plots.join(format!("{}.svg", measure.name)), plot.svg.as_bytes())?;
            write_file(&plots.join(format!("{}.png", measure.name)), &plot.png)?;
            drawn.push(plot);
        }
    }
    // Plots of an earlier run with other measures would show other cells.
    for measure in MEASURES.iter().filter(|measure| drawn.iter().all(|plot| plot.measure != *measure)) {
        for extension in ["svg", "png"] {
            let _ = std::fs::remove_file(plots.join(format!("{}.{extension}", measure.name)));
        }
    }
    write_file(&folder.join("results.csv"), &csv::csv(results)?)?;
    write_file(&folder.join("report.md"), markdown::markdown(results, &drawn).as_bytes())?;
    write_file(&folder.join("report.html"), html::html(results, &drawn).as_bytes())?;
    let json = serde_json::to_vec_pretty(&document(results)).map_err(|error| Error::Internal(error.to_string()))?;
    write_file(&folder.join("results.json"), &json)
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    files::write(path, true, bytes)
}

/// Returns a path as text without characters that would act on a page or a terminal.
fn shown(path: &Path) -> String {
    path.to_string_lossy().chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Returns a heading with the meaning of a measure's values: `SI-SDR (dB, higher is better)`.
fn heading(measure: &Measure) -> String {
    let unit = if measure.unit == "1" { String::new() } else { format!("{}, ", measure.unit) };
    format!("{} ({unit}{})", measure.title, measure.direction.words())
}

/// How the figures came about, in sentences.
fn remarks(results: &Results) -> Vec<String> {
    let grid = &results.grid;
    let mut remarks = vec![
        "Mean ± standard deviation over recordings. Bit rates are those that were reached, with the headers of files. \
         Speeds are seconds of sound in a second of wall time, all sound over all time."
            .to_owned(),
    ];
    if grid.jobs > 1 {
        remarks.push(format!("{} cells were worked on at a time, which slows each of them down.", grid.jobs));
    }
    let before = results.cells.iter().filter(|cell| cell.is_from_before).count();
    if before > 0 {
        remarks.push(format!("{before} of {} cells are from an earlier run.", results.cells.len()));
    }
    if !grid.request.align {
        remarks.push("Decoded sound was not aligned.".to_owned());
    }
    remarks
}
