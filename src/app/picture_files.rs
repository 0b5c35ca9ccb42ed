//! Exports spectrograms of open documents as pictures or numbers.

use std::path::PathBuf;

use super::App;
use super::api::{DocumentId, ExportTarget, PictureFormat, SpectrogramDisplay};
use super::host::FileChoice;
use crate::error::Result;
use crate::files::SafeFile;
use crate::playback::Side;
use crate::progress::Progress;
use crate::view::colours;
use crate::view::picture::{NumberKind, PictureSpec, draw, png, write_npy, write_row_npy};
use crate::view::spectrogram::{Analysis, Method};

impl App {
    #[allow(clippy::too_many_arguments, reason = "a picture has as many settings")]
    pub(super) fn export_picture(
        &self,
        document: DocumentId,
        side: Side,
        analysis: Analysis,
        display: SpectrogramDisplay,
        width: u32,
        height: u32,
        axes: bool,
        format: PictureFormat,
    ) -> Result<Option<ExportTarget>> {
        let name = self.workspace.state().document(document)?.name();
        let (kind, extensions): (_, &[&str]) = match format {
            PictureFormat::Png => ("PNG", &["png"]),
            PictureFormat::Npy => ("NumPy", &["npy"]),
        };
        let choice = FileChoice { title: "Export picture".into(), kind, extensions, several: false };
        let stem = PathBuf::from(&name).file_stem().map_or(name.clone(), |stem| stem.to_string_lossy().into_owned());
        let suggestion = format!("{stem} spectrogram.{}", extensions[0]);
        let Some(chosen) = self.workspace.choose_target(&choice, &suggestion) else { return Ok(None) };
        let progress = Progress::new();
        let source = self.spectrograms.source(document, side, &progress)?;
        let lanes = display.channels;
        let mut file = SafeFile::create(&chosen.path, chosen.may_replace, self.protected())?;
        let placement = self.spectrograms.placement();
        let report = match format {
            PictureFormat::Npy if analysis.method != Method::Fourier => {
                let rate = source.format().rate;
                let analyser = analysis.columns(rate, analysis.axis(rate).span(height as usize))?;
                write_row_npy(&source, analyser.as_ref(), lanes, analysis.size / 2, &placement, &mut file, &progress)?
            }
            PictureFormat::Npy => {
                let plan = analysis.plan()?;
                write_npy(&source, &plan, lanes, NumberKind::Decibels, &placement, &mut file, &progress)?
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
                let (image, report) = draw(&source, &spec, &placement, &progress)?;
                file.append(&png(&image)?)?;
                report
            }
        };
        self.spectrograms.note_device(report);
        file.commit()?;
        Ok(Some(self.workspace.target_view(&chosen.path)))
    }
}
