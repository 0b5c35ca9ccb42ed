//! The system's sound inputs, and recording a few seconds from the default one into memory.
//!
//! ```text
//! input -> Inlet (the input's thread: pushes into a ring) -> ring -> record (the caller's thread) -> Recorded
//! ```
//!
//! [`crate::recording`] records to disk, [`super::live`] sends an input through a chain to an output.
//!
//! If the whole length cannot be recorded - there is no input, access is denied, the input goes away or stops - the
//! result is an error with the reason. Silence is not an error; [`Recorded::peak`] reveals it.

mod channels;
mod cpal_input;
mod inlet;
mod open;
mod recorded;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

pub use channels::ChannelChoice;
pub use cpal_input::CpalInput;
pub use inlet::Inlet;
pub(crate) use inlet::{Outlet, inlet};
pub(crate) use open::Input;
pub use recorded::Recorded;

use serde::{Deserialize, Serialize};

use super::output::Health;
use base::declared::TS;
use base::error::{Error, Result};
use base::progress::Progress;
use base::units::SampleRate;

/// How often the ring buffer is emptied and a cancel is noticed.
const PAUSE: Duration = Duration::from_millis(10);
/// An input that delivers nothing for this long is given up.
const STALL: Duration = Duration::from_secs(3);
/// The most samples in a recording, over all channels: 256 MiB.
const MAX_SAMPLES: u64 = 1 << 26;

/// The length of the ring buffer in seconds, in case the caller is delayed.
const ROOM_S: usize = 2;

/// A sound input.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, TS)]
#[ts(rename = "InputView")]
pub struct InputInfo {
    /// The handle, as used in the settings.
    pub id: String,
    /// The display name.
    pub name: String,
    /// The sample rate in Hz.
    pub rate: u32,
    /// The number of channels.
    pub channels: usize,
    /// Whether it is the system's default.
    pub is_default: bool,
}

/// A request for an input.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputWish {
    /// Its handle, name or a part of its name; `None` for the system's default.
    pub input: Option<String>,
    /// The sample rate in Hz; `None` for the input's default.
    pub rate: Option<u32>,
    /// Frames per call, if it can be set.
    pub frames: Option<u32>,
}

/// An open input. Dropping it closes it.
pub type OpenInput = Box<dyn Send>;

/// The inputs of a sound system.
pub trait InputHost: Send {
    /// Lists all inputs.
    fn inputs(&mut self) -> Result<Vec<InputInfo>>;

    /// Finds an input.
    ///
    /// # Errors
    /// [`Error::Capture`] if there is no input, or access to it is denied; [`Error::Invalid`] for a name that no input
    /// has, and for a rate that the input does not have.
    fn find(&mut self, wish: &InputWish) -> Result<InputInfo>;

    /// Opens the input that was found; it starts to deliver samples to `inlet`. If the stream ends, the reason is
    /// reported to `health`.
    fn open(&mut self, inlet: Inlet, health: Arc<Health>) -> Result<OpenInput>;
}

/// Lists the system's inputs.
pub fn inputs() -> Result<Vec<InputInfo>> {
    CpalInput::default().inputs()
}

/// Records for a number of seconds from the system's default input. Progress counts frames. A cancel takes effect
/// within a few hundredths of a second, even while the system is slow to open the input.
///
/// # Errors
/// [`Error::Invalid`] for a length that is not positive and finite; [`Error::Limit`] for more than 2^26 samples.
pub fn record(seconds: f64, progress: &Progress) -> Result<Recorded> {
    record_from(Box::new(CpalInput::default()), seconds, progress)
}

/// Does the same as [`record`] on another sound system.
pub fn record_from(host: Box<dyn InputHost>, seconds: f64, progress: &Progress) -> Result<Recorded> {
    record_with(host, seconds, STALL, progress)
}

fn record_with(host: Box<dyn InputHost>, seconds: f64, stall: Duration, progress: &Progress) -> Result<Recorded> {
    if !(seconds.is_finite() && seconds > 0.0) {
        return Err(Error::invalid("length of a recording", format!("{seconds} s"), "more than 0 s"));
    }
    let mut input = Input::open(host, InputWish::default(), ROOM_S, progress)?;
    let rate = SampleRate::new(input.info.rate)?;
    let frames = rate.frames_from_seconds(seconds).max(1);
    let samples = frames.saturating_mul(input.info.channels as u64);
    if samples > MAX_SAMPLES {
        let most = MAX_SAMPLES / input.info.channels as u64 / u64::from(rate.hz());
        let got = format!("{seconds} s of {} channels", input.info.channels);
        return Err(Error::Limit { what: "the length of a recording".into(), got, limit: format!("{most} s") });
    }
    progress.set_total(frames);
    let mut channels = vec![Vec::with_capacity(frames as usize); input.info.channels];
    let mut heard = Instant::now();
    loop {
        let left = frames - channels[0].len() as u64;
        if left == 0 {
            break;
        }
        let taken = input.outlet.take(left as usize, &mut channels);
        progress.advance(taken as u64)?;
        if taken > 0 {
            heard = Instant::now();
            continue;
        }
        let recorded_s = rate.seconds_from_frames(frames - left);
        if let Some(why) = input.health.lost() {
            return Err(Error::Capture(format!("{} failed after {recorded_s:.1} s. {why}", input.info.name)));
        }
        if heard.elapsed() >= stall {
            let name = &input.info.name;
            return Err(Error::Capture(format!(
                "{name} gave no sound after {recorded_s:.1} s. Choose another input in the system's settings"
            )));
        }
        thread::sleep(PAUSE);
    }
    let gaps = input.outlet.gaps() + input.health.glitches();
    Ok(Recorded { channels, rate, device_name: input.info.name.clone(), gaps })
}
