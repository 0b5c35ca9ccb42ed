//! Converts buckets and samples to the columns of a lane.

use super::pyramid::{Bucket, Pyramid};

/// The columns of a lane: one value per column for each channel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PeakColumns {
    /// The columns of each channel.
    pub channels: Vec<ChannelColumns>,
    /// Whether every column covers all of its frames. Otherwise some columns are estimates, and columns without any
    /// data yet are `NaN`.
    pub exact: bool,
    /// Whether columns that the builder has not reached were read at once: from where the reader's seek led, which for a
    /// rendered chain is accurate to about -120 dB.
    pub ahead: bool,
}

/// The columns of one channel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChannelColumns {
    /// The smallest samples.
    pub min: Vec<f32>,
    /// The largest samples.
    pub max: Vec<f32>,
    /// The RMS values.
    pub rms: Vec<f32>,
}

impl PeakColumns {
    /// Creates columns for `channels` channels without data (`NaN`).
    pub(super) fn unknown(channels: usize, columns: usize) -> Self {
        let channel = || ChannelColumns {
            min: vec![f32::NAN; columns],
            max: vec![f32::NAN; columns],
            rms: vec![f32::NAN; columns],
        };
        Self { channels: (0..channels).map(|_| channel()).collect(), exact: true, ahead: false }
    }

    pub(super) fn set(&mut self, channel: usize, column: usize, bucket: Bucket, frames: u64) {
        let to = &mut self.channels[channel];
        to.min[column] = bucket.min;
        to.max[column] = bucket.max;
        to.rms[column] = (bucket.energy as f64 / frames.max(1) as f64).sqrt() as f32;
    }
}

/// The division of a range into columns. A column covers the frames between two edges. Edges are multiples of `bucket`
/// frames (1: samples). A column has at least one bucket, so at high zoom neighbouring columns show the same frame.
/// Frames outside the recording do not count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColumnDivision {
    start: f64,
    width: f64,
    bucket: u64,
    frames: u64,
}

impl ColumnDivision {
    /// Divides frames `start..end` of a recording of `frames` frames into `columns`, given the bucket sizes of a
    /// pyramid.
    ///
    /// The bucket is the largest that is at most an eighth of a column, so that an edge is off by at most a sixteenth.
    /// The finest bucket is used down to one bucket per column. Below that, samples are used, unless the range has more
    /// than [`super::MAX_SAMPLE_FRAMES`].
    pub fn new(start: f64, end: f64, columns: usize, frames: u64, base: u64, levels: usize) -> Self {
        let width = (end - start) / columns.max(1) as f64;
        let many = end - start > super::MAX_SAMPLE_FRAMES as f64;
        let mut bucket = if many || width >= base as f64 { base } else { 1 };
        if bucket > 1 {
            for _ in 1..levels {
                if (bucket * super::pyramid::FACTOR * 8) as f64 <= width {
                    bucket *= super::pyramid::FACTOR;
                }
            }
        }
        Self { start, width, bucket, frames }
    }

    /// Frames per bucket that the columns are made from; 1 for samples.
    pub fn bucket(&self) -> u64 {
        self.bucket
    }

    /// Returns the frames of a column; empty outside the recording.
    pub fn column(&self, column: usize) -> std::ops::Range<u64> {
        let edge = |column: usize| {
            let at = (self.start + column as f64 * self.width) / self.bucket as f64;
            // A sample is drawn from its frame to the next.
            let at = if self.bucket == 1 { at.floor() } else { at.round() };
            at.max(0.0) as u64
        };
        if self.start + (column + 1) as f64 * self.width <= 0.0 {
            return 0..0;
        }
        let first = edge(column);
        let last = edge(column + 1).max(first + 1);
        let first = (first * self.bucket).min(self.frames);
        first..(last * self.bucket).min(self.frames)
    }
}

/// Fills the columns that the pyramid knows exactly and returns the indices of the others.
pub fn from_pyramid(pyramid: &Pyramid, cut: &ColumnDivision, columns: usize, out: &mut PeakColumns) -> Vec<usize> {
    let mut missing = Vec::new();
    let mut level = 0;
    while pyramid.bucket_frames(level) < cut.bucket() {
        level += 1;
    }
    for column in 0..columns {
        let range = cut.column(column);
        if range.is_empty() {
            continue;
        }
        let buckets = (range.start / cut.bucket()) as usize..range.end.div_ceil(cut.bucket()) as usize;
        if range.end > pyramid.done() || pyramid.level(level, 0).len() < buckets.end {
            missing.push(column);
            continue;
        }
        for channel in 0..pyramid.channels() {
            let bucket = Bucket::join(&pyramid.level(level, channel)[buckets.clone()]);
            out.set(channel, column, bucket, range.end - range.start);
        }
    }
    missing
}
