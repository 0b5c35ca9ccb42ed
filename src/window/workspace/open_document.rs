//! An open document: its history, files, waveform and visible range.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::projects::is_changed;
use super::types::{
    DocumentId, DocumentView, LEAST_LEVEL_ZOOM, MOST_LEVEL_ZOOM, SourceView, TrackView, ViewRange, WaveformView,
};
use crate::audio::{AudioFile, AudioFormat, AudioReader, Layout};
use crate::chain::Node;
use crate::document::session::{StoredDocument, ViewState};
use crate::document::{
    Document, FrameRange, History, MixMeasurements, OpenSource, Project, ProjectFile, Source, TrackChoice, TrackId,
    document_of, open_files,
};
use crate::effects::Permission;
use crate::error::{Error, Result};
use crate::lock::lock;
use crate::view::peaks::{EditedPeaks, OpenReader, Peaks, PeaksState};
use crate::window::excerpt;

/// An open document.
pub struct OpenDocument {
    /// The handle of the document.
    pub id: DocumentId,
    /// The undo history.
    pub history: History,
    /// The project file that it belongs to.
    pub project: Option<ProjectFile>,
    /// The opened recordings in the order of the document's sources, or why one cannot be read.
    pub files: Vec<Result<AudioFile, String>>,
    /// Opened recordings that other states of the history use, by path.
    pub spare_files: BTreeMap<PathBuf, AudioFile>,
    /// The waveforms of the recordings, by path and the channels that they are converted to.
    pub source_peaks: BTreeMap<(PathBuf, usize), Arc<Peaks>>,
    /// The waveforms of the tracks, including the one in front.
    pub track_peaks: BTreeMap<TrackId, Arc<EditedPeaks>>,
    /// The measurements of whole signals that the chains of the tracks need.
    pub mix_measured: Arc<MixMeasurements>,
    /// The waveform of the document, once the recordings are open. It is shared with the callback that reports progress
    /// to the window.
    pub peaks: Arc<Mutex<Option<Arc<EditedPeaks>>>>,
    /// The visible range of the lanes.
    pub view: ViewRange,
    /// The magnification of levels; 1 if full scale fills a lane.
    pub level_zoom: f64,
    /// The frame at which playback starts.
    pub cursor_frame: u64,
    /// A counter of changes.
    pub revision: u64,
    /// A counter of changes of the sound before the chain.
    pub sound: u64,
}

impl OpenDocument {
    /// Creates a document of one recording.
    pub fn of_file(id: DocumentId, file: AudioFile, permission: &Permission) -> Result<Self> {
        Ok(Self::of_document(id, document_of(&file)?, vec![file], permission))
    }

    /// Opens the document of a project. A recording that cannot be read keeps its place, with the reason.
    pub fn of_project(id: DocumentId, path: &Path, project: Project, permission: &Permission) -> Self {
        let Project { history, place, .. } = project;
        let saved = ProjectFile { path: path.to_path_buf(), saved: history.document().work_key() };
        let files = open_files(history.document());
        Self::with(id, history, Some(saved), files, place, permission)
    }

    /// Opens a document that the program assembled, with its opened recordings.
    pub fn of_document(id: DocumentId, document: Document, files: Vec<AudioFile>, permission: &Permission) -> Self {
        let files = files.into_iter().map(Ok).collect();
        Self::with(id, History::new(document), None, files, ViewState::default(), permission)
    }

    /// Restores a document of an earlier session with the result of [`open_files`].
    pub fn restored(
        id: DocumentId,
        document: StoredDocument,
        files: Vec<Result<AudioFile, String>>,
        permission: &Permission,
    ) -> Self {
        Self::with(id, document.history, document.project, files, document.place, permission)
    }

