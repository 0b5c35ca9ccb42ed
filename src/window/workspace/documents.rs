//! Opens and shows documents.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::Workspace;
use super::closing::lasting;
use super::open_document::{OpenDocument, file_name, waveform_view};
use super::restore::end_attempt;
use super::types::{DocumentId, DocumentView, FileFailure, Opened, RecentFile};
use crate::audio::encode::FileFormat;
use crate::audio::{AudioFile, AudioFormat, demo};
use crate::document::project::Project;
use crate::document::session::{Attempt, DocumentKey};
use crate::document::{Clip, Document, EditList, Source, converted};
use crate::error::{Error, Failure, Result};
use crate::lock::lock;
use crate::playback::Side;
use crate::view::peaks::{EditedPeaks, OpenReader, PeakCache, Peaks, PeaksState, Segment, SegmentLevel};
use crate::window::App;
use crate::window::event::{Event, Notice, NoticeLevel, Startup};
use crate::window::host::FileChoice;
use crate::work::effects;

impl App {
    pub(in crate::window) fn startup(&self) -> Result<Startup> {
        let recent = self.recent()?;
        let last_closed = self.workspace.last_closed()?;
        let left_recordings = self.recording.left()?;
        let order = self.workspace.state().order.clone();
        let documents = order.into_iter().filter_map(|id| self.view(id).ok()).collect();
        let mut state = self.workspace.state();
        Ok(Startup {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            settings: state.settings.clone(),
            documents,
            active: state.active,
            effects: effects::views(),
            recent,
            last_closed,
            export_formats: FileFormat::ALL.to_vec(),
            left_recordings,
            notices: std::mem::take(&mut state.notices),
        })
    }

    pub(in crate::window) fn open_dialog(&self) -> Result<Opened> {
        let choice = FileChoice::recordings_and_projects("Open recordings and projects");
        Ok(self.open(&self.workspace.host.choose_open(&choice)))
    }

    pub(in crate::window) fn open_recent(&self, id: u32) -> Result<Opened> {
        let path = self.workspace.session().recent()?.into_iter().nth(id as usize);
        let path = path.ok_or_else(|| Error::NotFound { what: "recent file", name: id.to_string() })?;
        Ok(self.open(&[path]))
    }

    pub(in crate::window) fn recent(&self) -> Result<Vec<RecentFile>> {
        let paths = self.workspace.session().recent()?;
        let folder = |path: &Path| path.parent().map_or_else(String::new, |folder| folder.display().to_string());
        let file =
            |(id, path): (usize, &PathBuf)| RecentFile { id: id as u32, name: file_name(path), folder: folder(path) };
        Ok(paths.iter().enumerate().map(file).collect())
    }

    pub(in crate::window) fn clear_recent(&self) -> Result<Vec<RecentFile>> {
        self.workspace.session().clear_recent()?;
        self.recent()
    }

    pub(in crate::window) fn open_demo(&self) -> Result<Opened> {
        let path = demo::file(self.workspace.directories.data())?;
        Ok(self.open(&[path]))
    }

    /// Opens files that the user dropped on the window or passed at startup, and tells the window. Folders are added to
    /// the library.
    pub fn open_and_tell(&self, paths: &[PathBuf]) {
        self.workspace.guarded("Opening files", || self.open_all_and_tell(paths));
    }

    fn open_all_and_tell(&self, paths: &[PathBuf]) {
        let (folders, files): (Vec<PathBuf>, Vec<PathBuf>) = paths.iter().cloned().partition(|path| path.is_dir());
        if !folders.is_empty() {
            self.library.take_folders(&folders);
        }
        if !files.is_empty() {
            let opened = self.open(&files);
            self.workspace.host.emit(Event::Opened { opened });
        }
    }

    /// Handles files that were dropped on the window: inputs of the batch while its page is shown; otherwise they are
    /// opened.
    pub fn drop_and_tell(&self, paths: &[PathBuf]) {
        self.workspace.guarded("Opening dropped files", || self.take_drop(paths));
    }

