//! `undertone process`: renders recordings through a chain into files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde::Serialize;

use super::Outcome;
use super::arguments::{ChainChoice, Collisions, Lossy, Process, TagWords};
use super::interrupt::cancel_on_interrupt;
use super::output::{Output, name};
use super::time::range_from_texts;
use crate::app::api::{ExportSettings, LoudnessTarget};
use crate::app::batch::inputs::{self, FoundInput};
use crate::app::batch::journal::Journal;
use crate::app::batch::naming::Template;
use crate::app::batch::run::{Batch, Done, Hold, PARTS, Planned, Step, parts_done, usual_jobs};
use crate::app::batch::targets::{Naming, number, own_bits, refuse};
use crate::app::export::{self, ExportInput, ExportOutcome};
use crate::app::library::only_copies;
use crate::app::{Directories, read_cover, read_preset, settings};
use crate::audio::encode::{Dither, FileFormat, LossySettings, OpusApplication, SampleFormat};
use crate::audio::tags::in_words;
use crate::audio::{CoverChange, TagChanges};
use crate::chain::{Chain, Placement};
use crate::device::{DeviceReport, DeviceRequest, Devices, RunPurpose};
use crate::error::{Error, Failure, Result};
use crate::files::Protected;
use crate::lock::lock;
use crate::progress::Progress;

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

