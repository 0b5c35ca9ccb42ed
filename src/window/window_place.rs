//! The place of the window: stored in the settings folder, and corrected for the available screens.
//!
//! All values are physical pixels. A place stored for a screen that was removed or has changed its size could put the
//! window out of reach.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::files;

const FILE: &str = "window.json";
/// The largest accepted file, in bytes; a real one has about a hundred.
const MAX_BYTES: u64 = 4096;
/// The width and height of the title bar, in pixels, that must be on a screen for the window to be draggable.
const GRIP: (i64, i64) = (120, 24);

/// A rectangle on the desktop, in physical pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the sides of a rectangle")]
pub struct Rect {
    pub x: i32,
    pub y: i32,
    pub width: u32,
    pub height: u32,
}

/// The place of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowPlace {
    /// The rectangle of the window, or the one to which it returns when it is no longer maximised.
    #[serde(flatten)]
    pub rect: Rect,
    /// Whether it fills its screen.
    pub maximised: bool,
}

impl WindowPlace {
    /// Returns the place stored in a settings folder; `None` if there is none or it cannot be read.
    pub fn load(config: &Path) -> Option<Self> {
        let bytes = files::read(&config.join(FILE), "place of the window", MAX_BYTES).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Stores the place in a settings folder.
    pub fn save(&self, config: &Path) -> Result<()> {
        let text = serde_json::to_string(self).map_err(|error| Error::Internal(error.to_string()))?;
        files::write(&config.join(FILE), true, text.as_bytes())
    }

    /// Returns the place corrected for the screens, the primary one first: no larger than its screen, and centred on
    /// the primary one if it could not be dragged. Without screens it is unchanged.
    #[must_use]
    pub fn within(mut self, screens: &[Rect]) -> Self {
        let Some(primary) = screens.first() else { return self };
        let home = screens.iter().max_by_key(|screen| grip(&self.rect, screen)).unwrap_or(primary);
        let graspable = grip(&self.rect, home) > 0;
        let home = if graspable { home } else { primary };
        self.rect.width = self.rect.width.min(home.width);
        self.rect.height = self.rect.height.min(home.height);
        if !graspable {
            self.rect.x = home.x.saturating_add((home.width - self.rect.width) as i32 / 2);
            self.rect.y = home.y.saturating_add((home.height - self.rect.height) as i32 / 2);
        }
        self
    }
}

/// Returns how much of a window's title bar is on a screen, in pixels; 0 if it is too little to drag.
fn grip(window: &Rect, screen: &Rect) -> i64 {
    let shared = |from: i32, length: i64, low: i32, size: u32| {
        let (from, low) = (i64::from(from), i64::from(low));
        (from + length).min(low + i64::from(size)) - from.max(low)
    };
    let width = shared(window.x, i64::from(window.width), screen.x, screen.width);
    let height = shared(window.y, GRIP.1, screen.y, screen.height);
    if width >= GRIP.0.min(i64::from(window.width)) && height >= GRIP.1 { width } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEFT: Rect = Rect { x: 0, y: 0, width: 1920, height: 1080 };
    const RIGHT: Rect = Rect { x: 1920, y: 0, width: 2560, height: 1440 };

    fn at(x: i32, y: i32, width: u32, height: u32) -> WindowPlace {
        WindowPlace { rect: Rect { x, y, width, height }, maximised: false }
    }

    #[test]
    fn a_place_is_kept_and_a_spoiled_file_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(WindowPlace::load(folder.path()), None);
        let place = WindowPlace { maximised: true, ..at(-40, 60, 1300, 900) };
        place.save(folder.path()).expect("written");
        assert_eq!(WindowPlace::load(folder.path()), Some(place));
        at(5, 6, 1100, 700).save(folder.path()).expect("written again");
        assert_eq!(WindowPlace::load(folder.path()), Some(at(5, 6, 1100, 700)));
        std::fs::write(folder.path().join(FILE), "{\"x\": 1e99}").expect("spoiled");
        assert_eq!(WindowPlace::load(folder.path()), None);
    }

    #[test]
    fn a_place_that_can_be_grasped_stays() {
        for place in
            [at(100, 80, 1280, 800), at(2000, 300, 1280, 800), at(-500, 80, 1280, 800), at(1800, 1000, 1280, 800)]
        {
            assert_eq!(place.within(&[LEFT, RIGHT]), place);
        }
        assert_eq!(at(9000, 0, 10, 10).within(&[]), at(9000, 0, 10, 10));
    }

    #[test]
    fn a_place_off_all_screens_comes_to_the_middle_of_the_primary_one() {
        let middle = at(320, 140, 1280, 800);
        // A screen that was removed, above and below the screens, only a corner visible.
        for (x, y) in [(2000, 300), (100, -400), (100, 1075), (1900, 100), (-1279, 0), (i32::MIN, i32::MAX)] {
            assert_eq!(at(x, y, 1280, 800).within(&[LEFT]), middle, "{x}, {y}");
        }
        let maximised = WindowPlace { maximised: true, ..at(5000, 0, 1280, 800) };
        assert_eq!(maximised.within(&[LEFT]), WindowPlace { maximised: true, ..middle });
    }

    #[test]
    fn a_window_is_never_larger_than_its_screen() {
        assert_eq!(at(0, 0, 4000, 3000).within(&[LEFT, RIGHT]).rect.width, 2560);
        assert_eq!(at(0, 0, 4000, 3000).within(&[LEFT]), at(0, 0, 1920, 1080));
        assert_eq!(at(7000, 0, 4000, 3000).within(&[LEFT]), at(0, 0, 1920, 1080));
    }
}
