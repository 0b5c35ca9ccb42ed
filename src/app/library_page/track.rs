//! The page of a track, its cover and its file.

use super::cover;
use super::rows::{item, origin};
use crate::app::App;
use crate::app::api::{CoverView, Opened, TrackPageView};
use crate::app::excerpt;
use crate::app::listening::VERSIONS;
use crate::error::{Error, Result};

impl App {
    pub(in crate::app) fn library_track(&self, track: i64) -> Result<TrackPageView> {
        let library = self.shared.opened_library()?;
        let track = library.track(track)?;
        let knowledge = self.shared.knowledge(&library)?;
        let share = |(dimension, value): (usize, &Option<f64>)| {
            knowledge.percentiles().share_below(dimension, value.map_or(f32::NAN, |value| value as f32))
        };
        Ok(TrackPageView {
            percentiles: track.row.features.iter().enumerate().map(share).collect(),
            origin: origin(&track.row),
            item: item(track.row),
            reachable: track.path.is_file(),
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

    pub(in crate::app) fn library_cover(&self, track: i64) -> Result<Option<CoverView>> {
        let picture = self.shared.opened_library()?.cover(track)?;
        Ok(picture.as_ref().map(cover::view))
    }

    pub(in crate::app) fn open_tracks(&self, tracks: Vec<i64>) -> Result<Opened> {
        let library = self.shared.opened_library()?;
        let paths = tracks.iter().map(|id| Ok(library.track(*id)?.path)).collect::<Result<Vec<_>>>()?;
        Ok(self.open(&paths))
    }

    pub(in crate::app) fn show_track_file(&self, track: i64) -> Result<()> {
        let path = self.shared.opened_library()?.track(track)?.path;
        if !path.exists() {
            return Err(Error::NotFound { what: "file of the track", name: path.display().to_string() });
        }
        self.shared.host.show_file(&path)
    }
}
