//! `undertone process`: renders recordings through a chain into files.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde::Serialize;

use super::Outcome;
use super::arguments::{Collisions, Process};
use super::interrupt::cancel_on_interrupt;
use super::options::{
    chain, check_own_chain, devices_and_request, dither_for, file_format, lossy_settings, say_fallback, tag_changes,
};
use super::output::{Output, name};
use super::time::range_from_texts;
use crate::audio::TagChanges;
use crate::audio::tags::in_words;
use crate::chain::{Chain, Placement};
use crate::device::{DeviceRequest, RunPurpose};
use crate::effects::Permission;
use crate::error::{Error, Failure, Result};
use crate::files::Protected;
use crate::library::answers::only_copies;
use crate::lock::lock;
use crate::progress::Progress;
use crate::work::Directories;
use crate::work::batch::inputs::{self, FoundInput};
use crate::work::batch::journal::Journal;
use crate::work::batch::naming::Template;
use crate::work::batch::run::{Batch, FileOutcome, Hold, PARTS, Planned, Step, parts_done, usual_jobs};
use crate::work::batch::targets::{Naming, number, own_bits, refuse};
use crate::work::export::{self, ExportInput, ExportOutcome, ExportSettings, LoudnessTarget};

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
    Written(Box<ExportOutcome>),
    Skipped {
        #[serde(flatten, serialize_with = "crate::files::json::as_output")]
        output: PathBuf,
        skipped: bool,
    },
    Failed {
        error: Failure,
    },
}

pub fn run(words: &Process, device: Option<DeviceRequest>, output: &Output) -> Result<Outcome> {
    let chain = chain(&words.chain, output)?;
    let (devices, request) = devices_and_request(device)?;
    let placement = Placement::new(request, devices, RunPurpose::Export);
    let batch = &words.batch;
    let found = inputs::find(&words.inputs, batch.recursive, &words.output);
    let journal = if batch.resume {
        if !words.output.is_dir() {
            let folder = words.output.display();
            return Err(Error::impossible(format!("--resume needs an output folder that exists: {folder}")));
        }
        Some(Journal::open(&words.output)?)
    } else {
        None
    };
    let found: Vec<FoundInput> = found
        .into_iter()
        .filter(|found| !matches!((found, &journal), (Ok(input), Some(journal)) if journal.made(&input.path)))
        .collect();
    let planned = targets(words, found)?;
    let inputs: Vec<PathBuf> = planned.iter().map(|planned| planned.input.clone()).collect();
    let reports = inputs.iter().map(|_| Mutex::new(None)).collect();
    let run = Run { words, output, names: inputs.clone(), reports };
    let placement = if planned.len() > 1 { placement.shared() } else { placement };
    let batch = Batch {
        inputs: protected(words, &inputs, &chain)?,
        chain,
        placement,
        settings: &|input, target| export_settings(words, input, target),
        journal,
        overwrite: words.overwrite,
        makes_folders: makes_folders(words),
        tags: TagChanges { replay_gain: words.replaygain, ..tag_changes(&words.tags)? },
    };
    let reports = run.all(&batch, planned);
    let any_failed = reports.iter().any(|report| matches!(report.result, FileResult::Failed { .. }));
    if output.is_json() {
        output.json(&serde_json::json!({ "files": reports }))?;
    }
    Ok(Outcome::of(any_failed))
}

/// Returns the files that no output may replace: the inputs, the files read with them, and the library's only copies.
fn protected(words: &Process, inputs: &[PathBuf], chain: &Chain) -> Result<Protected> {
    let directories = Directories::of_this_user()?;
    let read = chain.named_files().into_iter().chain(words.tags.cover.clone());
    Ok(export::protected(inputs).with(read).guarded(only_copies(directories.data())))
}

/// Prints and collects the reports on the files of a run.
struct Run<'a> {
    words: &'a Process,
    output: &'a Output,
    names: Vec<PathBuf>,
    reports: Vec<Mutex<Option<Report>>>,
}

