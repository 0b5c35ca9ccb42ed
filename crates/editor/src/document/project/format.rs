//! The JSON of a project file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::paths;
use super::{Project, VERSION};
use crate::document::history::{History, MAX_STEPS, Step};
use crate::document::session::ViewState;
use crate::document::state::State;
use crate::document::{
    Band, Clip, ClockSpeed, ContentKey, Document, DocumentMarkers, EditList, FileStamp, FrameRange, MAX_TRACKS, Rack,
    Racks, Source, SourceSummary, TrackChoice, TrackStrip,
};
use audio::AudioFormat;
use base::error::{Error, Result};
use base::files::stored_path;
use effects::chain::{Chain, json};

/// The word that every project file has under `undertone`.
const MAGIC: &str = "project";
/// The most channels of a recording that is not open; no file format has more.
const MAX_CHANNELS: usize = 65_535;
/// The most recordings of a project.
const MAX_SOURCES: usize = 1000;

/// The fields that a file of any version has.
#[derive(Deserialize)]
struct Head {
    undertone: String,
    version: u32,
    #[serde(default)]
    program: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenProject {
    undertone: String,
    version: u32,
    program: String,
    sources: Vec<WrittenSource>,
    document: WrittenDocument,
    cursor_frame: u64,
    view: Option<(f64, f64)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    level_zoom: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    history: Option<WrittenHistory>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenSource {
    #[serde(with = "stored_path")]
    path: PathBuf,
    content: ContentKey,
    bytes: u64,
    container: String,
    codec: String,
    format: AudioFormat,
    frames: u64,
    /// By how much a take is read faster or slower than its rate says.
    #[serde(default, skip_serializing_if = "ClockSpeed::is_nominal")]
    clock: ClockSpeed,
}

/// A state of the document.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenDocument {
    tracks: Vec<WrittenTrack>,
    /// The choice among several tracks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    chosen: Option<TrackChoice>,
    /// The racks that several tracks go through together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sum: Option<WrittenRacks>,
    selection: Option<FrameRange>,
    band: Option<Band>,
    /// The channels that edits of the selection act on, if not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    channels: Option<Vec<usize>>,
    #[serde(default, skip_serializing_if = "DocumentMarkers::is_empty")]
    markers: DocumentMarkers,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenTrack {
    /// Absent for the only track of a plain document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    strip: Option<TrackStrip>,
    /// Their sources count from 0 in the list of the file.
    clips: Vec<Clip>,
    /// The rack that is heard.
    rack: Rack,
    chains: WrittenChains,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRacks {
    /// The rack that is heard.
    rack: Rack,
    chains: WrittenChains,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenChains {
    a: Chain,
    b: Chain,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenHistory {
    /// The steps that undo goes back to, the oldest first.
    before: Vec<WrittenStep>,
    /// The change that led to the present state.
    label: String,
    /// The steps that redo brings back.
    after: Vec<WrittenStep>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenStep {
    /// The change that led to the state.
    label: String,
    document: WrittenDocument,
}

/// Writes a document, with its history if `with_history` is set. Steps that cannot be read are left out.
pub(super) fn text(history: &History, place: ViewState, with_history: bool, folder: &Path) -> Result<String> {
    let (steps, present) = history.steps();
    let mut sources: Vec<Source> = Vec::new();
    let document = written(history.document(), &mut sources);
    let mut step = |step: &Step| {
        let document = step.document()?;
        Some(WrittenStep { label: step.label.clone(), document: written(document, &mut sources) })
    };
    let history = with_history.then(|| WrittenHistory {
        before: steps[..present].iter().filter_map(&mut step).collect(),
        label: steps[present].label.clone(),
        after: steps[present + 1..].iter().filter_map(&mut step).collect(),
    });
    let file = WrittenProject {
        undertone: MAGIC.to_owned(),
        version: VERSION,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        sources: sources.iter().map(|source| written_source(source, folder)).collect(),
        document,
        cursor_frame: place.cursor_frame,
        view: place.view,
        level_zoom: place.level_zoom,
        history,
    };
    let text = serde_json::to_string_pretty(&file);
    text.map(|text| text + "\n").map_err(|error| Error::Internal(format!("a project is no JSON: {error}")))
}

fn written_source(source: &Source, folder: &Path) -> WrittenSource {
    WrittenSource {
        path: paths::written(&source.path, folder),
        content: source.content_key.clone(),
        bytes: source.stamp.bytes,
        container: source.summary.container.clone(),
        codec: source.summary.codec.clone(),
        format: source.summary.format,
        frames: source.summary.frames,
        clock: source.clock,
    }
}

/// Converts a state, and adds its sources to those of the file.
fn written(document: &Document, sources: &mut Vec<Source>) -> WrittenDocument {
    let places: Vec<usize> = document
        .sources
        .iter()
        .map(|source| {
            sources.iter().position(|known| known == source).unwrap_or_else(|| {
                sources.push(source.clone());
                sources.len() - 1
            })
        })
        .collect();
    let clips = |edits: &EditList| {
        let place = |clip: &Clip| clip.source.and_then(|source| places.get(source).copied());
        edits.clips.iter().map(|clip| Clip { source: place(clip), ..clip.clone() }).collect()
    };
    let tracks = if document.tracks.is_plain() {
        let WrittenRacks { rack, chains } = written_racks(&document.chain, &document.resting, document.rack);
        vec![WrittenTrack { strip: None, clips: clips(&document.edits), rack, chains }]
    } else {
        let written = document.tracks().map(|track| {
            let WrittenRacks { rack, chains } = written_racks(track.chain, track.resting, track.rack);
            WrittenTrack { strip: Some(track.strip.clone()), clips: clips(track.edits), rack, chains }
        });
        written.collect()
    };
    let (chain, resting, rack) = document.sum_racks();
    let sum = (!document.tracks.is_plain()).then(|| written_racks(chain, resting, rack));
    let markers = document.markers.clone();
    let (selection, band, channels) = (document.selection, document.band, document.channels.clone());
    WrittenDocument { tracks, chosen: document.chosen(), sum, selection, band, channels, markers }
}

fn written_racks(active: &Chain, resting: &Chain, rack: Rack) -> WrittenRacks {
    let (active, resting) = (active.clone(), resting.clone());
    let chains = match rack {
        Rack::A => WrittenChains { a: active, b: resting },
        Rack::B => WrittenChains { a: resting, b: active },
    };
    WrittenRacks { rack, chains }
}

fn read_racks(WrittenRacks { rack, chains }: WrittenRacks) -> Result<Racks> {
    let WrittenChains { mut a, mut b } = chains;
    json::check(&mut a)?;
    json::check(&mut b)?;
    let (chain, resting) = match rack {
        Rack::A => (a, b),
        Rack::B => (b, a),
    };
    Ok(Racks { chain, rack, resting })
}

/// Reads a project. `path` names it in errors.
pub(super) fn parsed(bytes: &[u8], folder: &Path, path: &Path) -> Result<Project> {
    let damaged = |reason: String| Error::malformed(format!("the project is damaged: {reason}"), path);
    let head: Head = serde_json::from_slice(bytes)
        .map_err(|error| Error::malformed(format!("this is not an Undertone project: {error}"), path))?;
    if head.undertone != MAGIC {
        return Err(Error::malformed("this is not an Undertone project", path));
    }
    if head.version > VERSION {
        let program: String = head.program.chars().filter(|letter| !letter.is_control()).take(40).collect();
        return Err(Error::unsupported(
            format!("project format {} of Undertone {program}", head.version),
            format!("this version reads formats up to {VERSION}; use a newer one"),
        ));
    }
    if head.version == 0 {
        return Err(damaged("its version is 0".into()));
    }
    let file: WrittenProject = serde_json::from_slice(bytes).map_err(|error| damaged(error.to_string()))?;
    if file.sources.is_empty() || file.sources.len() > MAX_SOURCES {
        return Err(damaged(format!("it has {} recordings; 1 to {MAX_SOURCES} are allowed", file.sources.len())));
    }
    let found = |source| found_source(source, folder).map_err(|error| damaged(error.to_string()));
    let sources: Vec<Source> = file.sources.into_iter().map(found).collect::<Result<_>>()?;
    let read = |document| of_written(document, &sources).map_err(|error| damaged(error.to_string()));
    let place = ViewState { cursor_frame: file.cursor_frame, view: file.view, level_zoom: file.level_zoom };
    let present = read(file.document)?;
    let Some(history) = file.history else {
        return Ok(Project { history: History::new(present), place, program: head.program });
    };
    let count = history.before.len() + 1 + history.after.len();
    if count > MAX_STEPS {
        return Err(damaged(format!("its history has {count} steps; {MAX_STEPS} are allowed")));
    }
    let index = history.before.len();
    let states = history.before.into_iter().map(|step| (step.label, Some(step.document)));
    let states = states.chain([(history.label, None)]);
    let states = states.chain(history.after.into_iter().map(|step| (step.label, Some(step.document))));
    let mut steps = Vec::with_capacity(count);
    for (serial, (label, document)) in states.enumerate() {
        let document = document.map_or_else(|| Ok(present.clone()), read)?;
        steps.push(Step { label, state: State::new(Arc::new(document)), serial: serial as u64 });
    }
    let history = History::restored(steps, index).ok_or_else(|| damaged("its history is not in order".into()))?;
    Ok(Project { history, place, program: head.program })
}

fn found_source(source: WrittenSource, folder: &Path) -> Result<Source> {
    let channels = source.format.channels;
    if !(1..=MAX_CHANNELS).contains(&channels) {
        return Err(Error::invalid("channels of a recording", channels.to_string(), format!("1 to {MAX_CHANNELS}")));
    }
    Ok(Source {
        path: paths::found(&source.path, folder)?,
        content_key: source.content,
        // Without the time of a change, the content is compared when the file is opened.
        stamp: FileStamp { bytes: source.bytes, modified_ns: 0 },
        summary: SourceSummary {
            container: source.container,
            codec: source.codec,
            format: source.format,
            frames: source.frames,
        },
        clock: source.clock,
    })
}

fn of_written(document: WrittenDocument, sources: &[Source]) -> Result<Document> {
    let count = document.tracks.len();
    let mut tracks = Vec::with_capacity(count.min(MAX_TRACKS));
    for WrittenTrack { strip, clips, rack, chains } in document.tracks {
        tracks.push((strip, EditList { clips }, read_racks(WrittenRacks { rack, chains })?));
    }
    let edits = tracks.iter_mut().map(|(_, edits, _)| edits);
    let sources = used(edits.collect(), sources);
    let made = if let [(None, _, _)] = tracks.as_slice() {
        let (_, edits, Racks { chain, rack, resting }) = tracks.remove(0);
        Document { sources, edits, chain, rack, resting, ..Document::default() }
    } else {
        let stripped = tracks.into_iter().map(|(strip, edits, racks)| Some((strip?, edits, racks)));
        let Some(tracks) = stripped.collect::<Option<Vec<_>>>() else {
            return Err(Error::invalid("tracks", "one without a name", "one track, or several with a name each"));
        };
        let sum = document.sum.map(read_racks).transpose()?.unwrap_or_default();
        Document { sources, ..Document::default() }.of_tracks(tracks, sum, document.chosen)?
    };
    made.edits.check(&made.source_frames())?;
    made.check_tracks()?;
    let frames = made.frames();
    if let Some(range) = document.selection.filter(|range| range.start >= range.end || range.end > frames) {
        let got = format!("{}..{}", range.start, range.end);
        return Err(Error::invalid("selection", got, format!("a start below its end, up to {frames}")));
    }
    if let Some(band) = document.band.filter(|band| !(band.low_hz >= 0.0 && band.low_hz < band.high_hz)) {
        let got = format!("{} to {} Hz", band.low_hz, band.high_hz);
        return Err(Error::invalid("frequency band", got, "an edge of 0 Hz or more below a higher one"));
    }
    if document.markers.fitted(frames) != document.markers {
        return Err(Error::invalid("markers", "one beyond the end", format!("places up to frame {frames}")));
    }
    let mut read = Document {
        selection: document.selection,
        band: document.band.filter(|_| document.selection.is_some()),
        markers: document.markers,
        ..made
    };
    // Channels that its sound has not are no choice, as in a session.
    if let Err(error) = read.set_channels(document.channels) {
        tracing::info!("all channels of a project are chosen: {error}");
    }
    Ok(read)
}

/// Returns the sources that the edit lists use, in their order, and counts their clips' sources among them. A file has
/// the sources of all its states.
fn used(mut edits: Vec<&mut EditList>, sources: &[Source]) -> Vec<Source> {
    let clips = edits.iter().flat_map(|edits| &edits.clips);
    let mut used: BTreeSet<usize> = clips.filter_map(|clip| clip.source).collect();
    // The first has the format that the others are converted to.
    used.insert(0);
    let places: BTreeMap<usize, usize> = used.iter().enumerate().map(|(place, source)| (*source, place)).collect();
    for clip in edits.iter_mut().flat_map(|edits| &mut edits.clips) {
        clip.source = clip.source.and_then(|source| places.get(&source).copied());
    }
    used.into_iter().filter_map(|source| sources.get(source).cloned()).collect()
}
