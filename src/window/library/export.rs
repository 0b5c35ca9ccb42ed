//! Exports the table's tracks to a file that other programs can read.

use std::path::Path;

use super::LibraryPage;
use super::table::question;
use super::types::{ExportedTracks, TrackListQuery};
use crate::error::{Error, Result};
use crate::library::answers::{PlaylistChoice, PlaylistTarget, PlaylistWish, export_tracks, playlist, write_playlist};
use crate::library::questions::export::{Format, WrittenTracks};
use crate::library::questions::playlists;
use crate::library::{Library, SortKey, TrackQuery};
use crate::progress::Progress;
use crate::window::host::FileChoice;
use crate::window::workspace::ChosenFile;
use crate::window::workspace::open_document::file_name;

/// The extensions that the dialog offers.
const EXTENSIONS: &[&str] = &["csv", "json", "parquet", "m3u8", "xspf"];

impl LibraryPage {
    pub(in crate::window) fn export(&self, query: TrackListQuery) -> Result<Option<ExportedTracks>> {
        let (asked, sort) = question(&query)?;
        let library = self.opened()?;
        let choice = FileChoice {
            title: "Export tracks".into(),
            kind: "Tables and playlists",
            extensions: EXTENSIONS,
            several: false,
        };
        let Some(ChosenFile { path, may_replace }) = self.workspace.choose_target(&choice, "tracks.csv") else {
            return Ok(None);
        };
        let written = match playlists::Format::of_path(&path) {
            Some(format) => {
                let target = PlaylistTarget { path: &path, format, relative: false, overwrite: may_replace };
                playlist_of(&library, asked, sort, &target)?
            }
            None => export_tracks(&library, &asked, &path, format_of(&path)?, may_replace, &Progress::new())?,
        };
        Ok(Some(ExportedTracks { name: file_name(&path), written }))
    }
}

/// Writes the tracks of the table as a playlist, in the order in which they are shown.
fn playlist_of(
    library: &Library,
    query: TrackQuery,
    sort: Vec<SortKey>,
    target: &PlaylistTarget<'_>,
) -> Result<WrittenTracks> {
    let wish = PlaylistWish { scope: query.into(), sort, choice: PlaylistChoice::All, count: usize::MAX, mixed: false };
    let ids: Vec<i64> = playlist(library, &wish, &Progress::new())?.rows.iter().map(|row| row.id).collect();
    write_playlist(library, &ids, target, &Progress::new())
}

fn format_of(path: &Path) -> Result<Format> {
    Format::of_path(path).ok_or_else(|| {
        let extension = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        Error::invalid("the file name's extension", format!(".{extension}"), EXTENSIONS.join(", "))
    })
}