impl Run<'_> {
    /// Processes all files, several at a time. The reports are in the order of the inputs.
    fn all(&self, batch: &Batch, planned: Vec<Planned>) -> Vec<Report> {
        let count = planned.len();
        let progress: Arc<Vec<Progress>> = Arc::new((0..count).map(|_| Progress::new()).collect());
        let finished = Arc::new(AtomicUsize::new(0));
        let _bar = match self.names.first() {
            Some(only) if count == 1 => self.output.follow(&name(only), &progress[0]),
            _ => {
                let (progress, finished) = (Arc::clone(&progress), Arc::clone(&finished));
                self.output.follow_with(&format!("{count} files"), move || {
                    let done: u64 = progress.iter().map(parts_done).sum();
                    (done.max(finished.load(Ordering::Relaxed) as u64 * PARTS), count as u64 * PARTS)
                })
            }
        };
        let jobs = self.words.batch.jobs.map_or_else(|| usual_jobs(&batch.placement.request), usize::from);
        cancel_on_interrupt(&progress);
        batch.all(planned, &progress, jobs, &Hold::default(), &|index, step| {
            let input = &self.names[index];
            match step {
                Step::Begun => {}
                Step::Opened(file) => {
                    for warning in file.warnings() {
                        self.output.note(&format!("undertone: {}: {warning}", name(input)));
                    }
                }
                Step::Ended(outcome) => {
                    *lock(&self.reports[index]) = Some(self.report(input, outcome));
                    finished.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        self.reports.iter().filter_map(|report| lock(report).take()).collect()
    }

    fn report(&self, input: &Path, outcome: Result<FileOutcome>) -> Report {
        let result = match outcome {
            Ok(FileOutcome::Written(outcome)) => {
                say(input, &outcome, self.output);
                FileResult::Written(outcome)
            }
            Ok(FileOutcome::Before(target)) => {
                if !self.output.is_json() {
                    self.output.line(&format!("{} -> {}  skipped, finished before", input.display(), target.display()));
                }
                FileResult::Skipped { output: target, skipped: true }
            }
            Err(error) => {
                self.output.note(&format!("undertone: {}: {error}", name(input)));
                FileResult::Failed { error: Failure::from(error) }
            }
        };
        Report { input: input.to_path_buf(), result }
    }
}

/// Returns whether folders may be created for outputs.
fn makes_folders(words: &Process) -> bool {
    words.batch.recursive || words.batch.name.is_some()
}

fn export_settings(words: &Process, input: &ExportInput, target: &Path) -> Result<(ExportSettings, Vec<String>)> {
    check_own_chain(&words.chain, input)?;
    let info = input.info();
    let (start, end) = (words.start.as_deref(), words.end.as_deref());
    let (range, told) = range_from_texts(start, end, input.format().rate, input.frames())?;
    let format = file_format(words.format, target)?;
    let bits = words.bits.unwrap_or_else(|| own_bits(format, info.bits, &info.codec));
    let dither = dither_for(words.dither, format, bits);
    let settings = ExportSettings {
        format,
        bits,
        dither,
        range: Some(range),
        rate: words.rate,
        tail: words.tail,
        lossy: lossy_settings(&words.lossy, format)?,
        gain_db: words.gain,
        markers: true,
        loudness: words.loudness.map(|lufs| LoudnessTarget { lufs, true_peak_db: words.true_peak }),
    };
    Ok((settings, told.into_iter().collect()))
}

/// Returns one target per input: the output itself for a single input, otherwise a file in the folder, named by the
/// template or after the input.
fn targets(words: &Process, found: Vec<FoundInput>) -> Result<Vec<Planned>> {
    if let ([Ok(input)], false, false) = (found.as_slice(), words.output.is_dir(), makes_folders(words)) {
        return Ok(vec![Planned { input: input.path.clone(), target: Ok(words.output.clone()) }]);
    }
    if !words.output.is_dir() && (words.output.exists() || !makes_folders(words)) {
        let output = words.output.display();
        return Err(Error::impossible(format!("Several inputs need an output folder that exists: {output}")));
    }
    let template = words.batch.name.as_deref().map(Template::parse).transpose()?;
    let naming = Naming { folder: &words.output, template: template.as_ref(), format: words.format };
    let mut planned = Vec::with_capacity(found.len());
    for (index, found) in found.into_iter().enumerate() {
        planned.push(match found {
            Ok(input) => {
                let target = naming
                    .target(&input, index + 1, || Ok(ExportInput::open(&input.path, &Permission::ANY)?.tags().clone()));
                Planned { target, input: input.path }
            }
            Err((input, error)) => Planned { input, target: Err(error) },
        });
    }
    match words.batch.collisions {
        Collisions::Refuse => {
            let pairs: Vec<(&Path, &Path)> = planned
                .iter()
                .filter_map(|planned| Some((planned.input.as_path(), planned.target.as_deref().ok()?)))
                .collect();
            refuse(&pairs)?;
        }
        Collisions::Number => {
            number(planned.iter_mut().filter_map(|planned| planned.target.as_mut().ok()));
        }
    }
    Ok(planned)
}

fn say(input: &Path, outcome: &ExportOutcome, output: &Output) {
    say_fallback(&outcome.device, output);
    for warning in outcome.warnings.iter().chain(&in_words(&outcome.changed_tags)) {
        output.note(&format!("undertone: {}: {warning}", name(input)));
    }
    if outcome.clipped > 0 {
        let over = crate::units::db_from_gain(outcome.peak);
        output.note(&format!("undertone: {}: {} samples clipped, by up to {over:.2} dB", name(input), outcome.clipped));
    }
    if !output.is_json() {
        let rate = outcome.format.rate;
        let speed = rate.seconds_from_frames(outcome.frames) / outcome.seconds.total.max(1e-9);
        output.line(&format!(
            "{} -> {}  {} frames, {rate}, {} channels, {:.2} s on {} ({:.0} x real time)",
            input.display(),
            outcome.target.display(),
            outcome.frames,
            outcome.format.channels,
            outcome.seconds.total,
            outcome.device.used,
            speed,
        ));
    }
}
