//! Exports open documents: the forecast, the job that writes the file, and the use of the file afterwards.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use super::types::TagEdits;
use crate::audio::AudioReader;
use crate::audio::encode::FileFormat;
use crate::chain::{Placement, Seeking};
use crate::device::RunPurpose;
use crate::document::{Document, MixMeasurements, MixReader, MixRender, OpenSource};
use crate::error::{Error, Failure, Result};
use crate::files::{Protected, check_target};
use crate::lock::lock;
use crate::progress::Progress;
use crate::window::App;
use crate::window::event::Event;
use crate::window::host::FileChoice;
use crate::window::jobs::{JobId, JobPurpose};
use crate::window::workspace::open_document::file_name;
use crate::window::workspace::types::{DocumentId, Opened, TargetId};
use crate::window::workspace::{ChosenFile, Forecasting};
use crate::work::export::{
    ExportForecast, ExportJob, ExportPlan, ExportSettings, RenderJob, Tagging, export, forecast, plan,
};

impl App {
    pub(in crate::window) fn choose_export(
        &self,
        document: DocumentId,
        settings: ExportSettings,
    ) -> Result<Option<TargetId>> {
        let stem = self.workspace.state().document(document)?.base_name();
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
        // This target is refused now, while the user can still choose another name, and again when the file is written.
        check_target(&file.path, file.may_replace, &self.protected())?;
        let target = TargetId(self.workspace.fresh());
        self.workspace.state().targets.insert(target, file);
        Ok(Some(target))
    }

    pub(in crate::window) fn export(
        &self,
        document: DocumentId,
        target: TargetId,
        settings: ExportSettings,
        tags: Option<TagEdits>,
    ) -> Result<JobId> {
        let inputs = self.protected();
        let changes = self.tag_changes(tags)?;
        let chosen = self.workspace.state().targets.remove(&target);
        let ChosenFile { path: target, may_replace } =
            chosen.ok_or_else(|| Error::NotFound { what: "export target", name: target.0.to_string() })?;
        let source = self.source_tags(document)?;
        let markers = self.markers_of(document)?;
        let render = self.render_job(document, settings)?;
        let tags = Tagging { source, done: render.document.processing()?, changes };
        let title = format!("Export {}", file_name(&target));
        // The next export starts with these settings, but with the whole recording at its original level.
        let kept = ExportSettings { range: None, gain_db: 0.0, ..render.settings.clone() };
        self.change_settings(|settings| settings.export = kept)?;
        let workspace = Arc::clone(&self.workspace);
        let path = target.clone();
        let id = self.jobs.start(JobPurpose::Export, title, move |progress| {
            let RenderJob { source, chain, placement, settings } = render.open(progress)?;
            let overwrite = may_replace;
            let job = ExportJob { source, chain, placement, settings, overwrite, inputs, target: path, tags, markers };
            let result = export(job, progress)?.to_result();
            workspace.state().last_job = Some((result.device.clone(), result.seconds));
            if let Ok(devices) = workspace.devices_view() {
                workspace.host.emit(Event::Devices { devices });
            }
            Ok(Some(result))
        });
        self.workspace.state().exported.insert(id, target);
        Ok(id)
    }

    /// Returns the sound that an export and its forecast render: the document, or the sum of its tracks.
    fn render_job(&self, document: DocumentId, settings: ExportSettings) -> Result<UnopenedJob> {
        let (request, open, measured, now) = {
            let state = self.workspace.state();
            let open = state.document(document)?;
            let measured = Arc::clone(&open.mix_measured);
            (state.settings.device.clone(), open.open_source()?, measured, open.history.shared())
        };
        let placement = Placement::new(request, Arc::clone(&self.workspace.devices), RunPurpose::Export);
        Ok(UnopenedJob { document: now, open, measured, placement, settings })
    }

