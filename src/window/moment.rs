//! The order of the views that a window receives.

use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;

/// The order of a view: a number that grows with each view of some state. The answer to a command and an event reach a
/// window on different paths, and one can overtake the other: a window keeps the view with the greater number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Moment(u64);

base::declared_as!(Moment, u64);

impl Moment {
    /// Returns the next moment. The state must be locked, or a view with a greater moment could be the older one.
    pub(in crate::window) fn next() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self(LAST.fetch_add(1, Ordering::Relaxed) + 1)
    }
}
