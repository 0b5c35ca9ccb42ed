//! Uncompressed audio: WAV, AIFF and their kin, read straight from the file by position.

pub(crate) mod aiff;
mod convert;
mod read;
pub(crate) mod wav;

pub(crate) use convert::{SampleKind, deinterleave};
pub(crate) use read::PcmReader;

use crate::audio::AudioFormat;

/// Where the interleaved samples of an uncompressed file lie, and what they are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PcmLayout {
    /// Byte offset of the first frame.
    pub start: u64,
    /// Whole frames that are there.
    pub frames: u64,
    /// Bytes from one frame to the next.
    pub stride: usize,
    /// How one sample is stored.
    pub kind: SampleKind,
    /// Rate and channels.
    pub audio: AudioFormat,
}

impl PcmLayout {
    /// The frames that fit into `bytes`.
    pub(crate) fn frames_in(bytes: u64, stride: usize) -> u64 {
        bytes / stride.max(1) as u64
    }
}
