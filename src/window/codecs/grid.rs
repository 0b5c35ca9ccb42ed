//! The recordings, settings and cells of the grid.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::types::{CodecsCell, CodecsSettings, CodecsView};
use super::{CodecsPage, Recording, State};
use crate::codec_grid::{ReadValue, inputs};
use crate::error::{Error, Result};
use crate::window::compare::types::CompareView;
use crate::window::host::FileChoice;
use crate::window::jobs::JobState;
use crate::window::workspace::open_document::file_name;

/// The longest text of codecs, in bytes.
const MAX_TEXT: usize = 1 << 16;

impl CodecsPage {
    pub(in crate::window) fn view(&self) -> Result<CodecsView> {
        Ok(self.view_of(&self.locked()))
    }

    pub(in crate::window) fn add_files(&self) -> Result<CodecsView> {
        let choice = FileChoice { several: true, ..FileChoice::recording("Recordings to send through codecs") };
        let chosen = self.workspace.host.choose_open(&choice);
        self.take_recordings(&chosen)
    }

    pub(in crate::window) fn add_folders(&self) -> Result<CodecsView> {
        let chosen = self.workspace.host.choose_folders("Folders of recordings to send through codecs");
        self.take_recordings(&chosen)
    }

    pub(in crate::window) fn remove(&self, recordings: Vec<u32>) -> Result<CodecsView> {
        let gone: HashSet<u32> = recordings.into_iter().collect();
        self.changed(|state| state.recordings.retain(|recording| !gone.contains(&recording.id)))
    }

    pub(in crate::window) fn choose_output(&self) -> Result<CodecsView> {
        let chosen = self.workspace.host.choose_folders("Folder of the results").into_iter().next();
        self.changed(|state| state.output = chosen.or(state.output.take()))
    }

    pub(in crate::window) fn set(&self, settings: CodecsSettings) -> Result<CodecsView> {
        if settings.codecs.len() > MAX_TEXT {
            return Err(Error::Limit {
                what: "length of the codecs' text".to_owned(),
                got: format!("{} bytes", settings.codecs.len()),
                limit: format!("{MAX_TEXT} bytes"),
            });
        }
        self.changed(|state| state.settings = settings)
    }

    pub(in crate::window) fn cancel(&self) -> Result<()> {
        let job = {
            let state = self.locked();
            state.job.filter(|_| state.phase == Some(JobState::Running))
        };
        job.map_or(Ok(()), |job| self.jobs.cancel(job))
    }

    pub(in crate::window) fn cells(&self, recording: u32) -> Result<Vec<CodecsCell>> {
        let state = self.locked();
        let (results, path) = state.results_of(recording)?;
        let grid = &results.grid;
        let cells = results.cells.iter().filter(|cell| grid.inputs[cell.input].path == path);
        let cell = |cell: &crate::codec_grid::Cell| {
            let measured = cell.outcome.as_ref().ok();
            let value = |measure: &&'static crate::compare::Measure| match measured?.value(measure) {
                Some(ReadValue::Number(number)) => Some(*number),
                _ => None,
            };
            CodecsCell {
                codec: grid.codecs[cell.codec].name(),
                kbps: measured.map(|measured| measured.kbps),
                values: grid.request.measures.iter().map(value).collect(),
                has_sound: cell.decoded.is_some(),
            }
        };
        Ok(cells.map(cell).collect())
    }

    pub(in crate::window) fn show_report(&self) -> Result<()> {
        let folder = {
            let state = self.locked();
            state.results.as_ref().map(|results| results.grid.folder.clone())
        };
        let report = folder.map(|folder| folder.join("report.html")).filter(|report| report.is_file());
        let report = report.ok_or_else(|| Error::NotFound { what: "report", name: "of the codecs".to_owned() })?;
        self.workspace.host.show_file(&report)
    }

    pub(in crate::window) fn compare(&self, recording: u32, codec: String) -> Result<CompareView> {
        let [original, decoded] = self.files_of_cell(recording, &codec)?;
        // The files in a grid's folder are named after a key, not after the recording.
        let name = format!("{}, {codec}", file_name(&original));
        self.compare.compare_with(&original, &decoded, name)
    }

    /// Returns the file of a recording and the file of a codec's output for it.
    ///
    /// # Errors
    /// [`Error::NotFound`] if there is no such cell, or its sound was not kept or is gone.
    fn files_of_cell(&self, recording: u32, codec: &str) -> Result<[PathBuf; 2]> {
        let state = self.locked();
        let (results, path) = state.results_of(recording)?;
        let is_asked = |cell: &&crate::codec_grid::Cell| {
            results.grid.inputs[cell.input].path == path && results.grid.codecs[cell.codec].name() == codec
        };
        let decoded = results.cells.iter().find(is_asked).and_then(|cell| cell.decoded.as_ref());
        let decoded = decoded.map(|decoded| results.grid.folder.join(decoded)).filter(|file| file.is_file());
        let decoded = decoded.ok_or_else(|| Error::NotFound { what: "decoded sound", name: codec.to_owned() })?;
        Ok([path.to_path_buf(), decoded])
    }

    fn take_recordings(&self, chosen: &[PathBuf]) -> Result<CodecsView> {
        if chosen.is_empty() {
            return self.view();
        }
        // Folders are read without the lock.
        let output = self.locked().output.clone().unwrap_or_default();
        let found = inputs(chosen, &output)?;
        self.changed(|state| {
            let known: HashSet<PathBuf> =
                state.recordings.iter().map(|recording| recording.input.path.clone()).collect();
            for input in found.into_iter().filter(|input| !known.contains(&input.path)) {
                state.recordings.push(Recording { id: state.next, input });
                state.next += 1;
            }
        })
    }

    fn changed(&self, change: impl FnOnce(&mut State)) -> Result<CodecsView> {
        let mut state = self.locked();
        state.at_rest()?;
        change(&mut state);
        Ok(self.view_of(&state))
    }

    pub(super) fn view_of(&self, state: &State) -> CodecsView {
        let models = self.workspace.state().settings.models.clone();
        state.view(&models)
    }
}

impl State {
    /// Returns the results and the path of a recording in them.
    fn results_of(&self, id: u32) -> Result<(&crate::codec_grid::Results, &Path)> {
        let missing = || Error::NotFound { what: "recording", name: id.to_string() };
        let recording = self.recordings.iter().find(|recording| recording.id == id).ok_or_else(missing)?;
        Ok((self.results.as_deref().ok_or_else(missing)?, &recording.input.path))
    }
}
