//! Ctrl+C: the first time it asks the work to end in order, the second time it ends the program at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit status of a program that was interrupted, as shells have it: 128 and the signal's number.
const INTERRUPTED: i32 = 130;

/// Whether the user asked the work to end.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens from now on.
    pub fn listen() -> Self {
        let interrupt = Self::default();
        let heard = interrupt.clone();
        let listening = ctrlc::set_handler(move || {
            if heard.0.swap(true, Ordering::Relaxed) {
                std::process::exit(INTERRUPTED);
            }
        });
        if let Err(error) = listening {
            // Then Ctrl+C does what it always does.
            tracing::warn!("Ctrl+C cannot be heard: {error}");
        }
        interrupt
    }

    /// Whether Ctrl+C was pressed.
    pub fn is_heard(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
