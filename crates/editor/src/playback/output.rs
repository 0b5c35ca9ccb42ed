//! Outputs: the interface between the player and a sound system. Tests provide their own.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use std::sync::Arc;

use serde::Serialize;

use super::callback::Callback;
use super::lock::Mutex;
use base::declared::TS;
use base::error::Result;

/// An audio output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(rename = "OutputView")]
pub struct OutputInfo {
    /// The handle, as used in the settings.
    pub id: String,
    /// The name.
    pub name: String,
    /// The sample rate in Hz.
    pub rate: u32,
    /// The number of channels.
    pub channels: usize,
}

/// A sound system.
pub trait SoundHost: Send {
    /// Lists all outputs.
    fn outputs(&mut self) -> Result<Vec<OutputInfo>>;

    /// Returns the handle of the system's default output. It is called once a second, so it must not open anything.
    fn default_id(&mut self) -> Option<String>;

    /// Finds the output with a handle, or the system's default for `None`.
    fn find(&mut self, id: Option<&str>) -> Result<OutputInfo>;

    /// Opens an output and starts calling `callback`. If the stream ends, the reason is reported to `health`.
    fn open(&mut self, output: &OutputInfo, callback: Callback, health: Arc<Health>) -> Result<Box<dyn OutputStream>>;
}

/// An open output. Dropping it closes it.
pub trait OutputStream: Send {
    /// Runs the output, or pauses it while there is nothing to play.
    fn set_running(&self, running: bool) -> Result<()>;
}

/// The health of an open output. Some hosts report errors by the thousand; only the first is kept.
#[derive(Debug, Default)]
pub struct Health {
    lost: AtomicBool,
    glitches: AtomicU64,
    message: Mutex<Option<String>>,
}

impl Health {
    /// Reports that the output cannot continue. Only the first call counts.
    pub fn lose(&self, message: &str) {
        if !self.lost.swap(true, Ordering::AcqRel) {
            *self.message.lock() = Some(message.to_owned());
        }
    }

    /// Reports that the output itself ran dry.
    pub fn count_glitch(&self) {
        self.glitches.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns how often the output itself ran dry.
    pub fn glitches(&self) -> u64 {
        self.glitches.load(Ordering::Relaxed)
    }

    /// Returns why the output cannot continue, or `None` while it can.
    pub fn lost(&self) -> Option<String> {
        if !self.lost.load(Ordering::Acquire) {
            return None;
        }
        let message = self.message.lock().clone();
        Some(message.unwrap_or_else(|| "the output went away".to_owned()))
    }
}
