//! `undertone info`: shows the properties of files.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::Outcome;
use super::arguments::Info;
use super::output::{Output, name};
use super::time::text_from_seconds;
use crate::audio::tags::Chunk;
use crate::audio::{AudioFile, FileInfo, Layout, Tags};
use crate::chain::Chain;
use crate::document::project::{self, FILE_KIND};
use crate::document::{Band, EditList, FrameRange, Project, Rack, Source, Step, TrackStrip};
use crate::error::{Failure, Result};

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten, serialize_with = "crate::files::json::as_path")]
    path: &'a Path,
    #[serde(flatten)]
    result: FileResult,
}

#[derive(Serialize)]
#[serde(untagged)]
enum FileResult {
    Read(Box<InfoJson>),
    Project(ProjectJson),
    Failed { error: Failure },
}

#[derive(Serialize)]
struct InfoJson {
    format: String,
    codec: String,
    bits: Option<u32>,
    rate: u32,
    channels: usize,
    /// The speaker layout; null if it is not known.
    layout: Option<Layout>,
    frames: u64,
    duration_s: f64,
    bytes: u64,
    tags: Tags,
    warnings: Vec<String>,
}

/// The content of a project file.
#[derive(Serialize)]
struct ProjectJson {
    format: &'static str,
    version: u32,
    program: String,
    rate: u32,
    channels: usize,
    /// The speaker layout; null if it is not known.
    layout: Option<Layout>,
    frames: u64,
    duration_s: f64,
    sources: Vec<SourceJson>,
    tracks: Vec<TrackJson>,
    /// The racks of the sum; null for one plain track.
    sum: Option<RacksJson>,
    selection: Option<FrameRange>,
    band: Option<Band>,
    /// The labels of the steps that undo goes back over, and of those that redo brings again.
    undo: Vec<String>,
    redo: Vec<String>,
}

#[derive(Serialize)]
struct SourceJson {
    #[serde(flatten, serialize_with = "crate::files::json::as_path")]
    path: PathBuf,
    frames: u64,
    /// Why the recording cannot be used; null if it can.
    problem: Option<String>,
}

#[derive(Serialize)]
struct RacksJson {
    rack: Rack,
    chain: String,
    resting: String,
}

#[derive(Serialize)]
struct TrackJson {
    /// How the track is heard; absent for the only track of a plain document.
    #[serde(flatten)]
    strip: Option<TrackStrip>,
    clips: usize,
    rack: Rack,
    chain: String,
    resting: String,
}

pub fn run(words: &Info, output: &Output) -> Result<Outcome> {
    let mut reports = Vec::new();
    let mut any_failed = false;
    for path in &words.files {
        let result = match look(path, output) {
            Ok(result) => result,
            Err(error) => {
                any_failed = true;
                output.note(&format!("undertone: {}: {error}", name(path)));
                FileResult::Failed { error: Failure::from(error) }
            }
        };
        reports.push(Report { path, result });
    }
    if output.is_json() {
        output.json(&serde_json::json!({ "files": reports }))?;
    }
    Ok(Outcome::of(any_failed))
}

fn look(path: &Path, output: &Output) -> Result<FileResult> {
    if project::is_project(path) {
        let project = of_project(&project::read(path)?)?;
        if !output.is_json() {
            print_project(path, &project, output);
        }
        return Ok(FileResult::Project(project));
    }
    let file = AudioFile::open(path)?;
    if !output.is_json() {
        print(path, file.info(), output);
    }
    Ok(read(file.info()))
}

fn of_project(project: &Project) -> Result<ProjectJson> {
    let document = project.history.document();
    let format = document.format()?;
    let frames = document.frames();
    let source = |source: &Source| SourceJson {
        path: source.path.clone(),
        frames: source.summary.frames,
        problem: source.state().problem(),
    };
    let track =
        |strip: Option<&TrackStrip>, edits: &EditList, (chain, resting, rack): (&Chain, &Chain, Rack)| TrackJson {
            strip: strip.cloned(),
            clips: edits.clips.len(),
            rack,
            chain: chain.to_string(),
            resting: resting.to_string(),
        };
    let racks = (&document.chain, &document.resting, document.rack);
    let tracks = if document.tracks.is_plain() {
        vec![track(None, &document.edits, racks)]
    } else {
        document
            .tracks()
            .map(|each| track(Some(each.strip), each.edits, (each.chain, each.resting, each.rack)))
            .collect()
    };
    let (chain, resting, rack) = document.sum_racks();
    let sum = RacksJson { rack, chain: chain.to_string(), resting: resting.to_string() };
    let (steps, present) = project.history.steps();
    let labels = |steps: &[Step]| steps.iter().map(|step| step.label.clone()).collect();
    Ok(ProjectJson {
        format: FILE_KIND.name,
        version: project::VERSION,
        program: project.program.clone(),
        rate: format.rate.hz(),
        channels: format.channels,
        layout: format.layout(),
        frames,
        duration_s: format.rate.seconds_from_frames(frames),
        sources: document.sources.iter().map(source).collect(),
        tracks,
        sum: (!document.tracks.is_plain()).then_some(sum),
        selection: document.selection,
        band: document.band,
        undo: labels(&steps[1..=present]),
        redo: labels(&steps[present + 1..]),
    })
}

