//! Exports each track of a document as a separate file, as it enters the sum.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::audio::Tags;
use crate::chain::{Chain, Placement, Seeking};
use crate::device::RunPurpose;
use crate::document::{MixPart, MixReader, MixRender};
use crate::error::{Error, Result};
use crate::files::check_target;
use crate::window::App;
use crate::window::jobs::{JobId, JobPurpose};
use crate::window::workspace::types::DocumentId;
use crate::work::batch::naming::{Template, TemplateValues};
use crate::work::batch::targets::number;
use crate::work::export::{ExportJob, ExportSettings, Tagging, export};

/// The names of the files.
const NAMES: &str = "{number:02} {title}.{ext}";

impl App {
    /// Lets the user choose a folder, and starts the job that writes the tracks there with the settings of the last
    /// export. Returns `None` if the user closes the dialog.
    pub(in crate::window) fn export_stems(&self, document: DocumentId) -> Result<Option<JobId>> {
        let (now, open, measured, settings, device, name) = {
            let state = self.workspace.state();
            let open = state.document(document)?;
            let measured = Arc::clone(&open.mix_measured);
            let (settings, device) = (state.settings.export.clone(), state.settings.device.clone());
            (open.history.shared(), open.open_source()?, measured, settings, device, open.name())
        };
        let Some(mix) = now.mix()? else { return Err(Error::impossible("The document has only one track.")) };
        let Some(folder) = self.workspace.host.choose_folders("Folder for the tracks").into_iter().next() else {
            return Ok(None);
        };
        let stems = now.stems()?;
        let targets = targets(&folder, &stems, &settings)?;
        let protected = self.protected();
        for target in &targets {
            check_target(target, false, &protected)?;
        }
        let placement = Placement::new(device, Arc::clone(&self.workspace.devices), RunPurpose::Export);
        let title = format!("Export the tracks of {name}");
        let job = self.jobs.start(JobPurpose::Stems, title, move |progress| {
            progress.set_total(stems.len() as u64);
            for (stem, target) in stems.iter().zip(targets) {
                progress.set_step(stem.name.clone());
                let inner = progress.uncounted();
                let (placement, seeking) = (placement.clone(), Seeking::Exact);
                let how = MixRender { placement: &placement, measured: &measured, seeking, measures: Some(&inner) };
                let part = (stem.rendered(&open, &how)?, stem.gains);
                let source = Box::new(MixReader::new(vec![part], mix.format, mix.frames).whole());
                let job = ExportJob {
                    source,
                    chain: Chain::default(),
                    placement,
                    settings: ExportSettings { range: None, gain_db: 0.0, loudness: None, ..settings.clone() },
                    overwrite: false,
                    inputs: protected.clone(),
                    target,
                    tags: Tagging::default(),
                    markers: now.markers.list(),
                };
                export(job, &inner)?;
                progress.advance(1)?;
            }
            Ok(None)
        });
        Ok(Some(job))
    }
}

/// Returns a file for each track. Equal names are numbered.
fn targets(folder: &Path, stems: &[MixPart], settings: &ExportSettings) -> Result<Vec<PathBuf>> {
    let template = Template::parse(NAMES)?;
    let extension = settings.format.extension();
    let target = |(index, stem): (usize, &MixPart)| {
        let mut tags = Tags::default();
        tags.items.insert("TITLE".to_owned(), stem.name.clone().into());
        let input = Path::new("track");
        let values = TemplateValues { input, folder: Path::new(""), number: index + 1, extension, tags: &tags };
        Ok(folder.join(template.apply(&values)?))
    };
    let mut targets = stems.iter().enumerate().map(target).collect::<Result<Vec<_>>>()?;
    number(targets.iter_mut());
    Ok(targets)
}
