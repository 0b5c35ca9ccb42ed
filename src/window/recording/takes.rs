//! Commands of recording and live sound.

use std::path::{Path, PathBuf};

use super::onto::put_onto;
use super::types::{LeftRecordingView, RecordingEnd, RecordingView};
use super::{LiveTake, RecordingPage};
use crate::audio::AudioFormat;
use crate::audio::encode::written_format;
use crate::chain::Chain;
use crate::error::{Error, Result};
use crate::playback::capture::{self, Inlet, InputInfo, InputWish};
use crate::playback::live::{Live, LiveSettings};
use crate::progress::Progress;
use crate::recording::{self, InputChoice, Recorder, Take, TakeEnd, free_name};
use crate::window::App;
use crate::window::workspace::open_document::file_name;
use crate::window::workspace::types::{DocumentId, DocumentView, Opened};
use crate::work::Directories;
use crate::work::settings::{RecordingSettings, Settings};

/// The name of a new recording.
pub(in crate::window) const NAME: &str = "Recording";
/// The name of a new recording of the effects' output.
const NAME_WET: &str = "Recording with effects";
/// The name of the step that appends a recording to a document.
const APPENDED: &str = "Record";

#[allow(clippy::unnecessary_wraps, reason = "commands give results")]
pub(super) fn view(app: &App) -> Result<RecordingView> {
    Ok(app.recording.view())
}

pub(super) fn inputs(_app: &App) -> Result<Vec<InputInfo>> {
    capture::inputs()
}

pub(super) fn arm(app: &App) -> Result<RecordingView> {
    app.recording.arm(opened_input(app)?)?;
    view(app)
}

pub(super) fn opened_input(app: &App) -> Result<Recorder> {
    let RecordingSettings { input, channels, .. } = app.workspace.state().settings.recording.clone();
    let choice = InputChoice { input: InputWish { input, ..InputWish::default() }, channels };
    Recorder::arm(&choice, &Progress::new())
}

pub(super) fn disarm(app: &App) -> Result<RecordingView> {
    if app.recording.with(|recorder| Ok(recorder.path().is_some())).is_ok_and(|records| records) {
        return Err(Error::impossible("A recording is running. Stop it first"));
    }
    app.recording.finish();
    view(app)
}

pub(super) fn start(app: &App, append: Option<DocumentId>) -> Result<RecordingView> {
    if let Some(document) = append {
        app.workspace.state().document(document)?;
    }
    let settings = app.workspace.state().settings.recording.clone();
    let folder = recording_folder(&settings, &app.workspace.directories)?;
    if let Some(formats) = app.recording.live_formats() {
        let take = live_take(&settings, &folder, formats, app.workspace.directories.data())?;
        app.recording.record_live(take)?;
        app.recording.set_append(append);
        return view(app);
    }
    if !app.recording.is_armed() {
        app.recording.arm(opened_input(app)?)?;
    }
    let take = Take {
        path: free_name(&folder, NAME),
        sample: settings.sample.into(),
        length_s: settings.length_s,
        start_at_db: settings.start_at_db,
        preroll_s: if settings.start_at_db.is_some() { Take::LEVEL_PREROLL_S } else { 0.0 },
        belongs: None,
    };
    app.recording.with(|recorder| recorder.begin(&take, Some(app.workspace.directories.data())))?;
    app.recording.set_append(append);
    view(app)
}

pub(super) fn set_paused(app: &App, paused: bool) -> Result<RecordingView> {
    app.recording.pause(paused)?;
    view(app)
}

pub(in crate::window) fn stop(app: &App) -> Result<RecordingEnd> {
    let mut end =
        RecordingEnd { opened: app.open(&[]), appended: None, onto: None, recorded_s: 0.0, problem: None, losses: 0 };
    let Some(mut finished) = app.recording.finish() else { return Ok(end) };
    app.playback.end_take();
    let status = finished.status.clone();
    if let Some(TakeEnd::Problem(why)) = status.end {
        end.problem = Some(why);
    }
    (end.recorded_s, end.losses) = (status.recorded_s, status.losses);
    if status.frames == 0 {
        return Ok(end);
    }
    if let Some(onto) = finished.onto.take() {
        let is_open = put_onto(app, &onto, &finished, &mut end);
        if !is_open {
            end.opened = app.open(&[finished.path]);
        }
        return Ok(end);
    }
    // If the document no longer exists, the recording becomes a new document.
    end.appended = finished.appends_to.and_then(|document| {
        let appended = append_recording(app, document, &finished.path);
        appended.inspect_err(|error| tracing::warn!("{error}")).ok()
    });
    let first = end.appended.is_none().then_some(finished.path);
    let files: Vec<PathBuf> = first.into_iter().chain(finished.second).collect();
    if !files.is_empty() {
        end.opened = app.open(&files);
    }
    Ok(end)
}

