//! Prepares the device for a changed chain on a separate thread, before the sound switches to it. Compiling shaders for
//! a GPU can take seconds; until then the previous chain goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::source::PlaybackSource;
use effects::chain::{Chain, MeasuredMap};

/// Work that makes a device ready. It may take seconds.
pub type Preparation = Box<dyn FnOnce() + Send>;

/// The preparation of a player's chain: at most one at a time, so that a slider that moves does not start one for each
/// of its steps.
#[derive(Debug, Default)]
pub(super) struct Preparing {
    /// The number of chains so far.
    chain: u64,
    running: Option<(u64, Arc<AtomicBool>)>,
}

impl Preparing {
    /// Notes that the chain has changed.
    pub fn chain_changed(&mut self) {
        self.chain += 1;
    }

    /// Whether the device is ready for this chain. Begins to prepare it if that was not done yet, and if no earlier
    /// preparation is still running.
    pub fn is_ready(&mut self, source: &dyn PlaybackSource, chain: &Chain, measured: &MeasuredMap) -> bool {
        if let Some((prepared, done)) = &self.running {
            if !done.load(Ordering::Acquire) {
                return false;
            }
            if *prepared == self.chain {
                return true;
            }
        }
        let Some(work) = source.preparation(chain, measured) else {
            self.running = None;
            return true;
        };
        let done = Arc::new(AtomicBool::new(false));
        let ends = Ends(Arc::clone(&done));
        let thread = std::thread::Builder::new().name("prepares a chain".to_owned()).spawn(move || {
            // Also if the work panics: the chain then fails or runs as it would without a preparation.
            let _ends = ends;
            work();
        });
        let started = thread.is_ok();
        self.running = started.then_some((self.chain, done));
        !started
    }
}

/// Says at its end that a preparation is done.
struct Ends(Arc<AtomicBool>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}
