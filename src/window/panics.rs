//! Turns panics into errors. A panic ends only the task in which it occurred, and is reported.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use super::workspace::Workspace;
use crate::error::{Error, Result};
use crate::window::event::{Notice, NoticeLevel};

/// Runs a task and turns a panic into [`Error::Internal`]. State is consistent after a panic, because every change
/// under a lock is small and complete ([`crate::lock`]).
pub fn caught<T>(what: &str, task: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(task)).unwrap_or_else(|panic| {
        let message = message(panic.as_ref());
        tracing::error!("{what} panicked: {message}");
        Err(Error::Internal(format!("{what} crashed: {message}")))
    })
}

/// Returns the message of a panic.
fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("it gave no reason")
}

impl Workspace {
    /// Runs a task; the user is notified if it panics.
    pub(super) fn guarded(&self, what: &str, task: impl FnOnce()) {
        if let Err(error) = caught(what, || {
            task();
            Ok(())
        }) {
            self.tell_fault(&error);
        }
    }

    /// Runs a task on a new thread; the user is notified if it panics.
    pub(super) fn in_background(self: &Arc<Self>, what: &'static str, task: impl FnOnce() + Send + 'static) {
        let workspace = Arc::downgrade(self);
        thread::spawn(move || {
            if let (Err(error), Some(workspace)) = (
                caught(what, || {
                    task();
                    Ok(())
                }),
                workspace.upgrade(),
            ) {
                workspace.tell_fault(&error);
            }
        });
    }

    fn tell_fault(&self, error: &Error) {
        let notice = Notice { level: NoticeLevel::Error, message: error.sentences() };
        // The notification itself may panic; then nothing more can be done.
        let _ = caught("telling of a fault", || {
            self.notify(notice);
            Ok(())
        });
    }
}
