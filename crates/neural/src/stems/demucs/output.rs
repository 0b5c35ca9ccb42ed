//! The sums of the segments, and the stems that they become.

use std::collections::VecDeque;
use std::sync::Arc;

use rayon::prelude::*;

use super::input::{Input, Measured};
use super::segments::Segment;
use crate::stems::{Sink, StemBlock};
use audio::{AudioBuffer, AudioFormat};
use base::error::Result;
use base::progress::Progress;
use dsp::measure::resample::{ResamplePlan, Resampler};

/// The most frames of a block, so that a cancel is heard soon.
const BLOCK_FRAMES: usize = 1 << 15;
/// The channels of a network's stems.
const CHANNELS: usize = 2;

/// The result of a network for one stem of a segment.
pub struct StemResult {
    /// Its place among the wanted stems.
    pub stem: usize,
    /// How much it counts.
    pub share: f64,
    /// Its channels, from the first frame on that the network was given.
    pub channels: Vec<Vec<f32>>,
}

/// A stem in the making.
struct Stem {
    /// For each channel, sums from the first unsettled frame on, at the model's rate.
    sums: [VecDeque<f64>; CHANNELS],
    converter: Option<Resampler>,
    /// Settled samples at the recording's rate, from the frame on that is given next.
    ready: AudioBuffer,
}

/// Stems in the making.
pub struct Output {
    stems: Vec<Stem>,
    /// The first unsettled frame, at the model's rate.
    first: u64,
    measured: Measured,
    channels: usize,
    left: u64,
}

impl Output {
    /// Begins the output of `stems` stems of a recording of `frames` frames. `plan` is the conversion to its rate.
    pub fn new(
        stems: usize,
        format: AudioFormat,
        frames: u64,
        plan: Option<&Arc<ResamplePlan>>,
        measured: Measured,
    ) -> Self {
        let channels = format.channels;
        let stem = || Stem {
            sums: Default::default(),
            converter: plan.map(|plan| Resampler::new(plan, channels)),
            ready: AudioBuffer::new(channels, 0),
        };
        Self { stems: (0..stems).map(|_| stem()).collect(), first: 0, measured, channels, left: frames }
    }

    /// Adds the stems of a segment, of whose frames only the first `weights.len()` count.
    pub fn add(&mut self, segment: &Segment, weights: &[f64], parts: &[StemResult]) {
        // Frames before the recording count for nothing.
        let skip = (self.first as i64 - segment.start).clamp(0, weights.len() as i64);
        let at = (segment.start + skip - self.first as i64) as usize;
        let from = (segment.start - segment.from + skip) as usize;
        let weights = &weights[skip as usize..];
        self.stems.par_iter_mut().enumerate().for_each(|(n, stem)| {
            for part in parts.iter().filter(|part| part.stem == n) {
                for (sums, made) in stem.sums.iter_mut().zip(&part.channels) {
                    sums.resize(sums.len().max(at + weights.len()), 0.0);
                    for (sum, (weight, x)) in sums.range_mut(at..).zip(weights.iter().zip(&made[from..])) {
                        *sum += weight * part.share * f64::from(*x);
                    }
                }
            }
        });
    }

    /// Brings the sums before frame `until`, to which nothing is added any more, to the recording's rate and channels.
    pub fn settle(&mut self, until: u64) -> Result<()> {
        let count = until.saturating_sub(self.first) as usize;
        let (measured, is_mono) = (self.measured, self.channels == 1);
        self.stems.par_iter_mut().try_for_each(|stem| {
            let mut channels = stem.sums.each_mut().map(|sums| {
                // Silence has no sums.
                sums.resize(sums.len().max(count), 0.0);
                sums.drain(..count).map(|x| measured.back(x)).collect::<Vec<f32>>()
            });
            let block = if is_mono {
                let [left, right] = &mut channels;
                left.iter_mut().zip(right).for_each(|(left, right)| *left = f32::midpoint(*left, *right));
                AudioBuffer::from_channels(vec![std::mem::take(left)])
            } else {
                AudioBuffer::from_channels(channels.into())
            };
            if let Some(converter) = &mut stem.converter {
                return converter.push(&block, &mut stem.ready);
            }
            stem.ready.extend_from(&block, 0..count);
            Ok(())
        })?;
        self.first = self.first.max(until);
        Ok(())
    }

    /// Passes finished frames to the sink, with the input; at the end, all remaining frames.
    pub fn emit(
        &mut self,
        input: &mut Input<'_>,
        is_end: bool,
        sink: &mut Sink<'_>,
        progress: &Progress,
    ) -> Result<()> {
        if is_end {
            input.read_all(progress)?;
            let (channels, left) = (self.channels, self.left as usize);
            for stem in &mut self.stems {
                if let Some(converter) = &mut stem.converter {
                    converter.finish(&mut stem.ready)?;
                }
                // Of a conversion and back there may be a frame more or less.
                stem.ready.resize(channels, left);
            }
        }
        loop {
            progress.check()?;
            let ready = self.stems.iter().map(|stem| stem.ready.frames()).min().unwrap_or(usize::MAX);
            let count = ready.min(input.unchanged_frames()).min(self.left as usize).min(BLOCK_FRAMES);
            if count == 0 {
                return Ok(());
            }
            let mut block = StemBlock { input: input.take(count), stems: Vec::with_capacity(self.stems.len()) };
            for stem in &mut self.stems {
                let mut given = AudioBuffer::new(self.channels, 0);
                given.extend_from(&stem.ready, 0..count);
                stem.ready.drop_front(count);
                block.stems.push(given);
            }
            sink(&block)?;
            self.left -= count as u64;
        }
    }
}