    pub(in crate::window) fn export_plan(
        &self,
        document: DocumentId,
        settings: ExportSettings,
        tags: TagEdits,
    ) -> Result<ExportPlan> {
        let (source, changes) = (self.source_tags(document)?, self.tag_changes(Some(tags))?);
        let UnopenedJob { document: now, open, settings, .. } = self.render_job(document, settings)?;
        let tags = Tagging { source, done: now.processing()?, changes };
        // The content of a track does not change the length and the format of the sum unless its chain stretches time.
        let (reader, chain): (Box<dyn AudioReader>, _) = match now.mix()? {
            Some(mix) => (Box::new(MixReader::new(Vec::new(), mix.format, mix.frames)), mix.chain),
            None => (Box::new(now.reader(|source| open(source))?), now.chain.clone()),
        };
        plan(reader.as_ref(), &chain, &settings, &tags, &self.markers_of(document)?)
    }

    /// Starts to measure what an export would write. A measurement that is still running is cancelled, because only the
    /// last one counts.
    pub(in crate::window) fn forecast_export(&self, document: DocumentId, settings: ExportSettings) -> Result<JobId> {
        let render = self.render_job(document, settings)?;
        let name = self.workspace.state().document(document)?.name();
        if let Some(running) = self.jobs.running(JobPurpose::Forecast) {
            self.jobs.cancel(running)?;
        }
        let found: Arc<Mutex<Option<ExportForecast>>> = Arc::default();
        let kept = Arc::clone(&found);
        let job = self.jobs.start(JobPurpose::Forecast, format!("Measure the export of {name}"), move |progress| {
            *lock(&kept) = Some(forecast(render.open(progress)?, progress)?);
            Ok(None)
        });
        self.workspace.state().forecast = Some(Forecasting { job, found });
        Ok(job)
    }

    #[allow(clippy::unnecessary_wraps, reason = "commands give results")]
    pub(in crate::window) fn export_forecast(&self, job: JobId) -> Result<Option<ExportForecast>> {
        let found =
            self.workspace.state().forecast.as_ref().filter(|last| last.job == job).map(|last| Arc::clone(&last.found));
        Ok(found.and_then(|found| lock(&found).clone()))
    }

    #[allow(clippy::unnecessary_wraps, reason = "commands give results")]
    pub(in crate::window) fn encoder_problem(&self, format: FileFormat) -> Result<Option<Failure>> {
        Ok(format.check_encoder().err().map(Failure::from))
    }

    pub(in crate::window) fn show_exported(&self, job: JobId) -> Result<()> {
        let path = self.exported(job)?;
        self.workspace.host.show_file(&path)
    }

    pub(in crate::window) fn open_exported(&self, job: JobId) -> Result<Opened> {
        Ok(self.open(&[self.exported(job)?]))
    }

    /// Returns the file that an export wrote.
    fn exported(&self, job: JobId) -> Result<PathBuf> {
        let path = self.workspace.state().exported.get(&job).cloned();
        let path = path.ok_or_else(|| Error::NotFound { what: "export", name: job.0.to_string() })?;
        if path.exists() {
            return Ok(path);
        }
        Err(Error::NotFound { what: "exported file", name: path.display().to_string() })
    }

    /// Returns the files that no output may overwrite: files of open documents and of the batch, and the library's only
    /// copies.
    pub(in crate::window) fn protected(&self) -> Protected {
        self.batch.protecting(self.workspace.protected())
    }
}

/// An export before its recordings are opened. Opening may measure tracks, and happens in the job.
struct UnopenedJob {
    document: Arc<Document>,
    open: OpenSource,
    measured: Arc<MixMeasurements>,
    placement: Placement,
    settings: ExportSettings,
}

impl UnopenedJob {
    fn open(self, progress: &Progress) -> Result<RenderJob> {
        let Self { document, open, measured, placement, settings } = self;
        let seeking = Seeking::Exact;
        let how = MixRender { placement: &placement, measured: &measured, seeking, measures: Some(progress) };
        let source = document.whole_reader(&open, &how)?;
        Ok(RenderJob { source, chain: document.whole_chain().clone(), placement, settings })
    }
}