    fn take_drop(&self, paths: &[PathBuf]) {
        if self.compare.takes_drops() {
            return match self.compare.take_files(paths) {
                Ok(compare) => self.workspace.host.emit(Event::Compare { compare }),
                Err(error) => self.workspace.notify(Notice { level: NoticeLevel::Error, message: error.sentences() }),
            };
        }
        if !self.batch.takes_drops() {
            return self.open_and_tell(paths);
        }
        match self.batch.take_inputs(paths) {
            Ok(batch) => self.workspace.host.emit(Event::Batch { batch }),
            Err(error) => {
                self.workspace.notify(Notice { level: NoticeLevel::Error, message: error.sentences() });
            }
        }
    }

    /// Opens the demo and tells the window.
    pub fn open_demo_and_tell(&self) {
        self.workspace.guarded("Opening the demo", || match self.open_demo() {
            Ok(opened) => self.workspace.host.emit(Event::Opened { opened }),
            Err(error) => self
                .workspace
                .notify(Notice { level: NoticeLevel::Error, message: format!("The demo was not opened. {error}") }),
        });
    }

    pub(in crate::window) fn open(&self, paths: &[PathBuf]) -> Opened {
        let mut opened = Opened { documents: Vec::new(), failures: Vec::new(), last_closed: None };
        for path in paths {
            match self.open_file(path) {
                Ok(view) => opened.documents.push(view),
                Err(error) => {
                    opened.failures.push(FileFailure { name: file_name(path), failure: Failure::from(error) });
                }
            }
        }
        opened.last_closed = self.workspace.last_closed().unwrap_or_else(|error| {
            tracing::warn!("{error}");
            None
        });
        opened
    }

    /// Opens a file: activates the document in which it is open, reopens the one that was closed as this file, or makes
    /// a new one.
    fn open_file(&self, path: &Path) -> Result<DocumentView> {
        let path = lasting(path)?;
        let id = match self.workspace.open_as(&path) {
            Some(id) => id,
            None => self.workspace.open_again_or_new(&path)?,
        };
        self.activated(id)
    }

    /// Activates an opened document, adds its file to the recent ones, and returns it.
    pub(in crate::window) fn activated(&self, id: DocumentId) -> Result<DocumentView> {
        let (key, path) = {
            let mut state = self.workspace.state();
            let path = state.document(id)?.path();
            state.active = Some(id);
            (state.keys.get(&id).copied(), path)
        };
        {
            let mut session = self.workspace.session();
            session.set_active(key)?;
            if let Some(path) = path {
                session.add_recent(&path)?;
            }
        }
        self.view(id)
    }

    /// Returns a document as the window shows it.
    pub(in crate::window) fn view(&self, id: DocumentId) -> Result<DocumentView> {
        self.chain_files.view(id)
    }

    pub(in crate::window) fn activate_document(&self, document: DocumentId) -> Result<()> {
        let key = {
            let mut state = self.workspace.state();
            state.document(document)?;
            state.active = Some(document);
            state.keys.get(&document).copied()
        };
        self.workspace.session().set_active(key)
    }

    /// Shows the first recording of a document whose file exists.
    pub(in crate::window) fn show_file(&self, document: DocumentId) -> Result<()> {
        let paths: Vec<PathBuf> = {
            let state = self.workspace.state();
            let sources = &state.document(document)?.document().sources;
            sources.iter().map(|source| source.path.clone()).collect()
        };
        let found = paths.iter().find(|path| path.exists());
        let name = || paths.first().map_or_else(String::new, |path| path.display().to_string());
        let path = found.ok_or_else(|| Error::NotFound { what: "recording", name: name() })?;
        self.workspace.host.show_file(path)
    }

