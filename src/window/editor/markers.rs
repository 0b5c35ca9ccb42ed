//! The markers of open documents: changes, and files of markers that the user chooses.

use std::path::Path;
use std::sync::LazyLock;

use crate::audio::markers::{LabelFormat, Labels, beyond_the_end, read_labels, write_labels};
use crate::audio::{AudioFile, MarkerList, file_extensions};
use crate::document::{Document, DocumentMarkers, MarkerEdit};
use crate::error::{Error, Result};
use crate::files::{self, check_target};
use crate::units::SampleRate;
use crate::window::App;
use crate::window::host::FileChoice;
use crate::window::workspace::open_document::file_name;
use crate::window::workspace::types::{DocumentId, DocumentView, MarkerView};
use crate::window::workspace::warning;

impl App {
    pub(in crate::window) fn markers(&self, document: DocumentId) -> Result<Vec<MarkerView>> {
        let now = self.workspace.state().document(document)?.history.shared();
        Ok(now.markers.iter().map(MarkerView::from).collect())
    }

    pub(in crate::window) fn edit_markers(&self, document: DocumentId, edit: MarkerEdit) -> Result<DocumentView> {
        self.change_markers(document, |now| now.markers.edited(edit, now.frames()))
    }

    pub(in crate::window) fn import_markers(&self, document: DocumentId) -> Result<DocumentView> {
        static EXTENSIONS: LazyLock<Vec<&str>> =
            LazyLock::new(|| [LabelFormat::EXTENSIONS.as_slice(), file_extensions()].concat());
        let (rate, frames) = {
            let state = self.workspace.state();
            let open = state.document(document)?;
            (open.format()?.rate, open.document().frames())
        };
        let choice = FileChoice {
            title: "Import markers".into(),
            kind: "Markers and audio",
            extensions: &EXTENSIONS,
            several: false,
        };
        let Some(path) = self.workspace.host.choose_open(&choice).into_iter().next() else {
            return self.view(document);
        };
        let (found, mut told) = markers_of_file(&path, rate)?;
        let inside = found.within(0..frames, frames);
        let name = file_name(&path);
        if found.is_empty() {
            return Err(Error::impossible(format!("{name} has no markers.")));
        }
        if inside.len() < found.len() {
            told.push(beyond_the_end(found.len() - inside.len()));
        }
        told.into_iter().for_each(|told| self.workspace.notify(warning(format!("{name}: {told}"))));
        if inside.is_empty() {
            return self.view(document);
        }
        let label =
            if inside.len() == 1 { "Import marker".to_owned() } else { format!("Import {} markers", inside.len()) };
        self.change_markers(document, |now| Ok((now.markers.with(&inside), label)))
    }

    pub(in crate::window) fn export_markers(&self, document: DocumentId) -> Result<Option<String>> {
        let (now, stem) = {
            let state = self.workspace.state();
            let open = state.document(document)?;
            (open.history.shared(), open.base_name())
        };
        if now.markers.is_empty() {
            return Err(Error::impossible("The recording has no markers yet."));
        }
        let choice = FileChoice {
            title: "Export markers".into(),
            kind: "Markers",
            extensions: &LabelFormat::EXTENSIONS,
            several: false,
        };
        let suggestion = format!("{stem}.{}", LabelFormat::EXTENSIONS[0]);
        let Some(target) = self.workspace.choose_target(&choice, &suggestion) else { return Ok(None) };
        let audio = now.sources.first().map_or_else(String::new, |source| file_name(&source.path));
        let format = LabelFormat::of_path(&target.path)?;
        let (text, told) = write_labels(&now.markers.list(), format, now.format()?.rate, &audio)?;
        check_target(&target.path, target.may_replace, &self.protected())?;
        files::write(&target.path, target.may_replace, text.as_bytes())?;
        let written = file_name(&target.path);
        told.into_iter().for_each(|told| self.workspace.notify(warning(format!("{written}: {told}"))));
        Ok(Some(written))
    }

    /// Returns the markers of a document in the form that files use.
    pub(in crate::window) fn markers_of(&self, document: DocumentId) -> Result<MarkerList> {
        let now = self.workspace.state().document(document)?.history.shared();
        Ok(now.markers.list())
    }

    /// Changes the markers, as one step of the history.
    fn change_markers(
        &self,
        document: DocumentId,
        change: impl FnOnce(&Document) -> Result<(DocumentMarkers, String)>,
    ) -> Result<DocumentView> {
        {
            let mut state = self.workspace.state();
            let open = state.document_mut(document)?;
            let now = open.history.shared();
            let (markers, label) = change(&now)?;
            open.history.end_gesture();
            if open.history.apply(&label, None, Document { markers, ..Document::clone(&now) }) {
                open.revision += 1;
            }
        }
        self.workspace.keep(document)?;
        self.view(document)
    }
}

/// Reads the markers of a recording, or of a file of markers. Also returns warnings.
fn markers_of_file(path: &Path, rate: SampleRate) -> Result<(MarkerList, Vec<String>)> {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default();
    if !file_extensions().contains(&extension.as_str()) {
        let Labels { markers, warnings, .. } = read_labels(path, rate)?;
        return Ok((markers, warnings));
    }
    let file = AudioFile::open(path)?;
    Ok((file.markers().at_rate(file.info().audio.rate, rate), Vec::new()))
}
