//! `undertone library scan`: adds folders, scans them, shows progress and prints a summary.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::arguments::Scan;
use crate::chain::Placement;
use crate::cli::Outcome;
use crate::cli::interrupt::Interrupt;
use crate::cli::options::{devices_and_request, say_fallback};
use crate::cli::output::Output;
use crate::cli::shown::shown;
use crate::cli::time::text_from_seconds;
use crate::device::{DeviceReport, DeviceRequest, RunPurpose};
use crate::error::{Error, Result};
use crate::library::answers::add_folder;
use crate::library::{
    Library, Phase, ScanEvent, ScanHandle, ScanOptions, ScanOutcome, ScanStatus, ScanSummary, TrackError,
};
use crate::lock::lock;
use crate::work::file_analysis::analyser;

/// Interval for drawing the bar and checking for the end of the scan.
const TICK: Duration = Duration::from_millis(50);

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten, serialize_with = "crate::files::json::as_library")]
    library: &'a Path,
    tracks_per_s: f64,
    #[serde(flatten)]
    summary: &'a ScanSummary,
    devices: &'a [DeviceUse],
    errors: &'a [TrackError],
}

/// A device, the reason for its use, and the number of tracks analysed on it.
#[derive(Serialize)]
struct DeviceUse {
    #[serde(flatten)]
    report: DeviceReport,
    tracks: u64,
}

/// Counts one more track. Reasons may contain measured times and could differ for every track, so reports are grouped
/// by device and fallback only.
fn count(used: &mut Vec<DeviceUse>, report: &DeviceReport) {
    let same = |one: &&mut DeviceUse| one.report.used == report.used && one.report.fallback == report.fallback;
    match used.iter_mut().find(same) {
        Some(one) => one.tracks += 1,
        None => used.push(DeviceUse { report: report.clone(), tracks: 1 }),
    }
}

pub fn run(words: &Scan, library: &Library, device: Option<DeviceRequest>, output: &Output) -> Result<Outcome> {
    let only = words.folders.iter().map(|folder| add_folder(library, folder)).collect::<Result<Vec<_>>>()?;
    if library.roots()?.is_empty() {
        return Err(Error::impossible("The library has no folders. Add some with `undertone library scan FOLDER...`"));
    }
    if words.retry {
        library.retry(None)?;
    }
    let failed: Arc<Mutex<BTreeSet<i64>>> = Arc::default();
    let noted = Arc::clone(&failed);
    let (devices, request) = devices_and_request(device)?;
    let used: Arc<Mutex<Vec<DeviceUse>>> = Arc::default();
    let told = Arc::clone(&used);
    let analyser = analyser(Placement::new(request, devices, RunPurpose::Export).shared(), move |report| {
        count(&mut lock(&told), report);
    });
    let options = ScanOptions {
        only,
        workers: words.workers.map(usize::from),
        memory_bytes: words.memory << 20,
        track_timeout: (words.timeout > 0).then(|| Duration::from_secs(words.timeout)),
        observer: Some(Arc::new(move |event| {
            if let ScanEvent::Failed { id, .. } = event {
                lock(&noted).insert(*id);
            }
        })),
        ..ScanOptions::new(analyser)
    };
    let scan = library.scan(options)?;
    follow(&scan, &Interrupt::listen(), output);
    let summary = scan.wait()?;
    let failed = std::mem::take(&mut *lock(&failed));
    let used = std::mem::take(&mut *lock(&used));
    let mut errors = library.errors()?;
    errors.retain(|error| failed.contains(&error.id));
    let tracks_per_s = summary.counts.through() as f64 / summary.elapsed_s.max(1e-9);
    if output.is_json() {
        output.json(&Report {
            library: &library.place().shown(),
            tracks_per_s,
            summary: &summary,
            devices: &used,
            errors: &errors,
        })?;
    } else {
        print(&summary, tracks_per_s, &used, output);
    }
    for one in &used {
        say_fallback(&one.report, output);
    }
    for notice in &summary.notices {
        output.note(&format!("undertone: {notice}"));
    }
    for error in &errors {
        // Most reasons already end with the path.
        let path = if error.reason.contains(&error.path) { String::new() } else { format!(": {}", error.path) };
        output.note(&format!("undertone: {}{path}", error.reason));
    }
    // A cancelled scan is not complete, although no result is lost.
    Ok(Outcome::of(summary.counts.failed > 0 || summary.outcome == ScanOutcome::Cancelled))
}

