//! The window takes the place that it had when it was closed, and keeps the one that it has.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tauri::{Manager, Monitor, PhysicalPosition, PhysicalSize, WebviewWindow, Window};
use tracing::warn;
use undertone::window::{Rect, WindowPlace};

/// How long a rectangle must last before it counts as the one to return to: the system may report a maximised window's
/// new size before it reports that it is maximised.
const SETTLED: Duration = Duration::from_millis(500);

/// The last place of the window, and the folder where it is stored.
pub struct Place {
    config: PathBuf,
    seen: Mutex<Option<Seen>>,
}

/// The place of the window when it was last noted.
#[derive(Clone, Copy)]
struct Seen {
    place: WindowPlace,
    /// The rectangle before, and since when it is no longer.
    former: Rect,
    since: Instant,
}

impl Place {
    /// Moves the window to its stored place, corrected for the available screens.
    pub fn restore(window: &WebviewWindow, config: &Path) -> Self {
        let kept = WindowPlace::load(config).map(|place| place.within(&screens(window)));
        if let Some(WindowPlace { rect, maximised }) = kept {
            let moved = window
                .set_size(PhysicalSize::new(rect.width, rect.height))
                .and_then(|()| window.set_position(PhysicalPosition::new(rect.x, rect.y)))
                .and_then(|()| if maximised { window.maximize() } else { Ok(()) });
            if let Err(error) = moved {
                warn!("the window did not take its place: {error}");
            }
        }
        let seen = kept.map(|place| Seen { place, former: place.rect, since: Instant::now() });
        Self { config: config.to_path_buf(), seen: Mutex::new(seen) }
    }

    /// Takes note of where the window stands now. A minimised window has no place.
    pub fn note(&self, window: &Window) {
        if window.is_minimized().unwrap_or(false) {
            return;
        }
        let maximised = window.is_maximized().unwrap_or(false);
        let Some(rect) = rect_of(window) else { return };
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        *seen = Some(match *seen {
            None => Seen { place: WindowPlace { rect, maximised }, former: rect, since: Instant::now() },
            // The window returns to the rectangle that it had before.
            Some(seen) if maximised => {
                let is_settled = seen.place.maximised || seen.since.elapsed() >= SETTLED;
                let rect = if is_settled { seen.place.rect } else { seen.former };
                Seen { place: WindowPlace { rect, maximised }, ..seen }
            }
            Some(seen) if seen.place.rect == rect => Seen { place: WindowPlace { rect, maximised }, ..seen },
            Some(seen) => {
                let former = if seen.since.elapsed() >= SETTLED { seen.place.rect } else { seen.former };
                Seen { place: WindowPlace { rect, maximised }, former, since: Instant::now() }
            }
        });
    }

    /// Keeps the place that was noted last.
    pub fn keep(&self) {
        let seen = *self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Err(error)) = seen.map(|seen| seen.place.save(&self.config)) {
            warn!("the place of the window was not kept: {error}");
        }
    }
}

fn rect_of(window: &Window) -> Option<Rect> {
    let (position, size) = (window.outer_position().ok()?, window.inner_size().ok()?);
    Some(Rect { x: position.x, y: position.y, width: size.width, height: size.height })
}

/// Returns the screens, the primary one first.
fn screens(window: &WebviewWindow) -> Vec<Rect> {
    let rect = |monitor: &Monitor| {
        let (position, size) = (monitor.position(), monitor.size());
        Rect { x: position.x, y: position.y, width: size.width, height: size.height }
    };
    let primary = window.primary_monitor().ok().flatten().map(|monitor| rect(&monitor));
    let all = window.available_monitors().unwrap_or_default();
    let mut screens: Vec<Rect> = all.iter().map(rect).collect();
    screens.sort_by_key(|screen| Some(*screen) != primary);
    screens
}

/// Notes the place of the main window after it was moved or resized.
pub fn note(window: &Window) {
    if let Some(place) = window.try_state::<Place>() {
        place.note(window);
    }
}
