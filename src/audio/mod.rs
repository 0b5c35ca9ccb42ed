//! Planar audio, the streams that carry it, and the files it comes from and goes to.

mod aac;
mod ahead;
mod buffer;
mod codec;
mod container;
mod damage;
mod decode;
pub mod demo;
mod durations;
pub mod encode;
mod file;
mod file_kinds;
mod guarded;
mod lanes;
mod memory;
mod opened;
mod opus_streams;
mod packets;
mod pcm;
mod probe;
mod range;
mod source;
pub mod tags;
mod vorbis;

pub use ahead::read_ahead;
pub use buffer::AudioBuffer;
pub use codec::is_lossless;
pub use damage::Damage;
pub use file::{AudioFile, FileInfo};
pub use file_kinds::{FILE_KINDS, FileKind, file_extensions};
pub use lanes::Lanes;
pub use memory::MemoryReader;
pub use range::RangeReader;
pub use tags::{Picture, Tags};

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::error::Result;
use crate::units::SampleRate;

/// The shape of a stream: its rate and its number of channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
pub struct AudioFormat {
    /// Frames per second.
    pub rate: SampleRate,
    /// Samples per frame.
    pub channels: usize,
}

/// A stream of audio of known length that can be read from any frame on.
///
/// Implementors: decoded files, an edit list over them, a chain rendered over either. A read after a seek gives what
/// the straight read gave at that place.
pub trait AudioReader: Send {
    /// Rate and channels.
    fn format(&self) -> AudioFormat;

    /// The exact length in frames.
    fn frames(&self) -> u64;

    /// The frame that the next read begins with.
    fn position(&self) -> u64;

    /// Moves to `frame`; beyond the end means the end.
    ///
    /// # Errors
    /// What the source cannot do: I/O, damage.
    fn seek(&mut self, frame: u64) -> Result<()>;

    /// Replaces the contents of `out` by the next `frames` frames, fewer at the end, none after it.
    ///
    /// # Errors
    /// What the source cannot do: I/O, damage.
    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()>;

    /// What of the frames read so far could not be decoded and was given as silence.
    fn damage(&self) -> Damage {
        Damage::default()
    }
}
