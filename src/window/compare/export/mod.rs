//! Writes a comparison to a file that others can read: tables, JSON, or a page with pictures.

mod html;

use std::sync::Arc;

use super::types::{CompareFormat, CompareSound};
use super::{ComparePage, Compared};
use crate::compare::report::{Compared as Pair, Document, csv, markdown};
use crate::compare::{Comparison, MEASURES, Measure};
use crate::error::{Error, Failure, Result};
use crate::files::{Protection, SafeFile};
use crate::window::host::FileChoice;
use crate::window::jobs::{JobId, JobPurpose};
use crate::window::workspace::open_document::file_name;

/// A comparison as it is written to a file: the reference, and each version with its results.
struct Report {
    reference: Named,
    rows: Vec<Row>,
}

/// A version by its name.
struct Named {
    id: u32,
    name: String,
}

struct Row {
    version: Named,
    result: Result<Arc<Compared>, Failure>,
}

impl Row {
    fn comparison(&self) -> Option<&Comparison> {
        self.result.as_ref().ok().map(|compared| &compared.comparison)
    }
}

impl ComparePage {
    pub(in crate::window) fn export(self: &Arc<Self>, format: CompareFormat) -> Result<Option<JobId>> {
        let report = self.report()?;
        let (kind, extensions): (_, &[&str]) = match format {
            CompareFormat::Csv => ("CSV", &["csv"]),
            CompareFormat::Json => ("JSON", &["json"]),
            CompareFormat::Markdown => ("Markdown", &["md"]),
            CompareFormat::Html => ("HTML", &["html"]),
        };
        let choice = FileChoice { title: "Export comparison".into(), kind, extensions, several: false };
        let suggestion = format!("comparison.{}", extensions[0]);
        let Some(chosen) = self.workspace.choose_target(&choice, &suggestion) else { return Ok(None) };
        // The export must not replace one of the versions.
        let versions: Vec<_> = self.locked().versions.iter().filter_map(|version| version.path.clone()).collect();
        let protected = self.workspace.protected().and(Protection::Compared, versions);
        let mut file = SafeFile::create(&chosen.path, chosen.may_replace, protected)?;
        let page = Arc::clone(self);
        let job = self.jobs.start(JobPurpose::Report, file_name(&chosen.path), move |progress| {
            let measures: Vec<&Measure> = MEASURES.iter().collect();
            let text = match format {
                CompareFormat::Csv => csv(&report.pairs(), &measures, false)?,
                CompareFormat::Json => json(&report)?,
                CompareFormat::Markdown => markdown(&report.pairs(), &measures),
                CompareFormat::Html => {
                    let pictures = page.report_pictures(&report, progress)?;
                    html::page(&report, &pictures)
                }
            };
            progress.check()?;
            file.append(text.as_bytes())?;
            file.commit()?;
            Ok(None)
        });
        Ok(Some(job))
    }

    /// Returns the report of the current comparison.
    fn report(&self) -> Result<Report> {
        let state = self.locked();
        let none = || Error::impossible("There is no comparison yet. Add two versions of a recording.");
        let (id, _) = state.reference().ok_or_else(none)?;
        let named = |id: u32| state.version(id).map(|version| Named { id, name: version.name.clone() });
        let mut rows = Vec::new();
        for version in state.versions.iter().filter(|version| version.id != id) {
            let result = match (&version.opened, state.compared(version.id)) {
                (Err(failure), _) | (Ok(_), Some(Err(failure))) => Err(failure.clone()),
                (Ok(_), Some(Ok(compared))) => Ok(Arc::clone(compared)),
                (Ok(_), None) => continue,
            };
            rows.push(Row { version: named(version.id)?, result });
        }
        if rows.is_empty() {
            return Err(none());
        }
        Ok(Report { reference: named(id)?, rows })
    }
}

/// Returns the document of `undertone compare --json --channels --curves`, with names in place of paths.
fn json(report: &Report) -> Result<String> {
    let document = Document { pairs: &report.pairs(), channels: true, curves: true, alone: &[] };
    let text = serde_json::to_string_pretty(&document);
    text.map(|text| text + "\n").map_err(|error| Error::Internal(error.to_string()))
}

impl Report {
    fn pairs(&self) -> Vec<Pair<'_>> {
        let pair = |row| {
            let Row { version, result }: &Row = row;
            Pair::new(&self.reference.name, &version.name, result.as_ref().map(|compared| &compared.comparison))
        };
        self.rows.iter().map(pair).collect()
    }

    /// Returns the sounds to draw: the reference, then each version and its difference.
    fn sounds(&self) -> Vec<(String, CompareSound)> {
        let mut sounds = vec![(self.reference.name.clone(), CompareSound::Version { version: self.reference.id })];
        for Row { version: Named { id, name }, result } in &self.rows {
            let Ok(compared) = result else { continue };
            sounds.push((name.clone(), CompareSound::Version { version: *id }));
            if compared.comparison.alignment.is_some() {
                sounds.push((format!("Difference of {name}"), CompareSound::Difference { version: *id }));
            }
        }
        sounds
    }
}