    pub(in crate::window) fn locate_source(&self, document: DocumentId, source: usize) -> Result<DocumentView> {
        let missing = {
            let state = self.workspace.state();
            let sources = &state.document(document)?.document().sources;
            let found = sources.get(source);
            found.cloned().ok_or_else(|| Error::NotFound { what: "recording", name: source.to_string() })?
        };
        let title = format!("Where is {}?", file_name(&missing.path));
        let choice = FileChoice::recording(&title);
        let Some(path) = self.workspace.host.choose_open(&choice).into_iter().next() else {
            return self.view(document);
        };
        self.workspace.note_attempt(document, Attempt::WithOthers)?;
        let opened = missing.relinked(&path).and_then(|found| Ok((found, AudioFile::open(&path)?)));
        if opened.is_err() {
            self.workspace.end_attempt(document);
        }
        let (found, file) = opened?;
        {
            let mut state = self.workspace.state();
            let open = state.document_mut(document)?;
            open.history.amend_all(|state| {
                if let Some(entry) = state.sources.get_mut(source).filter(|entry| entry.path == missing.path) {
                    *entry = found.clone();
                }
            });
            if let Some(place) = open.files.get_mut(source) {
                *place = Ok(file);
            }
            open.revision += 1;
        }
        self.workspace.start_waveform(document);
        self.workspace.keep(document)?;
        self.view(document)
    }

    pub(in crate::window) fn reorder_documents(&self, documents: Vec<DocumentId>) -> Result<()> {
        let keys: Vec<DocumentKey> = {
            let mut state = self.workspace.state();
            let place = |id: &DocumentId| documents.iter().position(|wanted| wanted == id).unwrap_or(usize::MAX);
            // The sort is stable: documents that the caller does not know yet stay at the end, in their order.
            state.order.sort_by_key(place);
            state.order.iter().filter_map(|id| state.keys.get(id).copied()).collect()
        };
        self.workspace.session().reorder(&keys)
    }
}

impl Workspace {
    /// Opens the document that was closed as this file, or a new one.
    fn open_again_or_new(&self, path: &Path) -> Result<DocumentId> {
        let project = Self::read_project(path)?;
        match self.reopened_as(path, project.as_ref())? {
            Some(id) => Ok(id),
            None => self.open_new(path, project),
        }
    }

    /// Opens a recording or a project in a new document.
    fn open_new(&self, path: &Path, project: Option<Project>) -> Result<DocumentId> {
        let id = DocumentId(self.fresh());
        let open = match project {
            Some(project) => OpenDocument::of_project(id, path, project, &self.permission),
            None => OpenDocument::of_file(id, AudioFile::open(path)?, &self.permission)?,
        };
        self.take_in(open)?;
        Ok(id)
    }

    /// Adds a new document to the session, after the others.
    pub(in crate::window) fn take_in(&self, open: OpenDocument) -> Result<()> {
        let id = open.id;
        let key = {
            let mut session = self.session();
            let key = session.add(&open.history, open.place())?;
            if let Some(project) = &open.project {
                session.set_project(key, project)?;
            }
            key
        };
        {
            let mut state = self.state();
            state.documents.insert(id, open);
            state.keys.insert(id, key);
            state.order.push(id);
        }
        self.start_waveform(id);
        Ok(())
    }

    /// Starts to compute the missing waveforms of a document's recordings, and assembles the document's waveform from
    /// them. Events tell the window when it becomes finer.
    pub(in crate::window) fn start_waveform(&self, id: DocumentId) {
        if self.assemble_waveform(id).is_err() {
            // A recording that cannot be read is reported in the document's view.
            self.end_attempt(id);
            let shown = self.state().document(id).map(|open| Arc::clone(&open.peaks));
            let former = shown.ok().and_then(|shown| lock(&shown).take());
            drop(former);
        }
    }

