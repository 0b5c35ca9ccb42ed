//! `undertone codecs run`.

use std::sync::Arc;

use super::arguments::Run;
use crate::cli::Outcome;
use crate::cli::interrupt::cancel_on_interrupt;
use crate::cli::output::{Output, name};
use crate::cli::shown::shown;
use crate::codec_grid::report::{self, Table, categories, document, overall, summary_table};
use crate::codec_grid::{Cell, Grid, Results, inputs, run as run_grid, summaries, usual_measures};
use crate::codecs::from_words;
use crate::compare::{MEASURES, Measure, Request, measure_named};
use crate::error::{Error, Result};
use crate::progress::Progress;

pub fn run(words: &Run, output: &Output) -> Result<Outcome> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let grid = Grid {
        codecs: from_words(&words.codecs)?,
        request: Request { measures: measures(&words.measures)?, align: !words.no_align, ..Request::default() },
        inputs: inputs(&words.files, &words.out)?,
        keeps_decoded: words.keep_decoded,
        jobs: words.jobs.map_or(cores, usize::from),
        folder: words.out.clone(),
    };
    let progress = Arc::new(vec![Progress::new()]);
    cancel_on_interrupt(&progress);
    let results = {
        let _bar = output.follow("codecs", &progress[0]);
        run_grid(&grid, &progress[0], &|cell| tell(&grid, cell, output))
    };
    let results = match results {
        Err(Error::Cancelled) => {
            output.note("undertone: What is finished is kept. The same command goes on from here.");
            return Err(Error::Cancelled);
        }
        results => results?,
    };
    report::write(&results)?;
    if output.is_json() {
        output.json(&document(&results))?;
    } else {
        print(&results, output);
    }
    Ok(Outcome::of(results.failed() > 0))
}

fn measures(names: &[String]) -> Result<Vec<&'static Measure>> {
    if names.is_empty() {
        return Ok(usual_measures());
    }
    if names.iter().any(|name| name.trim() == "all") {
        return Ok(MEASURES.iter().collect());
    }
    let asked: Vec<&Measure> = names.iter().map(|name| measure_named(name.trim())).collect::<Result<_>>()?;
    Ok(MEASURES.iter().filter(|measure| asked.contains(measure)).collect())
}

/// Tells at once of a cell that failed.
fn tell(grid: &Grid, cell: &Cell, output: &Output) {
    if let Err(failure) = &cell.outcome {
        let (input, codec) = (&grid.inputs[cell.input], grid.codecs[cell.codec].name());
        output.note(&format!("undertone: {}, {codec}: {}", name(&input.path), failure.message));
    }
}

fn print(results: &Results, output: &Output) {
    print_table(&overall(results), output);
    let categories = categories(results);
    if categories.len() > 1 {
        for category in categories {
            let summaries = summaries(results, |cell| results.grid.inputs[cell.input].category == category);
            output.line("");
            output.line(&category.display().to_string());
            print_table(&summary_table(results, &summaries), output);
        }
    }
    output.note(&format!("Report, tables and plots: {}", results.grid.folder.join("report.html").display()));
}

fn print_table(table: &Table, output: &Output) {
    let width = |column: usize| {
        let cells = table.rows.iter().chain([&table.head]).map(|row| shown(&row[column]).chars().count());
        cells.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.head.len()).map(width).collect();
    for row in [&table.head].into_iter().chain(&table.rows) {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            if column == 0 { format!("{cell:<width$}") } else { format!("  {cell:>width$}") }
        });
        output.line(cells.collect::<String>().trim_end());
    }
}
