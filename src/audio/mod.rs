//! Planar audio, the streams that carry it, and the files that it is read from and written to.

mod aac;
mod ahead;
mod buffer;
mod channel_order;
mod checksums;
mod codec;
mod container;
mod damage;
mod decode;
pub mod demo;
mod durations;
pub mod encode;
mod file;
mod file_kinds;
mod flac;
mod guarded;
#[cfg(feature = "pesq")]
pub(crate) use guarded::guarded;
mod lanes;
pub mod markers;
mod memory;
mod mpeg;
mod opus_streams;
mod packets;
mod parts;
mod pcm;
mod probe;
mod probed;
mod range;
mod source;
pub mod tags;
mod text;
mod unread;
mod vorbis;

pub use ahead::read_ahead;
pub use buffer::AudioBuffer;
pub use codec::is_lossless;
pub use damage::Damage;
pub use file::{AudioFile, FileInfo};
pub use file_kinds::{FILE_KINDS, FileKind, file_extensions};
pub use lanes::Lanes;
pub use markers::{Marker, MarkerList};
pub use memory::MemoryReader;
pub use range::RangeReader;
pub use tags::{CoverChange, Picture, TagChanges, Tags};

use serde::{Deserialize, Serialize};

use crate::declared::TS;
use crate::error::Result;
use crate::units::SampleRate;

/// The format of a stream: its sample rate and number of channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
pub struct AudioFormat {
    /// The sample rate, in frames per second.
    pub rate: SampleRate,
    /// The number of channels.
    pub channels: usize,
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
    ///
    /// # Errors
    /// Returns an error if the source fails, for example on I/O errors or damage.
    fn seek(&mut self, frame: u64) -> Result<()>;

    /// Replaces the contents of `out` with the next `frames` frames: fewer at the end of the stream, none after it.
    ///
    /// # Errors
    /// Returns an error if the source fails, for example on I/O errors or damage.
    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()>;

    /// Returns the ranges, among the frames read so far, that could not be decoded and were replaced by silence, and
    /// whether all frames were read in order and break the checksum of the recording.
    fn damage(&self) -> Damage {
        Damage::default()
    }
}
