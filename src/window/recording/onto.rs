//! Recording onto a track of a document, while the others are heard, and the recording offset.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::takes::{NAME, opened_input, recording_folder, view};
use super::types::{OffsetView, OntoEnd, RecordingEnd, RecordingView};
use super::{Finished, Onto};
use crate::audio::AudioFile;
use crate::chain::Plan;
use crate::document::{Crossfade, Document, Source, TakeTrack, TrackChoice, source_of};
use crate::error::{Error, Result};
use crate::playback::capture::{InputInfo, inputs};
use crate::playback::{HeardLog, OutputInfo, Side, outputs};
use crate::progress::Progress;
use crate::recording::overdub::{self, MAX_OFFSET_S, Overdub, Placement};
use crate::recording::{Belonging, Take, free_name};
use crate::window::App;
use crate::window::workspace::open_document::{file_name, title_of};
use crate::window::workspace::types::DocumentId;
use crate::work::settings::{RecordingOffset, RecordingSettings};

/// The post-roll after a selection, in seconds.
const POSTROLL_S: f64 = 1.0;
/// The greatest time that an output may take to start.
const BEGIN_LIMIT: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(5);
/// The names of the steps that put a take onto a track.
const ONTO_TRACK: &str = "Record onto track";
const ONTO_NEW_TRACK: &str = "Record onto new track";

/// The document to record onto, and the sound to play meanwhile.
struct Planned {
    overdub: Overdub,
    onto: Arc<Document>,
    heard: Document,
    /// The frame from which it is played.
    from: u64,
    plays: bool,
}

pub(super) fn start_onto(app: &App, document: DocumentId, track: TakeTrack) -> Result<RecordingView> {
    if app.recording.records() {
        return Err(Error::impossible("A recording is running. Stop it first"));
    }
    let settings = app.workspace.state().settings.recording.clone();
    let Planned { mut overdub, onto, heard, from, plays } = planned(app, document, track, &settings)?;
    // Everything that may fail is done before playback starts.
    let playable = if plays { Some(app.playable(document, &Arc::new(heard))?) } else { None };
    let folder = recording_folder(&settings, &app.workspace.directories)?;
    if !app.recording.is_armed() {
        app.recording.arm(opened_input(app)?)?;
    }
    let input = app.recording.with(|recorder| Ok(recorder.input().clone()))?;
    let output = app.playback.player().transport().output;
    let known = output.and_then(|output| settings.offset(&input.id, &output.id).cloned());
    if let Some(known) = &known {
        overdub.offset = known.samples * f64::from(input.rate) / f64::from(known.rate.max(1));
    }
    let name = app.view(document)?.name;
    let take = Take {
        path: free_name(&folder, NAME),
        sample: settings.sample.into(),
        length_s: None,
        start_at_db: None,
        preroll_s: 0.0,
        belongs: Some(Belonging { document: name, at_s: overdub.rate.seconds_from_frames(overdub.start) }),
    };
    // The take begins before it is played, so that joins have material before the first frame.
    app.recording.with(|recorder| recorder.begin(&take, Some(app.workspace.directories.data())))?;
    let play_until = overdub.play_until;
    let log = playable.map(|playable| app.playback.play_take(document, playable, (from, play_until)));
    if let Some(problem) = log.as_ref().and_then(begun) {
        let finished = app.recording.finish();
        app.playback.end_take();
        // The file has a second at most, and the user did not ask for it.
        finished.inspect(|finished| drop(std::fs::remove_file(&finished.path)));
        return Err(Error::Sound(problem));
    }
    let front = onto.front_track();
    app.recording.set_onto(Onto { document, track, front, overdub, log, has_offset: known.is_some() });
    view(app)
}

