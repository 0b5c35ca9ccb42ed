//! The page of a track, its cover and its file; tracks opened in the editor.

use super::LibraryPage;
use super::rows::{item, origin};
use super::types::TrackPageView;
use crate::error::{Error, Result};
use crate::library::answers::{missing_folder, track_here};
use crate::window::App;
use crate::window::excerpt;
use crate::window::workspace::types::Opened;
use crate::work::cover::{self, CoverView};
use crate::work::file_analysis::VERSIONS;

impl LibraryPage {
    pub(in crate::window) fn track(&self, track: i64) -> Result<TrackPageView> {
        let library = self.opened()?;
        let track = library.track(track)?;
        let knowledge = self.knowledge(&library)?;
        let folder_away = missing_folder(&library, &track)?;
        let share = |(dimension, value): (usize, &Option<f64>)| {
            knowledge.percentiles().share_below(dimension, value.map_or(f32::NAN, |value| value as f32))
        };
        Ok(TrackPageView {
            percentiles: track.row.features.iter().enumerate().map(share).collect(),
            origin: origin(&track.row),
            item: item(track.row),
            reachable: folder_away.is_none() && track.path.is_file(),
            folder_away,
            path: track.path.display().to_string(),
            tags: excerpt::fields(&track.tags),
            warnings: excerpt::warnings(&track.warnings),
            missing: track.missing,
            series: track.series,
            analysed_at: track.analysed_at,
            outdated: track.versions.is_some_and(|versions| versions != VERSIONS),
            vanished_at: track.vanished_at,
            binned_at: track.binned_at,
        })
    }

    pub(in crate::window) fn cover(&self, track: i64) -> Result<Option<CoverView>> {
        let picture = self.opened()?.cover(track)?;
        Ok(picture.as_ref().map(cover::view))
    }

    pub(in crate::window) fn show_file(&self, track: i64) -> Result<()> {
        let path = track_here(&*self.opened()?, track)?.path;
        if !path.exists() {
            return Err(Error::NotFound { what: "file", name: path.display().to_string() });
        }
        self.workspace.host.show_file(&path)
    }
}

pub(super) fn open(app: &App, tracks: Vec<i64>) -> Result<Opened> {
    let library = app.library.opened()?;
    let paths = tracks.iter().map(|id| Ok(track_here(&library, *id)?.path)).collect::<Result<Vec<_>>>()?;
    Ok(app.open(&paths))
}