fn print_racks(rack: Rack, chain: &str, resting: &str, output: &Output) {
    for (letter, chain) in [(rack, chain), (rack.other(), resting)].iter().filter(|(_, chain)| !chain.is_empty()) {
        let heard = if *letter == rack { ", heard" } else { "" };
        output.line(&format!("  rack {}    {chain}{heard}", letter.letter()));
    }
}

fn print_project(path: &Path, project: &ProjectJson, output: &Output) {
    output.line(&path.display().to_string());
    output.line(&format!("  format    {}, version {}, Undertone {}", project.format, project.version, project.program));
    output.line(&format!("  rate      {} Hz", project.rate));
    output.line(&format!("  channels  {}", channels(project.channels, project.layout)));
    output.line(&format!("  length    {} ({} frames)", text_from_seconds(project.duration_s), project.frames));
    for source in &project.sources {
        let problem = source.problem.as_ref().map(|problem| format!(": {problem}")).unwrap_or_default();
        output.line(&format!("  source    {}{problem}", source.path.display()));
    }
    for track in &project.tracks {
        if let Some(strip) = &track.strip {
            let state = match (strip.mute, strip.solo) {
                (true, _) => ", muted",
                (false, true) => ", solo",
                (false, false) => "",
            };
            output.line(&format!("  track     {}: {} dB, pan {}{state}", strip.name, strip.gain_db, strip.pan));
        }
        output.line(&format!("  clips     {}", track.clips));
        print_racks(track.rack, &track.chain, &track.resting, output);
    }
    if let Some(sum) = project.sum.as_ref().filter(|sum| !(sum.chain.is_empty() && sum.resting.is_empty())) {
        output.line("  sum");
        print_racks(sum.rack, &sum.chain, &sum.resting, output);
    }
    if let Some(FrameRange { start, end }) = project.selection {
        output.line(&format!("  selected  frames {start} to {end}"));
    }
    if !(project.undo.is_empty() && project.redo.is_empty()) {
        output.line(&format!("  history   {} steps to undo, {} to redo", project.undo.len(), project.redo.len()));
    }
}

fn channels(count: usize, layout: Option<Layout>) -> String {
    layout.map_or_else(|| count.to_string(), |layout| format!("{count}, {layout}"))
}

/// Returns container and codec, once if they have one name.
fn kind(info: &FileInfo) -> String {
    match info.codec.strip_prefix(&info.format) {
        Some("") => info.codec.clone(),
        Some(bits) if bits.starts_with(' ') => info.codec.clone(),
        _ => format!("{}, {}", info.format, info.codec),
    }
}

fn read(info: &FileInfo) -> FileResult {
    FileResult::Read(Box::new(InfoJson {
        format: info.format.clone(),
        codec: info.codec.clone(),
        bits: info.bits,
        rate: info.audio.rate.hz(),
        channels: info.audio.channels,
        layout: info.audio.layout(),
        frames: info.frames,
        duration_s: info.audio.rate.seconds_from_frames(info.frames),
        bytes: info.bytes,
        tags: info.tags.clone(),
        warnings: info.warnings.clone(),
    }))
}

fn print(path: &Path, info: &FileInfo, output: &Output) {
    let seconds = info.audio.rate.seconds_from_frames(info.frames);
    output.line(&path.display().to_string());
    output.line(&format!("  format    {}", kind(info)));
    output.line(&format!("  rate      {} Hz", info.audio.rate.hz()));
    output.line(&format!("  channels  {}", channels(info.audio.channels, info.audio.layout())));
    let frames = if info.frames == 1 { "1 frame".to_owned() } else { format!("{} frames", info.frames) };
    output.line(&format!("  length    {} ({frames})", text_from_seconds(seconds)));
    output.line(&format!("  size      {} bytes", info.bytes));
    for (name, value) in &info.tags.items {
        output.line(&format!("  {:<9} {value}", name.to_lowercase()));
    }
    for picture in &info.tags.pictures {
        output.line(&format!("  picture   {}, {} bytes", picture.mime, picture.data.len()));
    }
    if !info.tags.chunks.is_empty() {
        let names: Vec<String> = info.tags.chunks.iter().map(Chunk::name).collect();
        output.line(&format!("  chunks    {}", names.join(", ")));
    }
    for warning in &info.warnings {
        output.note(&format!("  warning   {warning}"));
    }
}
