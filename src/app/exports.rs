//! Runs exports of open documents as jobs.

use std::path::PathBuf;
use std::sync::Arc;

use super::App;
use super::api::{DocumentId, Event, ExportSettings, ExportTarget, JobId, JobPurpose, JobView, LastJob, TargetId};
use super::export::{ExportJob, export};
use super::host::FileChoice;
use super::open_document::file_name;
use super::workspace::ChosenFile;
use crate::audio::encode::FileFormat;
use crate::chain::Placement;
use crate::device::RunPurpose;
use crate::error::{Error, Result};

impl App {
    pub(super) fn choose_export(&self, document: DocumentId, settings: ExportSettings) -> Result<Option<ExportTarget>> {
        let name = self.workspace.state().document(document)?.name();
        let stem = PathBuf::from(&name).file_stem().map_or(name, |stem| stem.to_string_lossy().into_owned());
        let (kind, extensions): (_, &[&str]) = match settings.format {
            FileFormat::Wav => ("WAV", &["wav"]),
            FileFormat::Flac => ("FLAC", &["flac"]),
            FileFormat::Vorbis => ("Ogg Vorbis", &["ogg", "oga"]),
            FileFormat::Opus => ("Opus", &["opus"]),
            FileFormat::Mp3 => ("MP3", &["mp3"]),
        };
        let choice = FileChoice { title: "Export".into(), kind, extensions, several: false };
        let suggestion = format!("{stem} (edited).{}", extensions[0]);
        let Some(file) = self.workspace.choose_target(&choice, &suggestion) else { return Ok(None) };
        let target = self.workspace.target_view(&file.path);
        self.workspace.state().targets.insert(target.id, file);
        Ok(Some(target))
    }

    pub(super) fn export(&self, document: DocumentId, target: TargetId, settings: ExportSettings) -> Result<JobId> {
        let inputs = self.workspace.protected();
        let (ChosenFile { path: target, may_replace }, request, readers, file, now) = {
            let mut state = self.workspace.state();
            let target = state
                .targets
                .remove(&target)
                .ok_or_else(|| Error::NotFound { what: "export target", name: target.0.to_string() })?;
            let request = state.settings.device.clone();
            let open = state.document(document)?;
            let file = open.files.first().and_then(|file| file.as_ref().ok()).cloned();
            (target, request, open.readers()?, file, open.history.shared())
        };
        let title = format!("Export {}", file_name(&target));
        let job = ExportJob {
            source: readers()?,
            chain: now.chain.clone(),
            placement: Placement::new(request, Arc::clone(&self.workspace.devices), RunPurpose::Export),
            settings: settings.clone(),
            overwrite: may_replace,
            inputs,
            target,
            tags: file.map(|file| file.info().tags.clone()).unwrap_or_default(),
        };
        self.remember_settings(settings)?;
        let workspace = Arc::clone(&self.workspace);
        let id = self.jobs.start(JobPurpose::Export, title, move |progress| {
            let result = export(job, progress)?.to_result();
            workspace.state().last_job = Some(LastJob { device: result.device.clone(), seconds: result.seconds });
            if let Ok(devices) = workspace.devices_view() {
                workspace.host.emit(Event::Devices { devices });
            }
            Ok(Some(result))
        });
        Ok(id)
    }

    pub(super) fn cancel_job(&self, job: JobId) -> Result<()> {
        self.jobs.cancel(job)
    }

    #[allow(clippy::unnecessary_wraps, reason = "commands give results")]
    pub(super) fn jobs(&self) -> Result<Vec<JobView>> {
        Ok(self.jobs.views())
    }

    // The next export starts with these settings.
    fn remember_settings(&self, export: ExportSettings) -> Result<()> {
        self.change_settings(|settings| settings.export = export)?;
        Ok(())
    }
}
