//! `undertone live`: sends an input through a chain to an output.

pub mod arguments;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::Outcome;
use super::interrupt::Interrupt;
use super::options::chain;
use super::output::Output;
use super::time::{frame_from_text, text_from_seconds};
use crate::audio::AudioFormat;
use crate::error::{Error, Result};
use crate::playback::capture::Inlet;
use crate::playback::live::{Live as Running, LiveSettings, LiveStatus};
use crate::progress::Progress;
use crate::recording::{Recorder, RecorderStatus, Take, TakeEnd};
use crate::work::Directories;
use arguments::Live;

/// How often to check for Ctrl+C.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How often the state is shown.
const SHOW_EVERY: Duration = Duration::from_millis(500);

/// A file that was recorded, as JSON.
#[derive(Serialize)]
struct Recorded {
    #[serde(flatten, serialize_with = "crate::files::json::as_output")]
    output: PathBuf,
    frames: u64,
    losses: u64,
}

/// The end, as JSON.
#[derive(Serialize)]
struct Ended {
    #[serde(flatten)]
    status: LiveStatus,
    dry: Option<Recorded>,
    wet: Option<Recorded>,
}

pub fn run(words: &Live, output: &Output) -> Result<Outcome> {
    let chain = chain(&words.chain, output)?;
    let directories = Directories::of_this_user()?;
    let settings = LiveSettings {
        input: words.input.input.clone(),
        channels: words.input.channels(),
        output: words.output.clone(),
        frames: words.frames,
        limits: !words.no_limiter,
        muted: false,
    };
    let interrupt = Interrupt::listen();
    let live = Running::start(&settings, &chain, &Progress::new())?;
    if words.measure_latency {
        return measure(&live, output);
    }
    let length_s = match &words.length {
        Some(text) => {
            let rate = live.dry_format().rate;
            Some(rate.seconds_from_frames(frame_from_text("--length", text, rate)?))
        }
        None => None,
    };
    let begin = |file: &Option<PathBuf>, format| {
        file.as_deref().map(|file| record(file, words, format, &directories)).transpose()
    };
    let (mut dry, dry_inlet) = begin(&words.record_dry, live.dry_format())?.unzip();
    let (mut wet, wet_inlet) = begin(&words.record_wet, live.wet_format())?.unzip();
    if dry.is_some() || wet.is_some() {
        live.tap(dry_inlet, wet_inlet);
    }
    let status = follow(&live, length_s, &interrupt, output);
    drop(live);
    let mut any_failed = false;
    let mut end = |recorder: &mut Option<Recorder>, file: &Option<PathBuf>| {
        let end = recorder.take()?.stop();
        any_failed |= tell(&end, file.as_deref()?, output);
        Some(Recorded { output: file.clone()?, frames: end.frames, losses: end.losses })
    };
    let (dry, wet) = (end(&mut dry, &words.record_dry), end(&mut wet, &words.record_wet));
    if let Some(problem) = status.problem.clone() {
        return Err(Error::Sound(problem));
    }
    if output.is_json() {
        output.json(&Ended { status, dry, wet })?;
    } else {
        output.line(&line(&status));
        for file in [dry, wet].into_iter().flatten() {
            output.line(&format!("{}  {} samples", file.output.display(), file.frames));
        }
    }
    Ok(Outcome::of(any_failed))
}

fn measure(live: &Running, output: &Output) -> Result<Outcome> {
    let frames = live.measure_round_trip(&Progress::new())?;
    let status = live.status();
    if output.is_json() {
        output.json(&serde_json::json!({ "round_trip_frames": frames, "status": status }))?;
    } else {
        let milliseconds = status.round_trip_ms.unwrap_or_default();
        output.line(&format!("round trip {milliseconds:.2} ms, {frames} samples at {} Hz", status.rate));
    }
    Ok(Outcome::Done)
}

/// Starts a recorder that writes a file, and returns it with its inlet.
fn record(file: &Path, words: &Live, format: AudioFormat, directories: &Directories) -> Result<(Recorder, Inlet)> {
    let (recorder, inlet) = Recorder::tap("live sound", format)?;
    let take = Take {
        path: file.to_path_buf(),
        sample: words.bits.sample(),
        length_s: None,
        start_at_db: None,
        preroll_s: 0.0,
        belongs: None,
    };
    recorder.begin(&take, Some(directories.data()))?;
    Ok((recorder, inlet))
}

/// Tells what went wrong with a file, if anything did.
fn tell(end: &RecorderStatus, file: &Path, output: &Output) -> bool {
    if end.losses > 0 {
        let losses = end.losses;
        output.note(&format!("undertone: {}: Samples were lost {losses} times", file.display()));
    }
    match &end.end {
        Some(TakeEnd::Problem(why)) => {
            output.note(&format!("undertone: {}: {why}", file.display()));
            true
        }
        _ => false,
    }
}

/// Shows the state until the length is over, Ctrl+C is pressed or a device is gone. Returns the last state.
fn follow(live: &Running, length_s: Option<f64>, interrupt: &Interrupt, output: &Output) -> LiveStatus {
    let terminal = std::io::stderr().is_terminal() && !output.is_json();
    let begun = Instant::now();
    let mut shown: Option<Instant> = None;
    loop {
        let is_over = length_s.is_some_and(|seconds| begun.elapsed().as_secs_f64() >= seconds);
        if is_over || interrupt.is_heard() {
            break;
        }
        if shown.is_none_or(|at| at.elapsed() >= SHOW_EVERY) {
            shown = Some(Instant::now());
            let status = live.status();
            if status.problem.is_some() {
                break;
            }
            if output.is_json() {
                output.note(&serde_json::to_string(&status).unwrap_or_default());
            } else if terminal {
                output.over(&(line(&status) + "   "));
            }
        }
        std::thread::sleep(LOOK_EVERY);
    }
    if terminal {
        output.note("");
    }
    live.status()
}

fn line(status: &LiveStatus) -> String {
    let latency = status.latency_ms.map_or("not known yet".into(), |latency| format!("{latency:.1} ms"));
    let text = format!(
        "{} -> {}  {}  latency {latency}, chain {:.1} ms  {} under-runs, {} over-runs",
        status.input,
        status.output,
        text_from_seconds(status.played_s),
        status.chain_ms,
        status.underruns,
        status.overruns
    );
    match status.too_loud_db {
        Some(level) => format!("{text}  muted: {level:+.0} dB over full scale"),
        None => text,
    }
}
