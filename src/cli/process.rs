//! `undertone process`: recordings through a chain into files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use super::Outcome;
use super::arguments::{Bits, ChainChoice, DitherChoice, Format, Process};
use super::output::{Output, name};
use super::time::frame_from_text;
use crate::app::api::{Dither, ExportBits, ExportFormat, ExportSettings, Selection, StageSeconds};
use crate::app::export::{ExportJob, ExportOutcome, export};
use crate::app::{Directories, read_preset, settings};
use crate::audio::AudioFile;
use crate::chain::{Chain, Placement};
use crate::device::{DeviceReport, DeviceRequest, Devices, RunPurpose};
use crate::error::{Error, Failure, Result};
use crate::progress::Progress;

#[derive(Serialize)]
struct Report {
    input: PathBuf,
    #[serde(flatten)]
    result: FileResult,
}

#[derive(Serialize)]
#[serde(untagged)]
enum FileResult {
    Written(Box<Written>),
    Failed { error: Failure },
}

#[derive(Serialize)]
struct Written {
    output: PathBuf,
    frames: u64,
    channels: usize,
    rate: u32,
    bytes: u64,
    clipped: u64,
    peak_db: Option<f64>,
    device: DeviceReport,
    seconds: StageSeconds,
    warnings: Vec<String>,
}

pub fn run(words: &Process, device: Option<DeviceRequest>, output: &Output) -> Result<Outcome> {
    let chain = chain(&words.chain, output)?;
    let (devices, request) = devices_and_request(device)?;
    let placement = Placement::new(request, devices, RunPurpose::Export);
    let targets = targets(words)?;
    let mut reports = Vec::new();
    for (input, target) in words.inputs.iter().zip(targets) {
        let result = match one(words, input, target, &chain, &placement, output) {
            Ok(outcome) => {
                say(input, &outcome, output);
                FileResult::Written(Box::new(written(outcome)))
            }
            Err(error) => {
                output.note(&format!("undertone: {}: {error}", name(input)));
                FileResult::Failed { error: Failure::from(error) }
            }
        };
        reports.push(Report { input: input.clone(), result });
    }
    let any_failed = reports.iter().any(|report| matches!(report.result, FileResult::Failed { .. }));
    if output.is_json() {
        output.json(&serde_json::json!({ "files": reports }))?;
    }
    Ok(Outcome::of(any_failed))
}

/// The chain that was given as text or preset; none is the empty chain. A fault in the text is pointed at.
pub fn chain(choice: &ChainChoice, output: &Output) -> Result<Chain> {
    match (&choice.chain, &choice.preset) {
        (Some(text), _) => chain_from_text(text, output),
        (None, Some(path)) => read_preset(path),
        (None, None) => Ok(Chain::default()),
    }
}

/// The chain of a text, with a mark under its fault if it has one.
pub fn chain_from_text(text: &str, output: &Output) -> Result<Chain> {
    text.parse().map_err(|error| {
        output.point_at(text, &error);
        Error::Notation(error)
    })
}

/// The devices there are, and the one to use: as asked, else as the settings say.
pub fn devices_and_request(device: Option<DeviceRequest>) -> Result<(Arc<Devices>, DeviceRequest)> {
    let directories = Directories::of_this_user()?;
    let request = match device {
        Some(request) => request,
        None => settings::load(directories.config())?.0.device,
    };
    Ok((Arc::new(Devices::new(Some(directories.config().to_path_buf()))), request))
}

fn one(
    words: &Process,
    input: &Path,
    target: PathBuf,
    chain: &Chain,
    placement: &Placement,
    output: &Output,
) -> Result<ExportOutcome> {
    let file = AudioFile::open(input)?;
    for warning in &file.info().warnings {
        output.note(&format!("undertone: {}: {warning}", name(input)));
    }
    let settings = export_settings(words, &file, &target)?;
    let job = ExportJob {
        source: file.reader()?,
        chain: chain.clone(),
        placement: placement.clone(),
        settings,
        target,
        overwrite: words.overwrite,
        inputs: words.inputs.clone(),
        tags: file.info().tags.clone(),
    };
    let progress = Progress::new();
    let _bar = output.follow(&name(input), &progress);
    export(job, &progress)
}

