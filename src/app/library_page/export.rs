//! Exports the table's tracks to a file that other programs can read.

use std::path::Path;

use super::LibraryPage;
use super::table::question;
use crate::app::api::{ExportedTracks, TrackListQuery};
use crate::app::host::FileChoice;
use crate::app::library::export_tracks;
use crate::app::open_document::file_name;
use crate::app::workspace::ChosenFile;
use crate::error::{Error, Result};
use crate::library::questions::export::Format;
use crate::progress::Progress;

/// The extensions that the dialog offers.
const EXTENSIONS: &[&str] = &["csv", "json", "parquet"];

impl LibraryPage {
    pub(in crate::app) fn export_tracks(&self, query: TrackListQuery) -> Result<Option<ExportedTracks>> {
        let (asked, _) = question(&query)?;
        let library = self.opened()?;
        let choice =
            FileChoice { title: "Export tracks".into(), kind: "Tables", extensions: EXTENSIONS, several: false };
        let Some(ChosenFile { path, may_replace }) = self.workspace.choose_target(&choice, "tracks.csv") else {
            return Ok(None);
        };
        let format = format_of(&path)?;
        let written = export_tracks(&library, &asked, &path, format, may_replace, &Progress::new())?;
        Ok(Some(ExportedTracks { name: file_name(&path), written }))
    }
}

fn format_of(path: &Path) -> Result<Format> {
    Format::of_path(path).ok_or_else(|| {
        let extension = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        Error::invalid("the file name's extension", format!(".{extension}"), Format::ALL.map(Format::name).join(", "))
    })
}