/// Appends a recording to a document, as one step of its history.
fn append_recording(app: &App, document: DocumentId, path: &Path) -> Result<DocumentView> {
    {
        let mut state = app.workspace.state();
        let open = state.document_mut(document)?;
        open.cursor_frame = open.document().frames();
    }
    // Otherwise the recording would replace the selection.
    app.set_selection(document, None, None, None)?;
    app.paste_file(document, path, APPENDED)
}

pub(super) fn choose_folder(app: &App) -> Result<Settings> {
    let chosen = app.workspace.host.choose_folders("Folder for recordings").into_iter().next();
    let Some(folder) = chosen else { return Ok(app.workspace.state().settings.clone()) };
    let text = folder.to_str().map(str::to_owned);
    let text = text.ok_or_else(|| Error::invalid("folder for recordings", folder.display().to_string(), "Unicode"))?;
    app.change_settings(|now| now.recording.folder = Some(text))
}

pub(super) fn recover(app: &App, id: String) -> Result<Opened> {
    let (path, _) = recording::recover(app.workspace.directories.data(), &id)?;
    Ok(app.open(&[path]))
}

pub(super) fn start_live(app: &App, document: Option<DocumentId>) -> Result<RecordingView> {
    let (settings, chain) = {
        let state = app.workspace.state();
        let chain = match document {
            Some(document) => state.document(document)?.document().chain.clone(),
            None => Chain::default(),
        };
        (state.settings.clone(), chain)
    };
    let live = LiveSettings {
        input: settings.recording.input,
        channels: settings.recording.channels,
        output: settings.output,
        frames: settings.recording.live_frames,
        limits: settings.recording.live_limiter,
        // Loudspeakers beside the microphone would feed back at once.
        muted: true,
    };
    let live = Live::start(&live, &chain, &Progress::new())?;
    app.recording.set_live(Some(live), document);
    view(app)
}

pub(super) fn stop_live(app: &App) -> Result<RecordingView> {
    if app.recording.records_live() {
        return Err(Error::impossible("Live sound is being recorded. Stop the recording first"));
    }
    app.recording.set_live(None, None);
    view(app)
}

pub(super) fn measure_round_trip(app: &App) -> Result<RecordingView> {
    app.recording.begin_round_trip()?.wait(&Progress::new())?;
    view(app)
}

pub(super) fn set_live_muted(app: &App, muted: bool) -> Result<RecordingView> {
    app.recording.set_live_muted(muted)?;
    view(app)
}

impl RecordingPage {
    #[allow(clippy::unnecessary_wraps, reason = "commands give results")]
    pub(in crate::window) fn left(&self) -> Result<Vec<LeftRecordingView>> {
        let view = |left: recording::LeftRecording| LeftRecordingView {
            seconds: written_format(&left.path).ok().map(|(format, frames)| format.rate.seconds_from_frames(frames)),
            id: left.id,
            name: file_name(&left.path),
            input: left.input,
            belongs: left.belongs,
        };
        Ok(recording::left(self.workspace.directories.data()).into_iter().map(view).collect())
    }

    pub(super) fn forget(&self, id: String) -> Result<Vec<LeftRecordingView>> {
        recording::forget(self.workspace.directories.data(), &id)?;
        self.left()
    }
}

/// Begins the recordings of live sound, which contain no sound yet. They begin at once: one that waited for a level
/// would not begin together with the other.
fn live_take(
    settings: &RecordingSettings,
    folder: &Path,
    (dry_format, wet_format): (AudioFormat, AudioFormat),
    data: &Path,
) -> Result<LiveTake> {
    let begin = |stem: &str, format: AudioFormat| -> Result<(Recorder, Inlet)> {
        let (recorder, inlet) = Recorder::tap("Live sound", format)?;
        let take = Take {
            path: free_name(folder, stem),
            sample: settings.sample.into(),
            length_s: settings.length_s,
            start_at_db: None,
            preroll_s: 0.0,
            belongs: None,
        };
        recorder.begin(&take, Some(data))?;
        Ok((recorder, inlet))
    };
    let records = settings.live_records;
    let wet = records.has_wet().then(|| begin(NAME_WET, wet_format)).transpose()?;
    let dry = records.has_dry().then(|| begin(NAME, dry_format)).transpose()?;
    let (wet_recorder, wet) = wet.unzip();
    let (dry_recorder, dry) = dry.unzip();
    let mut recorders = wet_recorder.into_iter().chain(dry_recorder);
    let first = recorders.next().ok_or_else(|| Error::Internal("live sound is recorded nowhere".into()))?;
    Ok(LiveTake { records, first, second: recorders.next(), dry, wet })
}

/// Returns the folder of recordings: the chosen one, the user's music folder, or one in the data folder.
pub(in crate::window) fn recording_folder(settings: &RecordingSettings, directories: &Directories) -> Result<PathBuf> {
    if let Some(folder) = &settings.folder {
        return Ok(PathBuf::from(folder));
    }
    let music = directories.music().filter(|folder| folder.is_dir());
    let folder = music.map_or_else(|| directories.data().join("Recordings"), Path::to_path_buf);
    std::fs::create_dir_all(&folder).map_err(|source| Error::io("make the folder", &folder, source))?;
    Ok(folder)
}