/// Plans a recording onto a track from the cursor, the selection and the settings.
fn planned(app: &App, document: DocumentId, track: TakeTrack, settings: &RecordingSettings) -> Result<Planned> {
    let (now, cursor) = {
        let state = app.workspace.state();
        let open = state.document(document)?;
        (open.history.shared(), open.cursor_frame)
    };
    if track == TakeTrack::Front && now.chosen() == Some(TrackChoice::Sum) {
        return Err(Error::impossible("Choose the track to record onto first."));
    }
    let (format, frames) = (now.format()?, now.frames());
    let seconds = |seconds: f64| format.rate.frames_from_seconds(seconds);
    let (start, end) = match now.selection {
        Some(range) => (range.start, Some(range.end)),
        None => (cursor.min(frames), settings.length_s.map(|length| cursor.min(frames) + seconds(length))),
    };
    let preroll_s = if now.selection.is_some() { settings.punch_preroll_s } else { settings.preroll_s };
    let from = start.saturating_sub(seconds(preroll_s));
    let heard = match track {
        TakeTrack::Front => now.while_recorded(start..end.unwrap_or(u64::MAX), Crossfade::NONE),
        TakeTrack::New => now.as_ref().clone(),
    };
    // Nothing is played if there is only this track and its sound from here on is silent.
    let has_sound =
        from < start || !now.tracks.is_plain() || track == TakeTrack::New || end.is_some_and(|end| end < frames);
    let plays = settings.overdub && from < frames && has_sound;
    let hears_chain = plays && app.playback.view().documents_side == Side::Processed;
    for chain in now.all_chains().filter(|_| hears_chain) {
        // The player decides whether it may be played at all.
        if let Ok(plan) = Plan::new(chain, format, &crate::chain::MeasuredMap::default())
            && (!plan.keeps_time || plan.length.is_some())
        {
            return Err(Error::impossible(
                "An effect changes the length of what is heard, so that nothing can be recorded in time with it. \
                 Bypass it, or listen to the original",
            ));
        }
    }
    let play_until = end.map(|end| end.saturating_add(seconds(POSTROLL_S)));
    let overdub = Overdub { start, end, play_until, rate: format.rate, offset: 0.0 };
    Ok(Planned { overdub, onto: now, heard, from, plays })
}

/// Places a finished take on its track. Returns `false` if it needs a separate document.
pub(super) fn put_onto(app: &App, onto: &Onto, finished: &Finished, end: &mut RecordingEnd) -> bool {
    let heard = onto.log.as_ref().map(HeardLog::read);
    let rate = crate::units::SampleRate::new(finished.status.input.rate);
    let Ok(rate) = rate else { return false };
    let placement = onto.overdub.placement(&finished.captured, rate, finished.status.frames, heard.as_ref());
    let placed: u64 = placement.places.iter().map(|place| place.frames).sum();
    let seconds = |frames: u64| onto.overdub.rate.seconds_from_frames(frames);
    let mut told = OntoEnd {
        placed_s: seconds(placed),
        underruns: placement.underruns,
        is_aligned: placement.is_aligned,
        drift_ms: 1000.0 * placement.drift_frames / onto.overdub.rate.as_f64(),
        file: file_name(&finished.path),
        problem: None,
    };
    // Sound recorded before the position stays in its file.
    let put = if placed > 0 { put_take(app, onto, finished, &placement).map(Some) } else { Ok(None) };
    match put {
        Ok(view) => end.appended = view,
        Err(error) => {
            told.placed_s = 0.0;
            told.problem = Some(error.sentences());
        }
    }
    let is_put = told.problem.is_none();
    end.onto = Some(told);
    is_put
}

fn put_take(
    app: &App,
    onto: &Onto,
    finished: &Finished,
    Placement { places, clock, .. }: &Placement,
) -> Result<crate::window::workspace::types::DocumentView> {
    let file = AudioFile::open(&finished.path)?;
    let source = Source { clock: *clock, ..source_of(&file)? };
    let former = {
        let mut state = app.workspace.state();
        let joins = state.settings.joins;
        let open = state.document_mut(onto.document)?;
        let former = open.history.shared();
        let crossfade = joins.crossfade(former.format()?.rate);
        let (changed, label) = match onto.track {
            TakeTrack::Front => (former.with_take(&source, places, onto.front, crossfade)?, ONTO_TRACK),
            TakeTrack::New => {
                let name = title_of(&finished.path);
                (former.with_take_as_track(name, &source, places, crossfade)?, ONTO_NEW_TRACK)
            }
        };
        open.spare_files.insert(source.path.clone(), file);
        open.history.end_gesture();
        if open.history.apply(label, None, changed) {
            open.revision += 1;
        }
        former
    };
    app.changed_from(onto.document, &former, None)
}