/// Draws a bar on a terminal until the scan ends. Ctrl+C cancels the scan; tracks in progress are left to the next
/// scan.
fn follow(scan: &ScanHandle, interrupt: &Interrupt, output: &Output) {
    let bar = ProgressBar::with_draw_target(Some(0), output.draw_target());
    if let Ok(style) = ProgressStyle::with_template("{prefix:10!} {wide_bar} {pos}/{len}  {msg}") {
        bar.set_style(style);
    }
    let mut lines = output.progress_lines("scan");
    while !scan.is_finished() {
        if interrupt.is_heard() {
            scan.cancel();
        }
        let status = scan.status();
        bar.set_length(status.tracks_total);
        bar.set_position(status.tracks_done);
        bar.set_prefix(phase(&status));
        bar.set_message(shown(&pace(&status)).into_owned());
        if let Some(lines) = &mut lines {
            lines.tell(status.tracks_done, status.tracks_total);
        }
        std::thread::sleep(TICK);
    }
    bar.finish_and_clear();
}

fn phase(status: &ScanStatus) -> &'static str {
    match status.phase {
        Phase::Walking => "Looking",
        Phase::Analysing => "Listening",
        Phase::Pausing | Phase::Paused => "Paused",
        Phase::Held => "Held",
        Phase::Stopping => "Stopping",
        Phase::Ended => "Done",
    }
}

/// Returns the rate and the remaining time, or the fault that blocks the scan.
fn pace(status: &ScanStatus) -> String {
    if let Some(fault) = &status.fault {
        return fault.clone();
    }
    let remaining = status.remaining_s.map_or(String::new(), |seconds| {
        let whole = text_from_seconds(seconds.ceil());
        format!(", {} left", whole.split('.').next().unwrap_or_default())
    });
    format!("{:.1} tracks/s{remaining}", status.tracks_per_s)
}

fn print(summary: &ScanSummary, tracks_per_s: f64, used: &[DeviceUse], output: &Output) {
    let counts = &summary.counts;
    let ended = match summary.outcome {
        ScanOutcome::Done => "done",
        ScanOutcome::Cancelled => "cancelled",
    };
    output.line(&format!(
        "{ended}: {} found, {} new, {} changed, {} vanished",
        counts.found, counts.new, counts.changed, counts.vanished
    ));
    output.line(&format!(
        "  {} analysed, {} copied, {} moved, {} retagged, {} failed",
        counts.analysed, counts.copied, counts.moved, counts.retagged, counts.failed
    ));
    if counts.reread > 0 {
        output.line(&format!(
            "  {} read again, as an earlier version had read them: {} have other tags now",
            counts.reread, counts.corrected
        ));
    }
    let time = &summary.time;
    output.line(&format!(
        "  {} of audio in {} ({tracks_per_s:.2} tracks/s)",
        text_from_seconds(summary.audio_s),
        text_from_seconds(summary.elapsed_s)
    ));
    output.line(&format!(
        "  seconds of all workers: decoding {:.2}, analysis {:.2}, GPU {:.2}, recognising {:.2}, database {:.2}, \
         waiting for memory {:.2}",
        time.stages.decode, time.stages.analysis, time.stages.gpu, time.recognising, time.database, time.memory
    ));
    for DeviceUse { report, tracks } in used {
        output.line(&format!("  {tracks} tracks on {}, {}: {}", report.used, report.name, report.reason));
    }
}