    /// All open documents pass here, so that their chains carry the permission.
    fn with(
        id: DocumentId,
        history: History,
        project: Option<ProjectFile>,
        files: Vec<Result<AudioFile, String>>,
        place: ViewState,
        permission: &Permission,
    ) -> Self {
        let frames = history.document().frames();
        let view = place.view.filter(|(start, end)| start < end);
        let level_zoom = place.level_zoom.filter(|zoom| (LEAST_LEVEL_ZOOM..=MOST_LEVEL_ZOOM).contains(zoom));
        Self {
            id,
            history: history.limited_to(permission),
            project,
            files,
            spare_files: BTreeMap::new(),
            source_peaks: BTreeMap::new(),
            track_peaks: BTreeMap::new(),
            mix_measured: Arc::default(),
            peaks: Arc::default(),
            view: view.map_or_else(|| whole(frames), |(start, end)| ViewRange { start, end }),
            level_zoom: level_zoom.unwrap_or(1.0),
            cursor_frame: place.cursor_frame.min(frames),
            revision: 0,
            sound: 0,
        }
    }

    /// Returns the cursor, the visible range and the level zoom.
    pub fn place(&self) -> ViewState {
        ViewState {
            cursor_frame: self.cursor_frame,
            view: Some((self.view.start, self.view.end)),
            level_zoom: Some(self.level_zoom),
        }
    }

    /// Returns the current state.
    pub fn document(&self) -> &Document {
        self.history.document()
    }

    /// Returns the sample rate and channel count before the chain.
    pub fn format(&self) -> Result<AudioFormat> {
        self.document().format()
    }

    /// Returns a function that opens readers of the track in front before its chain. It may be called any number of
    /// times, from any thread.
    pub fn readers(&self) -> Result<OpenReader> {
        let (document, open) = (self.history.shared(), self.open_source()?);
        Ok(Arc::new(move || Ok(Box::new(document.reader(|source| open(source))?) as Box<dyn AudioReader>)))
    }

    /// Returns a function that opens the recordings of the document.
    pub fn open_source(&self) -> Result<OpenSource> {
        let mut files = BTreeMap::new();
        for (source, file) in self.document().sources.iter().zip(&self.files) {
            match file {
                Ok(file) => files.insert(source.path.clone(), file.clone()),
                Err(reason) => {
                    let name = file_name(&source.path);
                    return Err(Error::impossible(format!("{name} cannot be read. {reason}")));
                }
            };
        }
        Ok(Arc::new(move |source| match files.get(&source.path) {
            Some(file) => file.reader(),
            None => Err(Error::NotFound { what: "recording", name: source.path.display().to_string() }),
        }))
    }

    /// Puts the opened recordings into the order of the sources, after a change from a state with other sources.
    /// Returns the sources whose recordings have not been opened yet.
    pub fn arrange_files(&mut self, former: &[Source]) -> Vec<Source> {
        let document = self.history.shared();
        if former == document.sources {
            return Vec::new();
        }
        let mut unreadable = BTreeMap::new();
        for (source, file) in former.iter().zip(std::mem::take(&mut self.files)) {
            match file {
                Ok(file) => drop(self.spare_files.insert(source.path.clone(), file)),
                Err(reason) => drop(unreadable.insert(source.path.clone(), reason)),
            }
        }
        let mut missing = Vec::new();
        for source in &document.sources {
            let reason = unreadable.get(&source.path).cloned();
            let file = self.spare_files.get(&source.path).cloned();
            if file.is_none() && reason.is_none() {
                missing.push(source.clone());
            }
            self.files.push(file.ok_or_else(|| reason.unwrap_or_else(|| "It is not open yet".to_owned())));
        }
        missing
    }

    /// Whether the document consists of exactly this recording.
    pub fn is_only(&self, path: &Path) -> bool {
        let document = self.document();
        document.title.is_empty() && matches!(document.sources.as_slice(), [source] if source.path == path)
    }

    /// Returns the title of the document's tab.
    pub fn name(&self) -> String {
        self.project_name().unwrap_or_else(|| self.own_name(file_name))
    }

    /// Returns the title without a file extension, after which files made from the document are named.
    pub fn base_name(&self) -> String {
        match &self.project {
            Some(project) => title_of(&project.path),
            None => self.own_name(title_of),
        }
    }

    /// Returns the name of a document without a project: its title, otherwise the name of its first recording.
    fn own_name(&self, of_file: fn(&Path) -> String) -> String {
        let document = self.document();
        if document.title.is_empty() {
            return document.sources.first().map_or_else(String::new, |source| of_file(&source.path));
        }
        document.title.clone()
    }

