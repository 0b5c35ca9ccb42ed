//! The FLAC stream format (RFC 9639). Writes a stream of any length with the memory of a few blocks; frames are encoded
//! in parallel.

mod bits;
mod frame;

use md5::{Digest, Md5};
use rayon::prelude::*;

use super::output::EncodeOutput;
use crate::AudioFormat;
use base::error::{Error, Result};

use frame::FrameFormat;

/// Frames per block, the default of the reference encoder.
const BLOCK: usize = 4096;
/// The number of entries in the seek table, whose space is reserved at the start.
const SEEK_POINTS: usize = 512;
/// Padding in bytes, for tags that are later added in place.
const PADDING: usize = 8192;
const STREAM_INFO: u64 = 4 + 4;
const SEEK_TABLE: u64 = STREAM_INFO + 34 + 4;
/// The byte offset of tags and padding, including their headers.
const TAGS: u64 = SEEK_TABLE + SEEK_POINTS as u64 * 18;
/// The highest sample rate in Hz of STREAMINFO in the first version of the format, and of most decoders.
const MAX_RATE_HZ: u32 = 655_350;
const MAX_CHANNELS: usize = 8;

/// Writes a FLAC stream to a file.
pub struct FlacWriter {
    frame: FrameFormat,
    format: AudioFormat,
    bits: u32,
    /// Interleaved samples that do not fill a batch yet.
    waiting: Vec<i32>,
    /// The number of samples in a batch of blocks.
    batch: usize,
    md5: Md5,
    frames: u64,
    blocks: u64,
    /// The total size of encoded blocks in bytes.
    encoded: u64,
    smallest: u32,
    greatest: u32,
    /// The first frame and byte offset of every `stride`th block.
    seek_points: Vec<(u64, u64)>,
    stride: u64,
}

impl FlacWriter {
    /// Writes the metadata and reserves space for the fields that are known only at the end.
    pub fn begin(file: &mut EncodeOutput, bits: u32, format: AudioFormat) -> Result<Self> {
        let limit = |what: &str, got: String, limit: String| Err(Error::Limit { what: what.into(), got, limit });
        if format.rate.hz() > MAX_RATE_HZ {
            return limit(
                "sample rate of a FLAC file",
                format.rate.to_string(),
                format!("{MAX_RATE_HZ} Hz; WAV has none"),
            );
        }
        if !(1..=MAX_CHANNELS).contains(&format.channels) {
            return limit(
                "channels of a FLAC file",
                format.channels.to_string(),
                format!("{MAX_CHANNELS}; WAV has none"),
            );
        }
        let mut head = Vec::new();
        head.extend_from_slice(b"fLaC");
        block_header(&mut head, 0, 34, false);
        head.resize(head.len() + 34, 0);
        block_header(&mut head, 3, SEEK_POINTS * 18, false);
        for _ in 0..SEEK_POINTS {
            head.extend_from_slice(&[0xff; 8]);
            head.extend_from_slice(&[0; 10]);
        }
        block_header(&mut head, 1, PADDING, true);
        head.resize(head.len() + PADDING, 0);
        file.append(&head)?;
        Ok(Self {
            frame: FrameFormat::new(format.rate.hz(), bits, BLOCK),
            format,
            bits,
            waiting: Vec::new(),
            batch: BLOCK * format.channels * 8 * rayon::current_num_threads(),
            md5: Md5::new(),
            frames: 0,
            blocks: 0,
            encoded: 0,
            smallest: u32::MAX,
            greatest: 0,
            seek_points: Vec::new(),
            stride: 1,
        })
    }

    /// Appends planar integers.
    pub fn append(&mut self, file: &mut EncodeOutput, channels: &[Vec<i32>]) -> Result<()> {
        let count = channels.len();
        let start = self.waiting.len();
        self.waiting.resize(start + channels.first().map_or(0, Vec::len) * count, 0);
        for (index, channel) in channels.iter().enumerate() {
            for (place, &sample) in self.waiting[start..].iter_mut().skip(index).step_by(count).zip(channel) {
                *place = sample;
            }
        }
        if self.waiting.len() >= self.batch {
            let whole = self.waiting.len() - self.waiting.len() % (BLOCK * count);
            self.encode(file, whole)?;
        }
        Ok(())
    }

    /// Returns the number of frames that were appended.
    pub fn frames(&self) -> u64 {
        self.frames + (self.waiting.len() / self.format.channels) as u64
    }

