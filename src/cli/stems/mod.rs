//! `undertone stems`: splits recordings into stems.

pub mod arguments;
mod models;
mod targets;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use super::Outcome;
use super::arguments::ChainChoice;
use super::interrupt::cancel_on_interrupt;
use super::output::{Output, name};
use super::process::{check_own_chain, devices_and_request, dither_for, lossy_settings, say_fallback, tag_changes};
use super::time::frame_from_text;
use crate::app::Directories;
use crate::app::api::ExportSettings;
use crate::app::batch::inputs;
use crate::app::batch::targets::{extension, own_bits};
use crate::app::export::{self, ExportInput};
use crate::app::library::only_copies;
use crate::app::stem_files::{StemsJob, StemsOutcome, sound_of, write_stems};
use crate::audio::TagChanges;
use crate::audio::encode::FileFormat;
use crate::chain::{Chain, Placement};
use crate::device::{DeviceRequest, RunPurpose};
use crate::document::FrameRange;
use crate::error::{Error, Failure, Result};
use crate::files::Protected;
use crate::progress::Progress;
use crate::stems::{Separation, StemKind};
use arguments::Stems;
use targets::{Planned, planned};

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
    Failed {
        error: Failure,
    },
}

pub fn run(words: &Stems, device: Option<DeviceRequest>, output: &Output) -> Result<Outcome> {
    if words.list_models {
        return models::list(&words.inputs, output);
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
    if words.residual {
        stems.push(StemKind::Residual);
    }
    let (devices, request) = devices_and_request(device)?;
    let planned = planned(words, folder, &stems, inputs::find(&words.inputs, words.recursive, folder))?;
    let named: Vec<PathBuf> = planned.iter().map(|planned| planned.input.clone()).collect();
    let directories = Directories::of_this_user()?;
    let job = Job {
        words,
        split,
        placement: Placement::new(request, devices, RunPurpose::Export),
        inputs: export::protected(&named).with(words.tags.cover.clone()).guarded(only_copies(directories.data())),
        tags: tag_changes(&words.tags)?,
    };
    let reports = job.all(planned, output);
    let any_failed = reports.iter().any(|report| matches!(report.result, FileResult::Failed { .. }));
    if output.is_json() {
        output.json(&serde_json::json!({ "files": reports }))?;
    }
    Ok(Outcome::of(any_failed))
}

/// What the files have in common.
struct Job<'a> {
    words: &'a Stems,
    split: Separation,
    placement: Placement,
    inputs: Protected,
    tags: TagChanges,
}

impl Job<'_> {
    /// Splits the files one after the other.
    fn all(&self, planned: Vec<Planned>, output: &Output) -> Vec<Report> {
        let progress: Arc<Vec<Progress>> = Arc::new(planned.iter().map(|_| Progress::new()).collect());
        cancel_on_interrupt(&progress);
        let report = |(planned, progress): (Planned, &Progress)| {
            let _bar = output.follow(&name(&planned.input), progress);
            let input = planned.input.clone();
            let result = match self.file(planned, progress, output) {
                Ok(outcome) => {
                    say(&input, &outcome, &self.split, output);
                    let rough = matches!(self.split, Separation::Quick(_));
                    FileResult::Written { model: self.words.model.clone(), rough, outcome: Box::new(outcome) }
                }
                Err(error) => {
                    output.note(&format!("undertone: {}: {error}", name(&input)));
                    FileResult::Failed { error: Failure::from(error) }
                }
            };
            Report { input, result }
        };
        planned.into_iter().zip(progress.iter()).map(report).collect()
    }

    fn file(&self, planned: Planned, progress: &Progress, output: &Output) -> Result<StemsOutcome> {
        let Planned { input, targets } = planned;
        let targets = targets?;
        progress.check()?;
        let file = ExportInput::open(&input)?;
        for warning in file.warnings() {
            output.note(&format!("undertone: {}: {warning}", name(&input)));
        }
        let own = ChainChoice { chain: None, preset: None, allow_files: self.words.allow_files };
        check_own_chain(&own, &file)?;
        let source = sound_of(&file, &self.placement, progress)?;
        let settings = self.settings(&file, source.frames())?;
        for folder in targets.iter().filter_map(|(_, target)| target.parent()) {
            std::fs::create_dir_all(folder).map_err(|error| Error::io("make the folder", folder, error))?;
        }
        // Frames of a project are those after its chain, which may be others than those of its markers.
        let moved = file.own_chain().is_some_and(|chain| *chain != Chain::default());
        let job = StemsJob {
            source,
            placement: self.placement.clone(),
            split: self.split.clone(),
            targets,
            settings: ExportSettings { markers: !moved, ..settings },
            overwrite: self.words.overwrite,
            inputs: self.inputs.clone(),
            tags: self.tags.apply(file.tags()),
            markers: file.markers(),
            follow: None,
        };
        write_stems(job, progress)
    }

    fn settings(&self, file: &ExportInput, frames: u64) -> Result<ExportSettings> {
        let (words, info) = (self.words, file.info());
        let is_flac = extension(None, file.path()) == FileFormat::Flac.extension();
        let format = words.format.unwrap_or(if is_flac { FileFormat::Flac } else { FileFormat::Wav });
        let bits = words.bits.unwrap_or_else(|| own_bits(format, info.bits, &info.codec));
        let dither = dither_for(words.dither, format, bits, false);
        let position = |what, text: &Option<String>, default| match text {
            Some(text) => frame_from_text(what, text, file.format().rate),
            None => Ok(default),
        };
        let range =
            FrameRange { start: position("--start", &words.start, 0)?, end: position("--end", &words.end, frames)? };
        let plain = ExportSettings::plain(format, bits, dither, lossy_settings(&words.lossy, format)?);
        Ok(ExportSettings { range: Some(range), rate: words.rate, ..plain })
    }
}

fn say(input: &Path, outcome: &StemsOutcome, split: &Separation, output: &Output) {
    say_fallback(&outcome.device, output);
    for warning in &outcome.warnings {
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
