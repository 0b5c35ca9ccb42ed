//! The tracks of documents: their edits, the chosen one, and adding recordings as tracks.

use std::path::PathBuf;

use crate::audio::AudioFile;
use crate::document::{Clip, EditList, Excerpt, TrackChoice, TrackEdit, TrackId, source_of};
use crate::error::{Error, Result};
use crate::window::App;
use crate::window::host::FileChoice;
use crate::window::workspace::open_document::title_of;
use crate::window::workspace::types::{DocumentId, DocumentView};

impl App {
    /// Edits the tracks. Changes of one `gesture`, such as a drag of a fader, are one step.
    pub(in crate::window) fn edit_tracks(
        &self,
        document: DocumentId,
        edit: TrackEdit,
        gesture: Option<u32>,
    ) -> Result<DocumentView> {
        let former = {
            let mut state = self.workspace.state();
            let joins = state.settings.joins;
            let open = state.document_mut(document)?;
            let former = open.history.shared();
            let crossfade = joins.crossfade(former.format()?.rate);
            let (changed, label) = former.with_tracks(&edit, crossfade)?;
            if gesture.is_none() {
                open.history.end_gesture();
            }
            if open.history.apply(label, gesture, changed) {
                open.revision += 1;
            }
            former
        };
        self.changed_from(document, &former, None)
    }

    /// Chooses a track or the sum. Like the selection, this is not an undo step.
    pub(in crate::window) fn choose_track(&self, document: DocumentId, choice: TrackChoice) -> Result<DocumentView> {
        let former = {
            let mut state = self.workspace.state();
            let open = state.document_mut(document)?;
            let former = open.history.shared();
            let mut changed = former.as_ref().clone();
            if changed.choose(choice)? {
                open.history.end_gesture();
                open.history.amend(changed);
                open.revision += 1;
                // All pictures now show another track.
                open.sound += 1;
            }
            former
        };
        self.changed_from(document, &former, None)
    }

    pub(in crate::window) fn import_tracks(&self, document: DocumentId) -> Result<DocumentView> {
        let choice = FileChoice { several: true, ..FileChoice::recording("Import as tracks") };
        let paths = self.workspace.host.choose_open(&choice);
        self.add_tracks(document, &paths)
    }

    /// Adds recordings as tracks, as one step.
    pub(in crate::window) fn add_tracks(&self, document: DocumentId, paths: &[PathBuf]) -> Result<DocumentView> {
        let opened = paths.iter().map(|path| Ok((path, AudioFile::open(path)?))).collect::<Result<Vec<_>>>()?;
        if opened.is_empty() {
            return self.view(document);
        }
        let mut added = Vec::new();
        for (path, file) in opened {
            let source = source_of(&file)?;
            let edits = EditList { clips: vec![Clip::whole(0, source.summary.frames)] };
            let (format, sources) = (source.summary.format, vec![source.clone()]);
            added.push((
                title_of(path),
                Excerpt { format, sources, edits, markers: file.markers().clone(), channels: None },
                source,
                file,
            ));
        }
        let former = {
            let mut state = self.workspace.state();
            let open = state.document_mut(document)?;
            let former = open.history.shared();
            let mut changed = former.as_ref().clone();
            for (name, excerpt, source, file) in added {
                changed = changed.with_recording(name, &excerpt)?;
                open.spare_files.insert(source.path.clone(), file);
            }
            open.history.end_gesture();
            let label = if paths.len() == 1 { "Import track" } else { "Import tracks" };
            if open.history.apply(label, None, changed) {
                open.revision += 1;
            }
            former
        };
        self.changed_from(document, &former, None)
    }

    /// Returns the peaks of frames `start..end` of a track before its rack, laid out as by [`App::peaks`].
    pub fn track_peaks(
        &self,
        document: DocumentId,
        track: TrackId,
        start: f64,
        end: f64,
        columns: usize,
    ) -> Result<Vec<u8>> {
        let peaks = self.workspace.state().document(document)?.track_peaks.get(&track).cloned();
        let peaks = peaks.ok_or_else(|| Error::NotFound { what: "track", name: track.0.to_string() })?;
        Ok(super::pictures::peaks_bytes(&peaks.query(start, end, columns)?, columns))
    }
}