/// Returns the changes of tags that the options ask for.
pub fn tag_changes(words: &TagWords) -> Result<TagChanges> {
    let TagWords { tags, cover, no_cover } = words;
    let mut items = BTreeMap::new();
    for tag in tags {
        let parts = tag.split_once('=').filter(|(name, _)| !name.trim().is_empty());
        let (name, text) =
            parts.ok_or_else(|| Error::invalid("tag", tag.as_str(), "NAME=TEXT, such as TITLE=Nocturne"))?;
        items.insert(name.trim().to_uppercase(), text.to_owned());
    }
    let cover = match cover {
        Some(path) => CoverChange::Replace(read_cover(path)?),
        None if *no_cover => CoverChange::Remove,
        None => CoverChange::Keep,
    };
    Ok(TagChanges { items, cover, ..TagChanges::default() })
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

    fn report(&self, input: &Path, outcome: Result<Done>) -> Report {
        let result = match outcome {
            Ok(Done::Written(outcome)) => {
                say(input, &outcome, self.output);
                FileResult::Written(outcome)
            }
            Ok(Done::Before(target)) => {
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

/// Returns the chain given as text or preset, or the empty chain if neither is given. Marks the position of an error in
/// the text.
pub fn chain(choice: &ChainChoice, output: &Output) -> Result<Chain> {
    match (&choice.chain, &choice.preset) {
        (Some(text), _) => chain_from_text(text, output),
        (None, Some(path)) => {
            let chain = read_preset(path)?;
            if !choice.allow_files {
                check_files(&chain, path)?;
            }
            Ok(chain)
        }
        (None, None) => Ok(Chain::default()),
    }
}

/// Refuses a project whose chain names files, unless that is allowed.
pub fn check_own_chain(choice: &ChainChoice, input: &ExportInput) -> Result<()> {
    match input.own_chain() {
        Some(own) if !choice.allow_files => check_files(own, input.path()),
        _ => Ok(()),
    }
}

/// Refuses a preset or a project whose chain names files: it may come from an untrusted source, and the files may be any
/// of the user's.
fn check_files(chain: &Chain, file: &Path) -> Result<()> {
    let named: Vec<String> = chain.named_files().iter().map(|file| file.display().to_string()).collect();
    if named.is_empty() {
        return Ok(());
    }
    let reason = format!("Its chain reads {}. Add --allow-files to allow it", named.join(", "));
    Err(Error::Refused { reason, path: file.to_path_buf() })
}

/// Parses a chain. If the text has an error, marks the position below it.
pub fn chain_from_text(text: &str, output: &Output) -> Result<Chain> {
    text.parse().map_err(|error| {
        output.point_at(text, &error);
        Error::Notation(error)
    })
}

/// Returns all devices, and the requested device: `device` if given, otherwise the one from the settings.
pub fn devices_and_request(device: Option<DeviceRequest>) -> Result<(Arc<Devices>, DeviceRequest)> {
    let directories = Directories::of_this_user()?;
    let request = match device {
        Some(request) => request,
        None => settings::load(directories.config())?.0.device,
    };
    Ok((Arc::new(Devices::new(Some(directories.config().to_path_buf()))), request))
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

/// Returns the requested dither; by default triangular dither for 16 bits, which applies only to samples that do not
/// fit. Lossy formats get none.
pub fn dither_for(asked: Option<Dither>, format: FileFormat, bits: SampleFormat) -> Dither {
    match asked {
        _ if format.is_lossy() => Dither::None,
        Some(dither) => dither,
        None if bits == SampleFormat::Int16 => Dither::Tpdf,
        None => Dither::None,
    }
}

/// Returns the settings of a format from the options. The same two options for quality and bit rate apply to every format
/// that supports them.
pub fn lossy_settings(words: &Lossy, format: FileFormat) -> Result<LossySettings> {
    let &Lossy { quality, bitrate, constrained, complexity, speech } = words;
    let mut settings =
        LossySettings { opus_constrained: constrained, opus_complexity: complexity, ..Default::default() };
    if speech {
        settings.opus_application = OpusApplication::Speech;
    }
    let has_none = |what: &str, got: String, allowed: &str| Err(Error::invalid(what, got, allowed.to_owned()));
    match (format, quality) {
        (_, None) => {}
        (FileFormat::Vorbis, Some(quality)) => settings.vorbis_quality = quality,
        (FileFormat::Mp3, Some(quality)) if quality.fract() == 0.0 && (0.0..=9.0).contains(&quality) => {
            settings.mp3_quality = quality as u8;
        }
        (FileFormat::Mp3, Some(quality)) => {
            return has_none("--quality", quality.to_string(), "a whole number from 0 to 9 for MP3");
        }
        (_, Some(quality)) => {
            let problem =
                format!("--quality {quality} is for Vorbis and MP3. Use --bitrate for Opus, --bits for WAV and FLAC.");
            return Err(Error::impossible(problem));
        }
    }
    match (format, bitrate) {
        (_, None) => {}
        (FileFormat::Opus, kbps) => settings.opus_kbps = kbps,
        (FileFormat::Mp3, kbps) => settings.mp3_kbps = kbps,
        (_, Some(kbps)) => {
            let problem = format!("--bitrate {kbps} is for Opus and MP3. Use --quality for Vorbis.");
            return Err(Error::impossible(problem));
        }
    }
    Ok(settings)
}

/// Returns the given format, or the one of the output's extension.
pub fn file_format(given: Option<FileFormat>, target: &Path) -> Result<FileFormat> {
    if let Some(format) = given {
        return Ok(format);
    }
    let extension = target.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("wav" | "wave" | "rf64") => Ok(FileFormat::Wav),
        Some("flac") => Ok(FileFormat::Flac),
        Some("ogg" | "oga") => Ok(FileFormat::Vorbis),
        Some("opus") => Ok(FileFormat::Opus),
        Some("mp3") => Ok(FileFormat::Mp3),
        other => {
            let allowed = "wav, flac, ogg, opus or mp3, or given by --format";
            Err(Error::invalid("the output's extension", other.unwrap_or_default(), allowed))
        }
    }
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
                let target = naming.target(&input, index + 1, || Ok(ExportInput::open(&input.path)?.tags().clone()));
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

/// Notes if another device was used than requested.
pub fn say_fallback(device: &DeviceReport, output: &Output) {
    if device.fallback {
        let DeviceReport { requested, used, reason, .. } = device;
        output.note(&format!("undertone: {requested} is not used, but {used}: {reason}"));
    }
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
