//! Ctrl+C: the first press asks the work to end cleanly, the second ends the program immediately.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::progress::Progress;

/// The exit status of an interrupted program, by shell convention: 128 plus the signal number.
const INTERRUPTED: i32 = 130;

/// Whether the user has requested the end of the work.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Installs the handler for Ctrl+C.
    pub fn listen() -> Self {
        let interrupt = Self::default();
        let heard = interrupt.clone();
        let listening = ctrlc::set_handler(move || {
            if heard.0.swap(true, Ordering::Relaxed) {
                std::process::exit(INTERRUPTED);
            }
        });
        if let Err(error) = listening {
            // Ctrl+C keeps its default behaviour.
            tracing::warn!("Ctrl+C cannot be heard: {error}");
        }
        interrupt
    }

    /// Returns whether Ctrl+C was pressed.
    pub fn is_heard(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Cancels running and pending files when Ctrl+C is pressed. Finished files are kept.
pub fn cancel_on_interrupt(progress: &Arc<Vec<Progress>>) {
    let interrupt = Interrupt::listen();
    let watched = Arc::downgrade(progress);
    std::thread::spawn(move || {
        while let Some(progress) = watched.upgrade() {
            if interrupt.is_heard() {
                progress.iter().for_each(Progress::cancel);
                return;
            }
            drop(progress);
            std::thread::sleep(Duration::from_millis(50));
        }
    });
}
