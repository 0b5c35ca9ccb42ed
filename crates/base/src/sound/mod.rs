//! Planar sound and the streams that carry it.

mod ahead;
mod buffer;
mod channel_mix;
mod damage;
mod lanes;
mod layout;
mod memory;
mod range;

pub use ahead::read_ahead;
pub use buffer::AudioBuffer;
pub use channel_mix::ChannelMix;
pub use damage::{Damage, silent_parts};
pub use lanes::Lanes;
pub use layout::{Layout, Speaker};
pub use memory::MemoryReader;
pub use range::RangeReader;

use serde::{Deserialize, Serialize};

use crate::declared::TS;
use crate::error::Result;
use crate::units::SampleRate;

/// The format of a stream: its sample rate, its channels, and the loudspeakers that they are meant for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
pub struct AudioFormat {
    /// The sample rate, in frames per second.
    pub rate: SampleRate,
    /// The number of channels.
    pub channels: usize,
    /// The layout, unless it is mono or stereo. It has no meaning if its number of channels is not that of `channels`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    layout: Option<Layout>,
}

impl AudioFormat {
    /// Creates the format of one channel in the centre, of a left and a right one, or of more channels with an unknown
    /// layout.
    pub const fn new(rate: SampleRate, channels: usize) -> Self {
        Self { rate, channels, layout: None }
    }

    /// Returns the format with other loudspeakers. A layout of another number of channels is ignored.
    #[must_use]
    pub fn with_layout(self, layout: Option<Layout>) -> Self {
        let plain = Self::new(self.rate, self.channels);
        let layout = layout.filter(|layout| layout.channels() == self.channels && Some(*layout) != plain.layout());
        Self { layout, ..plain }
    }

    /// Returns the format at another rate.
    #[must_use]
    pub const fn with_rate(self, rate: SampleRate) -> Self {
        Self { rate, ..self }
    }

    /// Returns the format with `channels` channels. The layout stays if their number does.
    #[must_use]
    pub fn with_channels(self, channels: usize) -> Self {
        Self::new(self.rate, channels).with_layout(self.layout())
    }

    /// Returns the layout; `None` if it is not known.
    pub fn layout(&self) -> Option<Layout> {
        let stated = self.layout.filter(|layout| layout.channels() == self.channels);
        stated.or_else(|| Layout::usual(self.channels).filter(|layout| layout.channels() <= 2))
    }

    /// Returns the layout, or the usual one for the number of channels if it is not known ([`Layout::usual`]).
    pub fn assumed_layout(&self) -> Option<Layout> {
        self.layout().or_else(|| Layout::usual(self.channels))
    }

    /// Returns the channels in words: `5.1(side)`, or `3 channels` if the layout is not known.
    pub fn channels_in_words(&self) -> String {
        self.layout().map_or_else(|| format!("{} channels", self.channels), |layout| layout.to_string())
    }
}

/// A stream of audio of known length that can be read from any frame.
///
/// Implemented by decoded files, by an edit list over them, and by a chain rendered over either. A read after a seek
/// returns the same frames as a straight read.
pub trait AudioReader: Send {
    /// Returns the sample rate and the number of channels.
    fn format(&self) -> AudioFormat;

    /// Returns the exact length in frames.
    fn frames(&self) -> u64;

    /// Returns the frame that the next read begins with.
    fn position(&self) -> u64;

    /// Seeks to `frame`, or to the end if `frame` is beyond it.
    fn seek(&mut self, frame: u64) -> Result<()>;

    /// Replaces the contents of `out` with the next `frames` frames: fewer at the end of the stream, none after it.
    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()>;

    /// Returns the ranges, among the frames read so far, that could not be decoded and were replaced by silence, and
    /// whether all frames were read in order and break the checksum of the recording.
    fn damage(&self) -> Damage {
        Damage::default()
    }
}
