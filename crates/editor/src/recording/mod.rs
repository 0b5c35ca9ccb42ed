//! Recording to disk.
//!
//! ```text
//! input -> Inlet (the input's thread) -> ring -> Recorder's thread: levels, pre-roll -> GrowingWav, syncs
//!                                                                                    \-> Journal
//! ```
//!
//! A [`Recorder`] opens an input and measures it. From [`Recorder::begin`] on, it writes the input to a WAV file that
//! is valid at every moment: its header is updated twice a second, so that a killed program loses less than a second. A
//! [`Journal`] remembers the file until the recording has ended, so that the next start can offer to recover it.
//!
//! Whatever ends a recording - a full disk, an unplugged input - the sound recorded so far stays readable. Samples lost
//! because the disk was too slow are replaced by silence of the same length, so that later sound stays in time; they
//! are counted, with their positions.

mod journal;
mod levels;
mod names;
pub mod overdub;
mod preroll;
mod recorder;
mod take;
mod writer;

#[cfg(test)]
mod tests;

pub use journal::{Belonging, Journal, LeftRecording, forget, left, recover};
pub use levels::ChannelLevel;
pub use names::{free_name, free_names};
pub use recorder::{Captured, Recorder, RecorderState, RecorderStatus};
pub use take::{LostPart, Take, TakeEnd};

use crate::playback::capture::{ChannelChoice, InputWish};

/// The input to record, and which of its channels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputChoice {
    /// The input.
    pub input: InputWish,
    /// Its channels.
    pub channels: ChannelChoice,
}