    /// Returns the progress of the waveform. If the recording is missing, nothing is left to read.
    fn waveform(&self) -> WaveformView {
        let none = || WaveformView { exact_share: 1.0, ..WaveformView::default() };
        lock(&self.peaks).as_ref().map_or_else(none, |peaks| waveform_view(&peaks.state()))
    }

    /// Returns the speaker layout of a format of the document. Older documents do not store it; their recordings do.
    fn layout(&self, format: AudioFormat) -> Option<Layout> {
        let known = self.files.iter().flatten().map(|file| file.info().audio);
        let known = known.filter(|audio| audio.channels == format.channels).find_map(|audio| audio.layout());
        format.layout().or(known)
    }

    /// Returns the document as the window shows it, except for what requires checking its chain
    /// ([`super::chain_files`]): that may wait for files, and this is called under the state lock.
    pub fn view(&self) -> DocumentView {
        let document = self.document();
        let format = document.format().ok();
        DocumentView {
            id: self.id,
            name: self.name(),
            project_changed: self.project.as_ref().map(|project| is_changed(project, document)),
            sources: document.sources.iter().zip(&self.files).map(|(source, file)| source_view(source, file)).collect(),
            rate: format.map_or(0, |format| format.rate.hz()),
            channels: format.map_or(0, |format| format.channels),
            layout: format.filter(|format| format.channels > 2).and_then(|format| self.layout(format)),
            frames: document.frames(),
            chain: document.chain.clone(),
            chain_text: document.chain.to_string(),
            length_ratio: 1.0,
            chain_problem: None,
            asked_files: asked_files(document),
            rack: document.rack,
            resting_text: document.resting.to_string(),
            selection: document.selection,
            band: document.band,
            channels_selected: document.channels.clone(),
            cursor_frame: self.cursor_frame,
            view: self.view,
            level_zoom: self.level_zoom,
            undo: self.history.undo_label().map(str::to_owned),
            redo: self.history.redo_label().map(str::to_owned),
            waveform: self.waveform(),
            revision: self.revision,
            sound: self.sound,
            joins: if document.chosen() == Some(TrackChoice::Sum) { Vec::new() } else { document.edits.joins() },
            tracks: document.tracks().map(|track| TrackView::of(&track, document)).collect(),
            chosen: document.chosen(),
            arranged: document.chosen() != Some(TrackChoice::Sum) && document.edits.is_arranged(),
            markers: document.markers.key().to_owned(),
        }
    }
}

/// Converts a waveform's state to the form that the window shows.
pub fn waveform_view(state: &PeaksState) -> WaveformView {
    let ranges = state.damage.ranges().iter();
    WaveformView {
        exact_share: state.exact_share,
        damage: ranges.cloned().map(FrameRange::from).collect(),
        failure: state.failure.clone(),
    }
}

fn source_view(source: &Source, file: &Result<AudioFile, String>) -> SourceView {
    SourceView {
        name: file_name(&source.path),
        path: source.path.display().to_string(),
        warnings: file.as_ref().map(|file| excerpt::warnings(&file.info().warnings)).unwrap_or_default(),
        missing: file.as_ref().err().cloned(),
    }
}

fn whole(frames: u64) -> ViewRange {
    ViewRange { start: 0.0, end: frames.max(1) as f64 }
}

/// Returns a file's name for display.
pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Returns the files named in any rack that the user has not allowed yet.
fn asked_files(document: &Document) -> Vec<String> {
    let asked = document.all_chains().flat_map(|chain| {
        let named = chain.walk().flat_map(Node::named_files);
        named.filter(|file| !chain.permission().is_allowed(Path::new(file)))
    });
    let asked: BTreeSet<&str> = asked.collect();
    asked.into_iter().map(str::to_owned).collect()
}

/// Returns the name of a track made from a file.
pub(in crate::window) fn title_of(path: &Path) -> String {
    path.file_stem().map_or_else(|| file_name(path), |stem| stem.to_string_lossy().into_owned())
}