pub(super) fn offset(app: &App) -> Result<OffsetView> {
    let (input, output) = chosen_devices(app)?;
    let settings = app.workspace.state().settings.recording.clone();
    let known = settings.offset(&input.id, &output.id);
    let at_rate = |known: &RecordingOffset| known.samples * f64::from(input.rate) / f64::from(known.rate.max(1));
    Ok(OffsetView {
        samples: known.map(at_rate),
        measured: known.is_some_and(|known| known.measured),
        rate: input.rate,
        input: input.name,
        output: output.name,
    })
}

pub(super) fn set_offset(app: &App, samples: Option<f64>) -> Result<OffsetView> {
    let (input, output) = chosen_devices(app)?;
    let typed = |samples| RecordingOffset {
        input: input.id.clone(),
        output: output.id.clone(),
        samples,
        rate: input.rate,
        measured: false,
    };
    let typed = samples.map(typed);
    if let Some(offset) = typed.as_ref().filter(|offset| !offset.is_possible()) {
        let most = MAX_OFFSET_S * f64::from(input.rate);
        let allowed = format!("-{most} to {most} samples");
        return Err(Error::invalid("recording offset", format!("{} samples", offset.samples), allowed));
    }
    app.change_settings(|now| now.recording.set_offset(&input.id, &output.id, typed))?;
    offset(app)
}

pub(super) fn measure_offset(app: &App) -> Result<OffsetView> {
    if app.recording.records() {
        return Err(Error::impossible("A recording is running. Stop it first"));
    }
    // Otherwise an input that is shown would be opened twice.
    app.recording.finish();
    let (input, _) = chosen_devices(app)?;
    let folder = app.workspace.directories.data();
    let measured = app
        .playback
        .with_player(|player| overdub::measure_offset(player, || opened_input(app), folder, &Progress::new()))?;
    let found = RecordingOffset {
        input: input.id.clone(),
        output: measured.output.id.clone(),
        samples: measured.frames,
        rate: input.rate,
        measured: true,
    };
    app.change_settings(|now| now.recording.set_offset(&input.id, &measured.output.id, Some(found)))?;
    offset(app)
}

/// Returns the input and the output that are used now.
fn chosen_devices(app: &App) -> Result<(InputInfo, OutputInfo)> {
    let (wanted, output) = {
        let state = app.workspace.state();
        (state.settings.recording.input.clone(), state.settings.output.clone())
    };
    let all = inputs()?;
    let is_chosen = |info: &&InputInfo| wanted.as_ref().map_or(info.is_default, |wanted| *wanted == info.id);
    let input = all.iter().find(is_chosen).cloned();
    let input = input.ok_or_else(|| Error::Capture("The input is not connected. Choose another one".into()))?;
    // The output in use, or the one that would be opened.
    let used = app.playback.player().transport().output;
    let chosen = || outputs().ok()?.into_iter().find(|info| output.as_ref() == Some(&info.id));
    let output = used.or_else(chosen);
    let output = output.ok_or_else(|| Error::Sound("No sound output found".into()))?;
    Ok((input, output))
}

/// Waits until the playback is heard. Returns the reason if it is not.
fn begun(log: &HeardLog) -> Option<String> {
    let begun = Instant::now();
    while begun.elapsed() < BEGIN_LIMIT {
        if let Some(problem) = log.with(|heard| heard.problem.clone()) {
            return Some(problem);
        }
        if log.with(|heard| !heard.parts.is_empty() || heard.ended) {
            return None;
        }
        thread::sleep(PAUSE);
    }
    Some("The output does not play. Choose another one".to_owned())
}
