//! Recording onto a track: captured sound is placed at the sound it was played along to.
//!
//! ```text
//! Player -> HeardLog: which frame of the document was heard when   \
//!                                                                   Clocks -> placed: parts of the take in the document
//! Recorder -> Captured: which frame of the take was captured when  /
//! ```
//!
//! Both sides note the time of every call and the latency that the device reports. [`Clocks`] uses many calls to map
//! frames of one to frames of the other. Latency that the devices do not report, or report wrongly, is the *recording
//! offset* of a pair of devices: [`measure_offset`] finds it with a cable from the output to the input.

mod clocks;
mod offset;

#[cfg(test)]
mod tests;

pub use clocks::{Clocks, Placement, placed};
pub use offset::{MAX_OFFSET_S, MeasuredOffset, measure_offset};

use crate::playback::{Heard, HeardLog};
use base::units::SampleRate;

use super::{Recorder, RecorderState};

/// The length in seconds by which a take must exceed the latest frame that is used, so that joins have material.
const BEYOND_S: f64 = 0.1;
/// The longest wait for the end of a take after playback has ended, in seconds.
const PATIENCE_S: f64 = 3.0;

/// The range of a recording onto a track, and how it is placed.
#[derive(Clone, Debug, PartialEq)]
pub struct Overdub {
    /// The frame of the document from which on it is recorded.
    pub start: u64,
    /// The frame at which it ends; `None` to record until it is stopped.
    pub end: Option<u64>,
    /// The frame up to which is played, beyond the end.
    pub play_until: Option<u64>,
    /// The rate of the document.
    pub rate: SampleRate,
    /// The recording offset in frames of the input: how much later it captures than the devices say.
    pub offset: f64,
}

impl Overdub {
    /// Returns whether everything that belongs in the document was recorded. `log` is `None` if nothing is played
    /// meanwhile.
    pub fn is_complete(&self, recorder: &Recorder, log: Option<&HeardLog>) -> bool {
        let Some(end) = self.end else { return false };
        let status = recorder.status();
        if status.state != RecorderState::Recording {
            return false;
        }
        let input_rate = f64::from(status.input.rate);
        let is_long = status.frames as f64 / input_rate >= end.saturating_sub(self.start) as f64 / self.rate.as_f64();
        let Some(log) = log else { return is_long };
        // Playing must be over too.
        let is_over = |heard: &Heard| {
            heard.ended
                || heard.broken
                || heard.problem.is_some()
                || heard.reached().is_some_and(|at| at >= self.play_until.unwrap_or(end))
        };
        if !log.with(is_over) {
            return false;
        }
        let heard = log.read();
        let captured = recorder.captured();
        let clocks = Clocks::of(&heard, &captured);
        let (Some(clocks), Some(last)) = (clocks, heard.parts.last()) else { return is_long };
        let until = clocks.take_frame_of(last, end, self.rate) + self.offset;
        let played = clocks.take_frame(last, (last.stream + last.frames) as f64) + self.offset;
        let has = status.frames as f64;
        // An input that is far behind or has stopped does not keep it open forever.
        has >= until + BEYOND_S * input_rate || has >= played.max(until) + PATIENCE_S * input_rate
    }

    /// Returns the position of a finished take's frames in the document. `frames` is its length at its rate.
    pub fn placement(
        &self,
        recorded: &super::Captured,
        rate: SampleRate,
        frames: u64,
        heard: Option<&Heard>,
    ) -> Placement {
        placed(self, recorded, (rate, frames), heard)
    }
}
