//! Exports spectrograms of open documents as pictures or numbers.

use std::sync::Arc;

use serde::Deserialize;

use crate::error::Result;
use crate::files::SafeFile;
use crate::playback::Side;
use crate::view::colours;
use crate::view::picture::{NumberKind, PictureSpec, draw, png, write_npy, write_row_npy};
use crate::view::spectrogram::{Analysis, Method};
use crate::window::App;
use crate::window::host::FileChoice;
use crate::window::jobs::{JobId, JobPurpose};
use crate::window::workspace::open_document::file_name;
use crate::window::workspace::types::DocumentId;
use crate::work::settings::SpectrogramDisplay;
use base::declared::TS;

/// A file format for spectrogram images or values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names")]
pub enum PictureFormat {
    Png,
    Npy,
}

impl App {
    /// Starts the job that writes the picture. Returns `None` if the user closes the dialog.
    #[allow(clippy::too_many_arguments, reason = "a picture has as many settings")]
    pub(in crate::window) fn export_picture(
        &self,
        document: DocumentId,
        side: Side,
        analysis: Analysis,
        display: SpectrogramDisplay,
        width: u32,
        height: u32,
        axes: bool,
        format: PictureFormat,
    ) -> Result<Option<JobId>> {
        let (name, stem) = {
            let state = self.workspace.state();
            let open = state.document(document)?;
            (open.name(), open.base_name())
        };
        let (kind, extensions): (_, &[&str]) = match format {
            PictureFormat::Png => ("PNG", &["png"]),
            PictureFormat::Npy => ("NumPy", &["npy"]),
        };
        let choice = FileChoice { title: "Export picture".into(), kind, extensions, several: false };
        let suggestion = format!("{stem} spectrogram.{}", extensions[0]);
        let Some(chosen) = self.workspace.choose_target(&choice, &suggestion) else { return Ok(None) };
        let mut file = SafeFile::create(&chosen.path, chosen.may_replace, self.protected())?;
        let (tiles, placement) = (Arc::clone(&self.spectrograms), self.spectrograms.placement());
        let (lanes, title) = (display.channels, format!("Export {}", file_name(&chosen.path)));
        let job = self.jobs.start(JobPurpose::Picture, title, move |progress| {
            let source = tiles.source(document, side, progress)?;
            let report = match format {
                PictureFormat::Npy if analysis.method != Method::Fourier => {
                    let rate = source.format().rate;
                    let analyser = analysis.columns(rate, analysis.axis(rate).span(height as usize))?;
                    let hop = analysis.size / 2;
                    write_row_npy(&source, analyser.as_ref(), lanes, hop, &placement, &mut file, progress)?
                }
                PictureFormat::Npy => {
                    let plan = analysis.plan()?;
                    write_npy(&source, &plan, lanes, NumberKind::Decibels, &placement, &mut file, progress)?
                }
                PictureFormat::Png => {
                    let scale = analysis.scale;
                    let spec = PictureSpec {
                        analysis,
                        lanes,
                        width,
                        // The window gives the height of the whole picture.
                        height: height / lanes.count(source.format().channels).max(1) as u32,
                        hop: analysis.size / 4,
                        top_db: -display.gain_db,
                        range_db: display.range_db,
                        colours: colours::table(display.colours.name())?,
                        axes,
                        title: format!("{name}   {}, {}, {scale} axis", source.format().rate, analysis.in_words()),
                    };
                    let (image, report) = draw(&source, &spec, &placement, progress)?;
                    file.append(&png(&image)?)?;
                    report
                }
            };
            tiles.note_device(report);
            file.commit()?;
            Ok(None)
        });
        Ok(Some(job))
    }
}
