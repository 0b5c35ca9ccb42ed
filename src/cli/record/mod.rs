//! `undertone record`: records an input to a file.

pub mod arguments;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::Outcome;
use super::interrupt::Interrupt;
use super::options::{chain, devices_and_request, file_format};
use super::output::{Output, name};
use super::time::{frame_from_text, text_from_seconds};
use crate::audio::encode::{Dither, FileFormat, LossySettings, Protected, SampleFormat};
use crate::audio::{AudioFormat, MarkerList};
use crate::chain::{Chain, Placement};
use crate::device::{DeviceRequest, RunPurpose};
use crate::effects::Permission;
use crate::error::{Error, Result};
use crate::files::check_target;
use crate::library::answers::only_copies;
use crate::playback::capture::{InputInfo, InputWish, inputs};
use crate::progress::Progress;
use crate::recording::{
    self, InputChoice, LostPart, Recorder, RecorderState, RecorderStatus, Take, TakeEnd, free_name,
};
use crate::units::db_from_gain;
use crate::work::Directories;
use crate::work::export::{self, ExportInput, ExportJob, ExportSettings, Tagging};
use arguments::Record;

/// How often to check for Ctrl+C.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How often the state is shown.
const SHOW_EVERY: Duration = Duration::from_millis(500);
/// The level of silence in JSON, in dBFS.
const FLOOR_DB: f64 = -200.0;

/// The finished recording, as JSON.
#[derive(Serialize)]
struct Recorded<'a> {
    #[serde(flatten, serialize_with = "crate::files::json::as_output")]
    output: &'a Path,
    input: &'a str,
    #[serde(flatten)]
    format: AudioFormat,
    frames: u64,
    seconds: f64,
    clipped: Vec<u64>,
    losses: u64,
    lost: &'a [LostPart],
    end: &'a TakeEnd,
}

/// The state while it records, as a line of JSON.
#[derive(Serialize)]
struct Shown {
    state: RecorderState,
    recorded_s: f64,
    peak_db: Vec<f64>,
    clipped: Vec<u64>,
    losses: u64,
    left_s: Option<f64>,
}

#[derive(Serialize)]
struct Recovered<'a> {
    #[serde(flatten, serialize_with = "crate::files::json::as_path")]
    path: &'a Path,
    frames: u64,
}

pub fn run(words: &Record, device: Option<DeviceRequest>, output: &Output) -> Result<Outcome> {
    if words.list_inputs {
        return list(output);
    }
    let directories = Directories::of_this_user()?;
    if words.recover {
        return recover(&directories, output);
    }
    let target = words.output.as_deref().ok_or_else(|| Error::Internal("no output was given".into()))?;
    let chain = chain(&words.chain, output)?;
    let format = file_format(None, target)?;
    format.check_encoder()?;
    let kept = export::protected(&[]).with(chain.named_files()).guarded(only_copies(directories.data()));
    check_target(target, words.overwrite, &kept)?;
    let is_plain = format == FileFormat::Wav && chain.nodes.is_empty();
    let dry = if is_plain && !target.exists() { target.to_path_buf() } else { dry_name(target) };

    let choice = InputChoice {
        input: InputWish { input: words.input.input.clone(), rate: words.rate, frames: None },
        channels: words.input.channels(),
    };
    let interrupt = Interrupt::listen();
    let opening = Progress::new();
    let recorder = Recorder::arm(&choice, &opening)?;
    let audio = recorder.format();
    // A chain that does not fit is reported before anything is recorded.
    chain.check(audio)?;
    format.check_layout(audio)?;
    let length = words.length.as_deref().map(|text| frame_from_text("--length", text, audio.rate)).transpose()?;
    let take = Take {
        path: dry.clone(),
        sample: words.bits.sample(),
        length_s: length.map(|frames| audio.rate.seconds_from_frames(frames)),
        start_at_db: words.start_at.as_deref().map(level).transpose()?,
        preroll_s: if words.start_at.is_some() { words.preroll } else { 0.0 },
        belongs: None,
    };
    recorder.begin(&take, Some(directories.data()))?;
    let end = follow(recorder, &interrupt, output);
    say_losses(&end, output);
    if end.frames == 0 {
        return Err(match end.end {
            Some(TakeEnd::Problem(why)) => Error::Capture(why),
            _ => Error::Capture("Nothing was recorded: it was stopped before the level was reached".into()),
        });
    }
    if is_plain {
        if dry != target {
            check_target(target, words.overwrite, &kept)?;
            std::fs::rename(&dry, target).map_err(|source| Error::io("rename", target, source))?;
        }
    } else {
        let settings = settings(format, take.sample);
        let progress = Progress::new();
        if !interrupt.is_heard() {
            cancel_when(&interrupt, &progress);
        }
        convert(&dry, target, chain, settings, words.overwrite, kept, device, output, &progress).inspect_err(|_| {
            output.note(&format!("undertone: The recording itself is kept: {}", dry.display()));
        })?;
        if let Err(error) = std::fs::remove_file(&dry) {
            output.note(&format!("undertone: {}: {error}", dry.display()));
        }
    }
    say(target, &end, audio, output)
}

