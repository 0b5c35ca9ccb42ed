//! Playlists: choosing their tracks as a job, and writing them to a file.

use std::collections::HashSet;
use std::sync::Arc;

use super::LibraryPage;
use super::table::question;
use super::types::{PlaylistView, TrackListQuery};
use crate::error::{Error, Result};
use crate::library::answers::{
    Playlist, PlaylistChoice, PlaylistTarget, PlaylistWish, TrackScope, playlist, write_playlist,
};
use crate::library::questions::playlists::Format;
use crate::lock::lock;
use crate::window::host::FileChoice;
use crate::window::jobs::{JobId, JobPurpose};
use crate::window::workspace::open_document::file_name;

/// The last playlist, and the number of its request. The result of an earlier request that ends later is dropped.
#[derive(Default)]
pub struct KeptPlaylist {
    requests: u64,
    view: Option<PlaylistView>,
}

impl LibraryPage {
    pub(in crate::window) fn make_playlist(
        &self,
        query: TrackListQuery,
        tracks: Option<Vec<i64>>,
        choice: PlaylistChoice,
        count: Option<usize>,
        mixed: bool,
    ) -> Result<JobId> {
        let library = self.opened()?;
        let (query, sort) = question(&query)?;
        let only = tracks.map(|tracks| tracks.into_iter().collect::<HashSet<_>>());
        let scope = TrackScope { query, only };
        let wish = PlaylistWish { scope, sort, choice, count: count.unwrap_or(usize::MAX), mixed };
        if let Some(running) = self.jobs.running(JobPurpose::Playlist) {
            self.jobs.cancel(running)?;
        }
        let kept = Arc::clone(&self.playlist);
        let number = {
            let mut kept = lock(&kept);
            kept.requests += 1;
            kept.requests
        };
        let job = self.jobs.start(JobPurpose::Playlist, "Choose tracks".into(), move |progress| {
            let view = view(&playlist(&library, &wish, progress)?, wish.mixed);
            let mut kept = lock(&kept);
            if kept.requests == number {
                kept.view = Some(view);
            }
            Ok(None)
        });
        Ok(job)
    }

    pub(in crate::window) fn playlist(&self) -> Result<Option<PlaylistView>> {
        Ok(lock(&self.playlist).view.clone())
    }

    pub(in crate::window) fn save_playlist(
        &self,
        tracks: Vec<i64>,
        format: Format,
        relative: bool,
    ) -> Result<Option<JobId>> {
        let library = self.opened()?;
        let (kind, extensions): (_, &[&str]) = match format {
            Format::M3u8 => ("M3U8 playlist", &["m3u8"]),
            Format::Xspf => ("XSPF playlist", &["xspf"]),
        };
        let choice = FileChoice { title: "Save playlist".into(), kind, extensions, several: false };
        let suggested = format!("playlist.{}", format.name());
        let Some(chosen) = self.workspace.choose_target(&choice, &suggested) else { return Ok(None) };
        // A name with the other format's extension selects that format.
        let format = Format::of_path(&chosen.path).ok_or_else(|| {
            let extension = chosen.path.extension().unwrap_or_default().to_string_lossy().into_owned();
            let allowed = Format::ALL.map(Format::name).join(", ");
            Error::invalid("the file name's extension", format!(".{extension}"), allowed)
        })?;
        let title = format!("Export {}", file_name(&chosen.path));
        let job = self.jobs.start(JobPurpose::PlaylistFile, title, move |progress| {
            let target = PlaylistTarget { path: &chosen.path, format, relative, overwrite: chosen.may_replace };
            write_playlist(&library, &tracks, &target, progress)?;
            Ok(None)
        });
        Ok(Some(job))
    }
}

fn view(found: &Playlist, mixed: bool) -> PlaylistView {
    PlaylistView {
        tracks: found.rows.iter().map(|row| row.id).collect(),
        duration_s: found.duration_s(),
        left_out: found.left_out,
        changes: if mixed { found.changes() } else { Vec::new() },
    }
}
