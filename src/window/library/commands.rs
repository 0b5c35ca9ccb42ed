//! Commands on the library that concern other parts of the app, or that return bytes.

use super::types::LibraryView;
use crate::error::Result;
use crate::library::answers::track_here;
use crate::window::App;
use crate::window::workspace::types::Opened;

impl App {
    pub(in crate::window) fn watch_library(&self, on: bool) -> Result<LibraryView> {
        let library = self.library.opened()?;
        if on {
            library.check_writable()?;
        }
        // Started before the settings change, so that the answer includes the watcher.
        if on {
            self.library.watch(&library);
        }
        if self.settings()?.library.watch != on {
            self.change_settings(|settings| settings.library.watch = on)?;
        }
        self.library.view(&library)
    }

    pub(in crate::window) fn open_tracks(&self, tracks: Vec<i64>) -> Result<Opened> {
        let library = self.library.opened()?;
        let paths = tracks.iter().map(|id| Ok(track_here(&library, *id)?.path)).collect::<Result<Vec<_>>>()?;
        Ok(self.open(&paths))
    }

    /// Returns the last computed map.
    ///
    /// The result is little-endian. First 14 words of 32 bits:
    /// - whether there is a map (1 or 0), the number of points that follow, the number of dimensions with values,
    ///   whether the library has changed since (1 or 0);
    /// - how well it keeps neighbours: their number `k` (0 if it was not measured), then as f32 (`NaN` if it was not)
    ///   the share of each track's `k` nearest that is kept, trustworthiness and continuity;
    /// - the number of pairs of tracks that are alike to 99 %, and as f32 how far apart the farthest of them lies, as a
    ///   share of the map's larger side;
    /// - the dimension that goes with the direction from left to right (the largest u32 if none does) and its
    ///   correlation as f32, then the same from the top down; only with points.
    ///
    /// Then the track IDs as f64; the x coordinates (left to right) and the y coordinates (top to bottom) as f32,
    /// 0..=1; and for each dimension, as u16, the share of the library's tracks with a lower value in units of
    /// 1/65,534, or 65,535 for no value. Without `whole` no points follow.
    pub fn library_map(&self, whole: bool) -> Result<Vec<u8>> {
        self.library.map_bytes(whole)
    }
}