fn list(output: &Output) -> Result<Outcome> {
    let found = inputs()?;
    if output.is_json() {
        output.json(&serde_json::json!({ "inputs": found }))?;
    } else if found.is_empty() {
        output.note("No sound input found. Connect a microphone, or start the sound server");
    }
    for InputInfo { name, rate, channels, is_default, .. } in found.iter().filter(|_| !output.is_json()) {
        let unit = if *channels == 1 { "channel" } else { "channels" };
        let default = if *is_default { ", default" } else { "" };
        output.line(&format!("{name}  {channels} {unit}, {rate} Hz{default}"));
    }
    Ok(Outcome::Done)
}

fn recover(directories: &Directories, output: &Output) -> Result<Outcome> {
    let mut recovered = Vec::new();
    let mut any_failed = false;
    for left in recording::left(directories.data()) {
        match recording::recover(directories.data(), &left.id) {
            Ok(found) => recovered.push(found),
            Err(error) => {
                any_failed = true;
                output.note(&format!("undertone: {error}"));
            }
        }
    }
    if output.is_json() {
        let files: Vec<_> = recovered.iter().map(|(path, frames)| Recovered { path, frames: *frames }).collect();
        output.json(&serde_json::json!({ "recovered": files }))?;
    } else {
        for (path, frames) in &recovered {
            output.line(&format!("{}  {frames} samples", path.display()));
        }
        if recovered.is_empty() && !any_failed {
            output.note("No recording was left");
        }
    }
    Ok(Outcome::of(any_failed))
}

/// Returns the name of the file that is recorded into while `target` is not the recording itself.
fn dry_name(target: &Path) -> PathBuf {
    let stem = target.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    free_name(target.parent().unwrap_or(Path::new("")), &format!("{stem} (recording)"))
}

/// Parses a level such as `-40dB`, `-40 dB` or `-40`.
fn level(text: &str) -> Result<f64> {
    let number = text.trim().trim_end_matches(['d', 'B', 'D', 'b', 'F', 'S', 'f', 's']).trim();
    let parsed = number.parse().ok().filter(|level: &f64| level.is_finite());
    parsed.ok_or_else(|| Error::invalid("--start-at", text, "a level in dBFS, such as -40dB"))
}

/// Shows the recorder's state until it ends or Ctrl+C is pressed. Returns its last state.
fn follow(recorder: Recorder, interrupt: &Interrupt, output: &Output) -> RecorderStatus {
    let terminal = std::io::stderr().is_terminal() && !output.is_json();
    let mut shown: Option<Instant> = None;
    loop {
        let status = recorder.status();
        if status.state == RecorderState::Ended || interrupt.is_heard() {
            break;
        }
        if shown.is_none_or(|at| at.elapsed() >= SHOW_EVERY) {
            shown = Some(Instant::now());
            if output.is_json() {
                output.note(&serde_json::to_string(&shown_of(&status)).unwrap_or_default());
            } else if terminal {
                output.over(&line(&status));
            }
        }
        std::thread::sleep(LOOK_EVERY);
    }
    let end = recorder.stop();
    if terminal {
        output.note("");
    }
    end
}

fn shown_of(status: &RecorderStatus) -> Shown {
    Shown {
        state: status.state,
        recorded_s: status.recorded_s,
        peak_db: status.channels.iter().map(|level| decibels(level.peak)).collect(),
        clipped: status.channels.iter().map(|level| level.clipped).collect(),
        losses: status.losses,
        left_s: status.left_s,
    }
}

fn decibels(gain: f32) -> f64 {
    db_from_gain(f64::from(gain)).max(FLOOR_DB)
}

