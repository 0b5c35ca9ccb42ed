//! The grid, as the window shows it.

use super::types::{CodecFamily, CodecsFailure, CodecsRecording, CodecsResults, CodecsRow, CodecsView};
use super::{Recording, State};
use crate::codec_grid::{Cell, Results, Summary, report::categories, summaries};
use crate::codecs::{FAMILIES, from_words};
use crate::compare::MEASURES;
use crate::window::workspace::open_document::file_name;
use crate::work::settings::ModelSettings;

/// The most failures that are shown one by one.
const MAX_FAILURES: usize = 1000;

impl State {
    pub(super) fn view(&self, models: &ModelSettings) -> CodecsView {
        let codecs = from_words(&self.words());
        let unconfirmed = codecs.iter().flatten().find_map(|codec| models.check_licence(codec.model()?).err());
        CodecsView {
            families: FAMILIES.iter().map(family).collect(),
            measures: &MEASURES,
            recordings: self.recordings.iter().map(recording).collect(),
            settings: self.settings.clone(),
            problem: codecs.as_ref().err().map(crate::error::Error::sentences),
            licence_problem: unconfirmed.as_ref().map(crate::error::Error::sentences),
            codecs: codecs.unwrap_or_default().iter().map(|codec| codec.name()).collect(),
            output: self.output.as_ref().map(|folder| folder.display().to_string()),
            phase: self.phase,
            job: self.job,
            failure: self.failure.clone(),
            results: self.results.as_deref().map(results),
        }
    }
}

fn family(family: &crate::codecs::Family) -> CodecFamily {
    CodecFamily {
        name: family.name.to_owned(),
        title: family.title.to_owned(),
        settings: family.settings.to_owned(),
        missing: family.check_available().err().map(|error| error.sentences()),
    }
}

fn recording(recording: &Recording) -> CodecsRecording {
    let category = recording.input.category.to_string_lossy().into_owned();
    CodecsRecording { id: recording.id, name: file_name(&recording.input.path), category }
}

fn results(results: &Results) -> CodecsResults {
    let rows = |belongs: &dyn Fn(&Cell) -> bool| -> Vec<CodecsRow> {
        summaries(results, belongs).iter().map(|summary| row(results, summary)).collect()
    };
    let categories = categories(results);
    let several = if categories.len() > 1 { categories } else { Vec::new() };
    let failures = results.cells.iter().filter_map(|cell| {
        Some(CodecsFailure {
            recording: file_name(&results.grid.inputs[cell.input].path),
            codec: results.grid.codecs[cell.codec].name(),
            failure: cell.outcome.as_ref().err()?.clone(),
        })
    });
    CodecsResults {
        measures: results.grid.request.measures.clone(),
        overall: rows(&|_| true),
        categories: several
            .into_iter()
            .map(|category| {
                let rows = rows(&|cell| results.grid.inputs[cell.input].category == category);
                (category.to_string_lossy().into_owned(), rows)
            })
            .collect(),
        cells: results.cells.len() as u32,
        failures: failures.take(MAX_FAILURES).collect(),
        failed: results.failed() as u32,
    }
}

fn row(results: &Results, summary: &Summary) -> CodecsRow {
    let codec = &results.grid.codecs[summary.codec];
    CodecsRow {
        codec: codec.name(),
        family: codec.family().to_owned(),
        kbps: summary.kbps,
        latency_ms: summary.latency_ms.map(|latency| latency.mean),
        encode_speed: summary.encode_speed,
        decode_speed: summary.decode_speed,
        values: summary.measures.iter().map(|measure| measure.spread).collect(),
        infinite: summary.measures.iter().map(|measure| measure.infinite as u32).collect(),
        failed: summary.failed as u32,
    }
}
