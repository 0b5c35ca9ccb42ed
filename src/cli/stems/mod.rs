//! `undertone stems`: splits recordings into stems.

pub mod arguments;
mod devices;
mod models;
mod run;
mod targets;

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::Outcome;
use super::options::{devices_and_request, say_fallback, tag_changes};
use super::output::{Output, name};
use crate::audio::tags::in_words;
use crate::chain::Placement;
use crate::device::{DeviceRequest, RunPurpose};
use crate::error::{Error, Failure, Result};
use crate::library::answers::only_copies;
use crate::stems::{ResidualUse, Separation, StemKind};
use crate::work::batch::inputs::{self, FoundInput};
use crate::work::batch::journal::Journal;
use crate::work::stem_files::StemsOutcome;
use crate::work::{Directories, export};
use arguments::Stems;
use run::Job;
use targets::planned;

#[derive(Serialize)]
struct Report {
    #[serde(flatten, serialize_with = "crate::files::json::as_input")]
    input: PathBuf,
    #[serde(flatten)]
    result: FileResult,
}

#[derive(Serialize)]
#[serde(untagged)]
enum FileResult {
    Written {
        model: String,
        rough: bool,
        #[serde(flatten)]
        outcome: Box<StemsOutcome>,
    },
    Before {
        model: String,
        skipped: bool,
        stems: Vec<StemBefore>,
    },
    Failed {
        error: Failure,
    },
}

/// A stem that was finished by an earlier run.
#[derive(Serialize)]
struct StemBefore {
    stem: StemKind,
    #[serde(flatten, serialize_with = "crate::files::json::as_output")]
    target: PathBuf,
}

pub fn run(words: &Stems, device: Option<DeviceRequest>, output: &Output) -> Result<Outcome> {
    if words.list_models {
        return models::list(&words.inputs, output);
    }
    if words.list_devices {
        let (devices, request) = devices_and_request(device)?;
        let (split, _) = models::chosen(words, Vec::new())?;
        return devices::list(&split, &Placement::new(request, devices, RunPurpose::Export), output);
    }
    let folder = words.output.as_deref().unwrap_or(Path::new("."));
    if folder.exists() && !folder.is_dir() {
        return Err(Error::impossible(format!("The output is not a folder: {}", folder.display())));
    }
    let named = words.stems.iter().flatten().map(|stem| StemKind::named(stem.trim())).collect::<Result<Vec<_>>>()?;
    if let Some(twice) = (1..named.len()).find(|&at| named[..at].contains(&named[at])) {
        let got = words.stems.iter().flatten().cloned().collect::<Vec<_>>().join(",");
        return Err(Error::invalid("--stems", got, format!("{} once", named[twice].name())));
    }
    let (split, mut stems) = models::chosen(words, named)?;
    split.check_residual(&stems, words.residual)?;
    stems.extend((words.residual == ResidualUse::Own).then_some(StemKind::Residual));
    let (devices, request) = devices_and_request(device)?;
    let journal = words.resume.then(|| journal(folder)).transpose()?;
    let made_here =
        |found: &FoundInput| matches!((found, &journal), (Ok(input), Some(journal)) if journal.made(&input.path));
    let found = inputs::find(&words.inputs, words.recursive, folder).into_iter().filter(|found| !made_here(found));
    let planned = planned(words, folder, &stems, found.collect())?;
    let named: Vec<PathBuf> = planned.iter().map(|planned| planned.input.clone()).collect();
    let directories = Directories::of_this_user()?;
    let job = Job {
        words,
        split,
        placement: Placement::new(request, devices, RunPurpose::Export),
        inputs: export::protected(&named).with(words.tags.cover.clone()).guarded(only_copies(directories.data())),
        tags: tag_changes(&words.tags)?,
        journal,
    };
    let reports = job.all(planned, output);
    let any_failed = reports.iter().any(|report| matches!(report.result, FileResult::Failed { .. }));
    if output.is_json() {
        output.json(&serde_json::json!({ "files": reports }))?;
    }
    Ok(Outcome::of(any_failed))
}

/// Opens the list of finished files in the output folder.
fn journal(folder: &Path) -> Result<Journal> {
    std::fs::create_dir_all(folder).map_err(|error| Error::io("make the folder", folder, error))?;
    Journal::open(folder)
}

fn say(input: &Path, outcome: &StemsOutcome, split: &Separation, output: &Output) {
    say_fallback(&outcome.device, output);
    for warning in outcome.warnings.iter().chain(&in_words(&outcome.changed_tags)) {
        output.note(&format!("undertone: {}: {warning}", name(input)));
    }
    for stem in outcome.stems.iter().filter(|stem| stem.clipped > 0) {
        output.note(&format!("undertone: {}: {} samples clipped", name(&stem.target), stem.clipped));
    }
    if output.is_json() {
        return;
    }
    for stem in &outcome.stems {
        output.line(&format!("{} -> {}", input.display(), stem.target.display()));
    }
    let StemsOutcome { seconds, realtime_factor, device, .. } = outcome;
    let (what, digits) = match split {
        Separation::Quick(_) => ("a rough split", 0),
        Separation::Network { .. } => ("split by the model", 2),
    };
    output.line(&format!("  {what}, {seconds:.2} s on {} ({realtime_factor:.digits$} x real time)", device.used));
}
