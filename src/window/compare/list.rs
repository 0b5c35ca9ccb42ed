//! The list of versions and their facts.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::sounds::Sound;
use super::types::{CompareCurve, CompareView};
use super::version::Version;
use super::{ComparePage, MAX_VERSIONS, State};
use crate::audio::file_extensions;
use crate::compare::measure_named;
use crate::error::{Error, Result};
use crate::window::event::{Notice, NoticeLevel};
use crate::window::host::FileChoice;
use crate::window::workspace::open_document::file_name;
use crate::window::workspace::types::DocumentId;
use crate::work::batch::inputs::{self, FoundInput};

impl ComparePage {
    #[allow(clippy::unnecessary_wraps, reason = "commands give results")]
    pub(in crate::window) fn view(&self) -> Result<CompareView> {
        self.restore();
        Ok(self.locked().view())
    }

    pub(in crate::window) fn add_files(self: &Arc<Self>) -> Result<CompareView> {
        let choice = FileChoice {
            title: "Versions to compare".into(),
            kind: "Audio",
            extensions: file_extensions(),
            several: true,
        };
        let chosen = self.workspace.host.choose_open(&choice);
        self.take_files(&chosen)
    }

    /// Adds files and all recordings in folders. Unreadable files are listed with the reason.
    pub(in crate::window) fn take_files(self: &Arc<Self>, chosen: &[PathBuf]) -> Result<CompareView> {
        let mut paths = Vec::new();
        for found in inputs::find(chosen, true, Path::new("")) {
            match found {
                FoundInput::Ok(input) => paths.push(input.path),
                FoundInput::Err((path, error)) => self.refuse(format!("{}: {}", file_name(&path), error.sentences())),
            }
        }
        if paths.is_empty() && !chosen.is_empty() {
            let names = chosen.iter().map(|path| file_name(path)).collect::<Vec<_>>().join(", ");
            self.refuse(format!("No recording found in {names}."));
        }
        let room = MAX_VERSIONS.saturating_sub(self.locked().versions.len());
        if paths.len() > room {
            self.refuse(format!("At most {MAX_VERSIONS} versions can be compared at once. The rest was left out."));
            paths.truncate(room);
        }
        let mut added = Vec::new();
        for path in paths {
            let id = self.fresh();
            added.push(Version::of_file(id, &path));
        }
        self.changed(|state| {
            state.versions.extend(added);
            Ok(())
        })
    }

    pub(in crate::window) fn add_documents(self: &Arc<Self>, documents: Vec<DocumentId>) -> Result<CompareView> {
        if self.locked().versions.len() + documents.len() > MAX_VERSIONS {
            return Err(Error::impossible(format!("At most {MAX_VERSIONS} versions can be compared at once.")));
        }
        let mut added = Vec::new();
        for document in documents {
            let name = self.workspace.state().document(document)?.name();
            added.push(Version::of_document(self.fresh(), name, document, &self.spectrograms));
        }
        self.changed(|state| {
            state.versions.extend(added);
            Ok(())
        })
    }

    /// Adds those files that are not versions yet, the second one named `name`, and makes the first the reference.
    pub(in crate::window) fn compare_with(
        self: &Arc<Self>,
        reference: &Path,
        other: &Path,
        name: String,
    ) -> Result<CompareView> {
        let of = |state: &State, path: &Path| {
            state.versions.iter().position(|version| version.path.as_deref() == Some(path))
        };
        let new: Vec<PathBuf> = {
            let state = self.locked();
            [reference, other].into_iter().filter(|path| of(&state, path).is_none()).map(Path::to_path_buf).collect()
        };
        if !new.is_empty() {
            self.take_files(&new)?;
        }
        self.changed(|state| {
            if let Some(at) = of(state, other) {
                state.versions[at].name = name;
            }
            if let Some(at) = of(state, reference).filter(|&at| state.versions[at].opened.is_ok()) {
                state.reference = Some(state.versions[at].id);
            }
            Ok(())
        })
    }

    pub(in crate::window) fn remove(self: &Arc<Self>, versions: Vec<u32>) -> Result<CompareView> {
        self.changed(|state| {
            state.versions.retain(|version| !versions.contains(&version.id));
            Ok(())
        })
    }

    pub(in crate::window) fn set_reference(self: &Arc<Self>, version: u32) -> Result<CompareView> {
        self.changed(|state| {
            state.opened(version)?;
            state.reference = Some(version);
            Ok(())
        })
    }

    pub(in crate::window) fn measure_at_equal_level(self: &Arc<Self>, on: bool) -> Result<CompareView> {
        self.changed(|state| {
            state.match_level = on;
            Ok(())
        })
    }

    pub(in crate::window) fn start(self: &Arc<Self>) -> Result<CompareView> {
        // Files that could not be read and comparisons that failed are tried again.
        let unread: Vec<(u32, PathBuf)> = {
            let state = self.locked();
            let unread = state.versions.iter().filter(|version| version.opened.is_err());
            unread.filter_map(|version| version.path.clone().map(|path| (version.id, path))).collect()
        };
        let again: Vec<Version> = unread.iter().map(|(id, path)| Version::of_file(*id, path)).collect();
        self.changed(|state| {
            state.pairs.retain(|_, result| result.is_ok());
            for opened in again {
                if let Some(version) = state.versions.iter_mut().find(|version| version.id == opened.id) {
                    version.opened = opened.opened;
                }
            }
            Ok(())
        })
    }

    pub(in crate::window) fn cancel(&self) -> Result<()> {
        let job = self.locked().running.map(|(job, _)| job);
        job.map_or(Ok(()), |job| self.jobs.cancel(job))
    }

    /// Returns a measure over time, for each version that has it.
    pub(in crate::window) fn curves(&self, measure: String) -> Result<Vec<CompareCurve>> {
        let measure = measure_named(&measure)?;
        let state = self.locked();
        let curve = |id: u32| {
            let compared = state.compared(id)?.as_ref().ok()?;
            let reading = compared.comparison.reading(measure)?;
            Some(CompareCurve::new(id, reading.curve.as_ref()?))
        };
        Ok(state.versions.iter().filter_map(|version| curve(version.id)).collect())
    }

    #[allow(clippy::unnecessary_wraps, reason = "commands give results")]
    pub(in crate::window) fn take_drops(&self, on: bool) -> Result<()> {
        self.takes_drops.store(on, Ordering::Relaxed);
        Ok(())
    }

    pub(super) fn fresh(&self) -> u32 {
        let mut state = self.locked();
        state.next += 1;
        state.next - 1
    }

    fn refuse(&self, message: String) {
        self.workspace.notify(Notice { level: NoticeLevel::Warning, message });
    }

    /// Changes the list, and compares the versions that are then waiting.
    fn changed(self: &Arc<Self>, change: impl FnOnce(&mut State) -> Result<()>) -> Result<CompareView> {
        // Restored first, so that new versions come after those of the last start.
        self.restore();
        let former = {
            let mut state = self.locked();
            change(&mut state)?;
            state.settle()
        };
        self.let_go(former);
        if let Err(error) = self.store() {
            tracing::warn!("the list of versions was not kept: {error}");
        }
        self.hear_again();
        self.start_waiting();
        Ok(self.locked().view())
    }

    /// Drops sounds, whose threads end within a block of frames; the caller does not wait for them.
    pub(super) fn let_go(&self, sounds: Vec<Arc<Sound>>) {
        if !sounds.is_empty() {
            self.workspace.in_background("Ending waveforms of versions", move || drop(sounds));
        }
    }
}
