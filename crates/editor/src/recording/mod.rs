//! Recording to disk.
//!
//! ```text
//! input -> Inlet (the input's thread) -> ring -> Recorder's thread: levels, pre-roll -> GrowingWav, syncs
//!                                                                                    \-> Journal
//! ```
//!
//! A [`Recorder`] opens an input and measures it. From [`Recorder::begin`] on, it writes what comes to a WAV file that is
//! complete at every moment: its header is renewed twice a second, so that a killed program loses less than a second.
//! A [`Journal`] remembers the file until the recording has ended, so that the next start can offer what was left.
//!
//! Whatever ends a recording - a full disk, an input that was unplugged - what was recorded stays and can be read.
//! Samples that were lost because the disk was too slow are replaced by silence of the same length, so that what follows
//! stays at its time; they are counted, with their places.

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
