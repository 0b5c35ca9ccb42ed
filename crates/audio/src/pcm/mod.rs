//! Uncompressed samples, read by position directly from the file.

mod convert;
mod read;

pub(crate) use convert::{SampleKind, deinterleave};
pub(crate) use read::PcmReader;

use crate::AudioFormat;

/// The location and format of the interleaved samples in an uncompressed file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PcmLayout {
    /// The byte offset of the first frame.
    pub start: u64,
    /// The number of whole frames present.
    pub frames: u64,
    /// The distance between frames in bytes.
    pub stride: usize,
    /// The storage format of a sample.
    pub kind: SampleKind,
    /// Sample rate and channels.
    pub audio: AudioFormat,
}

impl PcmLayout {
    /// Returns the number of whole frames in `bytes` bytes.
    pub(crate) fn frames_in(bytes: u64, stride: usize) -> u64 {
        bytes / stride.max(1) as u64
    }
}