fn export_settings(words: &Process, file: &AudioFile, target: &Path) -> Result<ExportSettings> {
    let info = file.info();
    let rate = info.audio.rate;
    let position = |what, text: &Option<String>, default| match text {
        Some(text) => frame_from_text(what, text, rate),
        None => Ok(default),
    };
    let range =
        Selection { start: position("--start", &words.start, 0)?, end: position("--end", &words.end, info.frames)? };
    if range.start > range.end || range.end > info.frames {
        let got = format!("frames {} to {}", range.start, range.end);
        return Err(Error::invalid("range", got, format!("a start before its end, up to frame {}", info.frames)));
    }
    let format = format(words.format, target)?;
    let bits = match words.bits {
        Some(Bits::Int16) => ExportBits::Int16,
        Some(Bits::Int24) => ExportBits::Int24,
        Some(Bits::Int32) => ExportBits::Int32,
        Some(Bits::Float32) => ExportBits::Float32,
        None => own_bits(format, info.bits, &info.codec),
    };
    let dither = match words.dither {
        Some(DitherChoice::None) => Dither::None,
        Some(DitherChoice::Tpdf) => Dither::Tpdf,
        Some(DitherChoice::Shaped) => Dither::Shaped,
        None if bits == ExportBits::Int16 => Dither::Tpdf,
        None => Dither::None,
    };
    Ok(ExportSettings { format, bits, dither, range: Some(range), rate: words.rate, tail: words.tail })
}

// The input's own sample format where the output has it; 24 bits hold what lossy codecs decode to.
fn own_bits(format: ExportFormat, bits: Option<u32>, codec: &str) -> ExportBits {
    match (format, bits) {
        (ExportFormat::Wav, Some(32 | 64)) if codec.contains("float") => ExportBits::Float32,
        (ExportFormat::Wav, Some(25..)) => ExportBits::Int32,
        (_, Some(..=16)) => ExportBits::Int16,
        _ => ExportBits::Int24,
    }
}

fn format(given: Option<Format>, target: &Path) -> Result<ExportFormat> {
    match given {
        Some(Format::Wav) => return Ok(ExportFormat::Wav),
        Some(Format::Flac) => return Ok(ExportFormat::Flac),
        None => {}
    }
    let extension = target.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("wav" | "wave" | "rf64") => Ok(ExportFormat::Wav),
        Some("flac") => Ok(ExportFormat::Flac),
        other => {
            Err(Error::invalid("output format", other.unwrap_or("no extension"), "wav or flac; --format says which"))
        }
    }
}

/// One target for each input: the output itself for a single input, else a file of each input's name in the folder.
fn targets(words: &Process) -> Result<Vec<PathBuf>> {
    if words.inputs.len() == 1 && !words.output.is_dir() {
        return Ok(vec![words.output.clone()]);
    }
    if !words.output.is_dir() {
        let got = words.output.display().to_string();
        return Err(Error::invalid("output for several inputs", got, "a folder that exists"));
    }
    let extension = |input: &Path| match words.format {
        Some(Format::Wav) => "wav",
        Some(Format::Flac) => "flac",
        None if input.extension().is_some_and(|own| own.eq_ignore_ascii_case("flac")) => "flac",
        None => "wav",
    };
    let target = |input: &PathBuf| {
        let stem = input.file_stem().unwrap_or(input.as_os_str());
        words.output.join(format!("{}.{}", stem.to_string_lossy(), extension(input)))
    };
    let targets: Vec<PathBuf> = words.inputs.iter().map(target).collect();
    for (index, target) in targets.iter().enumerate() {
        if let Some(earlier) = targets[..index].iter().position(|other| other == target) {
            let got = format!("{} and {}", words.inputs[earlier].display(), words.inputs[index].display());
            let allowed = format!("inputs of different names; both would be written to {}", target.display());
            return Err(Error::invalid("inputs", got, allowed));
        }
    }
    Ok(targets)
}

/// Says when something else was used than was asked for.
pub fn say_fallback(device: &DeviceReport, output: &Output) {
    if device.fallback {
        let DeviceReport { requested, used, reason, .. } = device;
        output.note(&format!("undertone: {requested} asked for, {used} used: {reason}"));
    }
}

fn say(input: &Path, outcome: &ExportOutcome, output: &Output) {
    say_fallback(&outcome.device, output);
    for warning in &outcome.warnings {
        output.note(&format!("undertone: {}: {warning}", name(input)));
    }
    if outcome.clipped > 0 {
        let over = crate::units::db_from_gain(outcome.peak);
        output.note(&format!(
            "undertone: {}: {} samples beyond full scale, by up to {over:.2} dB",
            name(input),
            outcome.clipped
        ));
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

fn written(outcome: ExportOutcome) -> Written {
    Written {
        frames: outcome.frames,
        channels: outcome.format.channels,
        rate: outcome.format.rate.hz(),
        bytes: outcome.bytes,
        clipped: outcome.clipped,
        peak_db: (outcome.peak > 0.0).then(|| crate::units::db_from_gain(outcome.peak)),
        device: outcome.device,
        seconds: outcome.seconds,
        warnings: outcome.warnings,
        output: outcome.target,
    }
}