    fn assemble_waveform(&self, id: DocumentId) -> Result<()> {
        let (document, open_source, files, known, shown) = {
            let state = self.state();
            let open = state.document(id)?;
            let known = open.source_peaks.clone();
            let paths = open.document().sources.iter().map(|source| source.path.clone());
            let files: BTreeMap<PathBuf, Result<AudioFile, String>> = paths.zip(open.files.iter().cloned()).collect();
            (open.history.shared(), open.open_source()?, files, known, Arc::clone(&open.peaks))
        };
        let mut by_path = BTreeMap::new();
        let mut tracks = BTreeMap::new();
        for part in document.stems()? {
            let mut sources = Vec::new();
            for source in part.sources() {
                let key = (source.path.clone(), part.format.channels);
                let peaks = match (known.get(&key).or(by_path.get(&key)), files.get(&source.path)) {
                    (Some(peaks), _) => Arc::clone(peaks),
                    (None, Some(Ok(file))) => self.source_waveform(id, source, file.clone(), part.format, &shown)?,
                    (None, Some(Err(reason))) => return Err(Error::impossible(reason.clone())),
                    (None, None) => return Err(Error::NotFound { what: "recording", name: file_name(&source.path) }),
                };
                by_path.insert(key, Arc::clone(&peaks));
                sources.push(peaks);
            }
            let (segments, channels, track) = (segments(part.edits()), part.format.channels, part.id);
            let open_source = Arc::clone(&open_source);
            let open: OpenReader = Arc::new(move || Ok(Box::new(part.reader(|source| open_source(source))?)));
            tracks.insert(track, Arc::new(EditedPeaks::new(sources, segments, channels, open)));
        }
        let is_known = by_path.keys().all(|key| known.contains_key(key));
        let front = document.front_track().unwrap_or_default();
        let peaks = tracks.get(&front).cloned().ok_or_else(|| Error::Internal("no track is in front".into()))?;
        // The former waveforms are dropped without the lock, because that may end a thread.
        let former = {
            let mut state = self.state();
            let open = state.document_mut(id)?;
            // An edit made in the meantime assembles new waveforms.
            if !open.document().sounds_like(&document) {
                return Ok(());
            }
            let former = lock(&open.peaks).replace(Arc::clone(&peaks));
            open.source_peaks.extend(by_path);
            (former, std::mem::replace(&mut open.track_peaks, tracks))
        };
        drop(former);
        // Recordings that are being read report their progress themselves.
        if is_known {
            let waveform = waveform_view(&peaks.state());
            self.host.emit(Event::Peaks { document: id, side: Side::Original, waveform });
        }
        Ok(())
    }

    /// Starts to compute the waveform of one recording of a document.
    fn source_waveform(
        &self,
        id: DocumentId,
        source: &Source,
        file: AudioFile,
        format: AudioFormat,
        shown: &Arc<Mutex<Option<Arc<EditedPeaks>>>>,
    ) -> Result<Arc<Peaks>> {
        let (limit_bytes, session_key) = {
            let state = self.state();
            (u64::from(state.settings.cache_mib) << 20, state.keys.get(&id).copied())
        };
        let cache = PeakCache::new(&self.directories.data().join("peaks"), limit_bytes);
        let (host, session, shown) = (Arc::clone(&self.host), self.shared_session(), Arc::downgrade(shown));
        let on_change = Box::new(move |state: PeaksState| {
            // The recording was read to its end or to an error.
            if let Some(key) = session_key.filter(|_| state.exact_share >= 1.0 || state.failure.is_some()) {
                end_attempt(&session, key);
            }
            let peaks = shown.upgrade().and_then(|shown| lock(&shown).clone());
            let state = peaks.map_or(state, |peaks| peaks.state());
            host.emit(Event::Peaks { document: id, side: Side::Original, waveform: waveform_view(&state) });
        });
        let key = Document::of_source(source.clone()).content_key();
        let audio = file.info().audio;
        let key = if audio == format { key.as_str().to_owned() } else { format!("{}|{format:?}", key.as_str()) };
        let open: OpenReader = Arc::new(move || Ok(converted(file.reader()?, format)));
        Peaks::start_cached(open, cache, key, on_change).map(Arc::new)
    }

    /// Writes a document's history to the session. When this returns, a kill cannot lose it.
    pub(in crate::window) fn keep(&self, id: DocumentId) -> Result<()> {
        let mut session = self.session();
        let changes = {
            let state = self.state();
            let open = state.document(id)?;
            state.keys.get(&id).map(|&key| session.changes(key, &open.history))
        };
        changes.map_or(Ok(()), |changes| session.write(changes))
    }
}

/// Returns the clips of an edit list as the waveform shows them.
fn segments(edits: &EditList) -> Vec<Segment> {
    let segment = |clip: &Clip| {
        let level = (!clip.is_level()).then(|| -> SegmentLevel {
            let (clip, gain) = (clip.clone(), clip.gain());
            Box::new(move |frame| gain * clip.fade_at(frame))
        });
        let (source, reversed) = (clip.source, clip.reversed);
        Segment { source, range: clip.start_frame..clip.end_frame, reversed, level }
    };
    edits.clips.iter().map(segment).collect()
}