    /// Encodes and writes the first `samples` pending samples.
    fn encode(&mut self, file: &mut EncodeOutput, samples: usize) -> Result<()> {
        let channels = self.format.channels;
        let waiting = &self.waiting[..samples];
        let (frame, bits) = (&self.frame, self.bits);
        let first = self.blocks;
        let md5 = &mut self.md5;
        let ((), encoded) = rayon::join(
            || digest(md5, waiting, bits),
            || {
                waiting
                    .par_chunks(BLOCK * channels)
                    .enumerate()
                    .map(|(index, block)| frame.encode(&planar(block, channels), first + index as u64))
                    .collect::<Vec<_>>()
            },
        );
        for (block, bytes) in encoded.into_iter().enumerate() {
            self.remember(self.frames + (block * BLOCK) as u64);
            file.append(&bytes)?;
            self.blocks += 1;
            self.encoded += bytes.len() as u64;
            self.smallest = self.smallest.min(bytes.len() as u32);
            self.greatest = self.greatest.max(bytes.len() as u32);
        }
        self.frames += (samples / channels) as u64;
        self.waiting.drain(..samples);
        Ok(())
    }

    /// Records a seek point for the next block. If the table is full, every second point is removed.
    fn remember(&mut self, frame: u64) {
        if !self.blocks.is_multiple_of(self.stride) {
            return;
        }
        if self.seek_points.len() == SEEK_POINTS {
            let mut index = 0;
            self.seek_points.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.stride *= 2;
            if !self.blocks.is_multiple_of(self.stride) {
                return;
            }
        }
        self.seek_points.push((frame, self.encoded));
    }

    /// Encodes the pending samples and writes length, checksum, frame sizes, seek table and tags.
    ///
    /// # Errors
    /// [`Error::Limit`] beyond the 2^36 - 1 frames that FLAC can count.
    pub fn end(mut self, file: &mut EncodeOutput, tags: &[u8]) -> Result<()> {
        let rest = self.waiting.len();
        if rest > 0 {
            self.encode(file, rest)?;
        }
        if self.frames >= 1 << 36 {
            return Err(Error::Limit {
                what: "the number of samples of a FLAC file".into(),
                got: self.frames.to_string(),
                limit: format!("{}, but not in WAV", (1u64 << 36) - 1),
            });
        }
        let mut info = Vec::with_capacity(34);
        info.extend_from_slice(&(BLOCK as u16).to_be_bytes());
        info.extend_from_slice(&(BLOCK as u16).to_be_bytes());
        for size in [if self.blocks == 0 { 0 } else { self.smallest }, self.greatest] {
            info.extend_from_slice(&size.to_be_bytes()[1..]);
        }
        let packed = u64::from(self.format.rate.hz()) << 44
            | (self.format.channels as u64 - 1) << 41
            | u64::from(self.bits - 1) << 36
            | self.frames;
        info.extend_from_slice(&packed.to_be_bytes());
        info.extend_from_slice(&self.md5.finalize());
        file.patch(STREAM_INFO, &info)?;
        let mut table = Vec::with_capacity(self.seek_points.len() * 18);
        for (frame, offset) in self.seek_points {
            table.extend_from_slice(&frame.to_be_bytes());
            table.extend_from_slice(&offset.to_be_bytes());
            table.extend_from_slice(&(BLOCK.min((self.frames - frame) as usize) as u16).to_be_bytes());
        }
        file.patch(SEEK_TABLE, &table)?;
        put_tags(file, tags)
    }
}

/// Writes the tag blocks over the padding. If it is too small, for example for a cover, the frames are moved.
fn put_tags(file: &mut EncodeOutput, tags: &[u8]) -> Result<()> {
    let room = 4 + PADDING;
    let padding = if tags.len() + 4 <= room {
        room - tags.len() - 4
    } else {
        file.make_room(TAGS + room as u64, tags.len() as u64)?;
        PADDING
    };
    let mut blocks = tags.to_vec();
    block_header(&mut blocks, 1, padding, true);
    // The space after the tags is zero, or holds old bytes if the frames were moved.
    blocks.resize(blocks.len() + padding, 0);
    file.patch(TAGS, &blocks)
}

fn block_header(head: &mut Vec<u8>, kind: u8, length: usize, last: bool) {
    head.push(kind | u8::from(last) << 7);
    head.extend_from_slice(&(length as u32).to_be_bytes()[1..]);
}

/// Updates the checksum of STREAMINFO with samples, as little-endian integers of the stream's width.
fn digest(md5: &mut Md5, samples: &[i32], bits: u32) {
    let mut bytes = Vec::with_capacity(BLOCK * 3);
    for samples in samples.chunks(BLOCK) {
        bytes.clear();
        if bits == 16 {
            bytes.extend(samples.iter().flat_map(|&sample| (sample as i16).to_le_bytes()));
        } else {
            for sample in samples {
                bytes.extend_from_slice(&sample.to_le_bytes()[..3]);
            }
        }
        md5.update(&bytes);
    }
}

/// Splits interleaved samples into channels.
fn planar(interleaved: &[i32], channels: usize) -> Vec<Vec<i32>> {
    (0..channels).map(|channel| interleaved.iter().skip(channel).step_by(channels).copied().collect()).collect()
}
