//! Outputs: what the player needs of a sound system, so that tests can put their own in its place.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use std::sync::Arc;

use super::callback::Callback;
use super::lock::Mutex;
use crate::error::Result;

/// A sound output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputInfo {
    /// Its handle, for the settings.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its rate in hertz.
    pub rate: u32,
    /// Its channels.
    pub channels: usize,
}

/// A sound system.
pub trait SoundHost: Send {
    /// Every output there is.
    ///
    /// # Errors
    /// [`crate::Error::Sound`].
    fn outputs(&mut self) -> Result<Vec<OutputInfo>>;

    /// The handle of the system's default output. Asked once a second while something plays, so it must open nothing.
    fn default_id(&mut self) -> Option<String>;

    /// The output of that handle, or the system's default.
    ///
    /// # Errors
    /// [`crate::Error::Sound`] when there is none.
    fn find(&mut self, id: Option<&str>) -> Result<OutputInfo>;

    /// Opens an output and starts calling back. Whatever ends it is told to `health`.
    ///
    /// # Errors
    /// [`crate::Error::Sound`].
    fn open(&mut self, output: &OutputInfo, callback: Callback, health: Arc<Health>) -> Result<Box<dyn OutputStream>>;
}

/// An open output; dropping it closes it.
pub trait OutputStream: Send {
    /// Lets the output run, or lets it rest while there is nothing to play.
    ///
    /// # Errors
    /// [`crate::Error::Sound`].
    fn set_running(&self, running: bool) -> Result<()>;
}

/// How an open output does. Errors come by the thousand from some hosts; only the first is kept.
#[derive(Debug, Default)]
pub struct Health {
    lost: AtomicBool,
    glitches: AtomicU64,
    message: Mutex<Option<String>>,
}

impl Health {
    /// The output cannot go on. Only the first time counts.
    pub fn lose(&self, message: &str) {
        if !self.lost.swap(true, Ordering::AcqRel)
            && let Ok(mut kept) = self.message.lock()
        {
            *kept = Some(message.to_owned());
        }
    }

    /// The output itself ran dry.
    pub fn count_glitch(&self) {
        self.glitches.fetch_add(1, Ordering::Relaxed);
    }

    /// Times the output itself ran dry.
    pub fn glitches(&self) -> u64 {
        self.glitches.load(Ordering::Relaxed)
    }

    /// Why the output cannot go on, once that is so.
    pub fn lost(&self) -> Option<String> {
        if !self.lost.load(Ordering::Acquire) {
            return None;
        }
        let message = self.message.lock().ok().and_then(|message| message.clone());
        Some(message.unwrap_or_else(|| "the output went away".to_owned()))
    }
}
