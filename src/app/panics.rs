//! Panics are faults of this program's own: each ends the one task that it happened in, and is told.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use super::api::{Notice, NoticeLevel};
use super::state::Shared;
use crate::error::{Error, Result};

/// Runs a task; a panic in it is [`Error::Internal`]. What a panic leaves behind is sound: every change under a lock is
/// small and whole ([`super::state::lock`]).
///
/// # Errors
/// What the task fails with.
pub fn caught<T>(what: &str, task: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(task)).unwrap_or_else(|panic| {
        let message = message(panic.as_ref());
        tracing::error!("{what} panicked: {message}");
        Err(Error::Internal(format!("{what} ended abnormally: {message}")))
    })
}

/// What a panic said.
fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("it gave no reason")
}

impl Shared {
    /// Runs a task whose panic the user is told of.
    pub(super) fn guarded(&self, what: &str, task: impl FnOnce()) {
        if let Err(error) = caught(what, || {
            task();
            Ok(())
        }) {
            self.tell_fault(&error);
        }
    }

    /// Runs a task on a thread of its own; the user is told of its panic.
    pub(super) fn in_background(self: &Arc<Self>, what: &'static str, task: impl FnOnce() + Send + 'static) {
        let shared = Arc::downgrade(self);
        thread::spawn(move || {
            if let (Err(error), Some(shared)) = (
                caught(what, || {
                    task();
                    Ok(())
                }),
                shared.upgrade(),
            ) {
                shared.tell_fault(&error);
            }
        });
    }

    fn tell_fault(&self, error: &Error) {
        let notice = Notice { level: NoticeLevel::Error, message: error.to_string(), document: None };
        // It may be the telling that panics: nothing is left to be done then.
        let _ = caught("telling of a fault", || {
            self.notify(notice);
            Ok(())
        });
    }
}