fn line(status: &RecorderStatus) -> String {
    let time = text_from_seconds(status.recorded_s);
    let levels: Vec<String> =
        status.channels.iter().map(|level| format!("{:.0}", decibels(level.peak).max(-99.0))).collect();
    let clipped: u64 = status.channels.iter().map(|level| level.clipped).sum();
    let state = match status.state {
        RecorderState::Waiting => "waiting for sound",
        RecorderState::Paused => "paused",
        _ => "recording",
    };
    let clipping = if clipped > 0 { format!("  {clipped} clipped") } else { String::new() };
    let disk = status.left_s.map_or_else(String::new, |left| {
        format!("  disk: {} left", text_from_seconds(left.round()).trim_end_matches(".000"))
    });
    format!("{state}  {time}  {} dBFS{clipping}{disk}   ", levels.join(" "))
}

fn say_losses(end: &RecorderStatus, output: &Output) {
    if let Some(TakeEnd::Problem(why)) = &end.end {
        output.note(&format!("undertone: {why}"));
    }
    if end.losses > 0 {
        output.note(&format!("undertone: Samples were lost {} times. In their place there is silence", end.losses));
    }
    for lost in &end.lost {
        let at = text_from_seconds(lost.at_s);
        output.note(&match lost.frames {
            Some(frames) => format!("  {at}: {frames} samples"),
            None => format!("  {at}: as many as the system does not say"),
        });
    }
}

fn settings(format: FileFormat, recorded: SampleFormat) -> ExportSettings {
    // FLAC has no floats.
    let bits = if format == FileFormat::Flac { SampleFormat::Int24 } else { recorded };
    ExportSettings::plain(format, bits, Dither::None, LossySettings::default())
}

#[allow(clippy::too_many_arguments, reason = "an export is all of these")]
fn convert(
    dry: &Path,
    target: &Path,
    chain: Chain,
    settings: ExportSettings,
    overwrite: bool,
    kept: Protected,
    device: Option<DeviceRequest>,
    output: &Output,
    progress: &Progress,
) -> Result<()> {
    let input = ExportInput::open(dry, &Permission::ANY)?;
    let (devices, request) = devices_and_request(device)?;
    let _bar = output.follow(&name(target), progress);
    let placement = Placement::new(request, devices, RunPurpose::Export);
    let job = ExportJob {
        source: input.reader(&placement, progress)?,
        chain,
        placement,
        settings,
        target: target.to_path_buf(),
        overwrite,
        inputs: kept.with([dry.to_path_buf()]),
        tags: Tagging::default(),
        markers: MarkerList::default(),
    };
    let outcome = export::export(job, progress)?;
    for warning in &outcome.warnings {
        output.note(&format!("undertone: {}: {warning}", name(target)));
    }
    Ok(())
}

/// Cancels a conversion when Ctrl+C is pressed.
fn cancel_when(interrupt: &Interrupt, progress: &Progress) {
    let (interrupt, progress) = (interrupt.clone(), progress.clone());
    std::thread::spawn(move || {
        while !interrupt.is_heard() {
            std::thread::sleep(LOOK_EVERY);
        }
        progress.cancel();
    });
}

fn say(target: &Path, end: &RecorderStatus, format: AudioFormat, output: &Output) -> Result<Outcome> {
    let stopped = TakeEnd::Stopped;
    let why = end.end.as_ref().unwrap_or(&stopped);
    let clipped: Vec<u64> = end.channels.iter().map(|level| level.clipped).collect();
    if output.is_json() {
        output.json(&Recorded {
            output: target,
            input: &end.input.name,
            format,
            frames: end.frames,
            seconds: end.recorded_s,
            clipped,
            losses: end.losses,
            lost: &end.lost,
            end: why,
        })?;
    } else {
        let total: u64 = clipped.iter().sum();
        let clipping = if total > 0 { format!(", {total} samples clipped") } else { String::new() };
        let time = text_from_seconds(end.recorded_s);
        output.line(&format!("{} -> {}  {time}{clipping}", end.input.name, target.display()));
    }
    Ok(Outcome::of(matches!(why, TakeEnd::Problem(_))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_read_as_people_write_it() {
        for text in ["-40dB", "-40 dB", "-40", "-40 dBFS"] {
            assert_eq!(level(text).ok(), Some(-40.0), "{text}");
        }
        for wrong in ["", "dB", "loud", "nan"] {
            assert!(level(wrong).is_err(), "{wrong}");
        }
    }
}
