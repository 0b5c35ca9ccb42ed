//! The sums of the segments, and the stems that they become.

use std::collections::VecDeque;
use std::sync::Arc;

use super::input::{Input, Measured};
use super::segments::Segment;
use crate::audio::{AudioBuffer, AudioFormat};
use crate::error::Result;
use crate::measure::resample::{ResamplePlan, Resampler};
use crate::progress::Progress;
use crate::stems::{Sink, StemBlock};

/// The most frames of a block, so that a cancel is heard soon.
const BLOCK_FRAMES: usize = 1 << 15;
/// The channels of a network's stems.
const CHANNELS: usize = 2;

/// Stems in the making.
pub struct Output {
    /// For each stem and channel, sums from frame `first` on, at the model's rate.
    sums: Vec<[VecDeque<f64>; CHANNELS]>,
    first: u64,
    measured: Measured,
    channels: usize,
    converters: Option<Vec<Resampler>>,
    /// Each stem at the recording's rate, from the frame on that is given next.
    ready: Vec<AudioBuffer>,
    left: u64,
}

impl Output {
    /// Begins with so many stems of a recording of `frames` frames. `plan` is the conversion to its rate.
    pub fn new(
        stems: usize,
        format: AudioFormat,
        frames: u64,
        plan: Option<&Arc<ResamplePlan>>,
        measured: Measured,
    ) -> Self {
        let channels = format.channels;
        Self {
            sums: (0..stems).map(|_| Default::default()).collect(),
            first: 0,
            measured,
            channels,
            converters: plan.map(|plan| (0..stems).map(|_| Resampler::new(plan, channels)).collect()),
            ready: vec![AudioBuffer::new(channels, 0); stems],
            left: frames,
        }
    }

    /// Adds a stem of a segment, of which its first `weights.len()` frames count; `made` begins with what the network
    /// was given.
    pub fn add(&mut self, stem: usize, segment: &Segment, made: &[Vec<f32>], weights: &[f64], share: f64) {
        let lead = (segment.start - segment.from) as usize;
        for (sums, made) in self.sums[stem].iter_mut().zip(made) {
            for (n, (weight, x)) in weights.iter().zip(&made[lead..]).enumerate() {
                let Ok(at) = usize::try_from(segment.start + n as i64 - self.first as i64) else { continue };
                if at >= sums.len() {
                    sums.resize(at + 1, 0.0);
                }
                sums[at] += weight * share * f64::from(*x);
            }
        }
    }

    /// Brings the sums before frame `until`, to which nothing is added any more, to the recording's rate and channels.
    ///
    /// # Errors
    /// Those of the conversion.
    pub fn settle(&mut self, until: u64) -> Result<()> {
        let count = until.saturating_sub(self.first) as usize;
        for (stem, sums) in self.sums.iter_mut().enumerate() {
            let mut channels = sums.each_mut().map(|sums| {
                // Silence has no sums.
                sums.resize(sums.len().max(count), 0.0);
                sums.drain(..count).map(|x| self.measured.back(x)).collect::<Vec<f32>>()
            });
            let block = if self.channels == 1 {
                let [left, right] = &mut channels;
                left.iter_mut().zip(right).for_each(|(left, right)| *left = f32::midpoint(*left, *right));
                AudioBuffer::from_channels(vec![std::mem::take(left)])
            } else {
                AudioBuffer::from_channels(channels.into())
            };
            match &mut self.converters {
                Some(converters) => converters[stem].push(&block, &mut self.ready[stem])?,
                None => self.ready[stem].extend_from(&block, 0..count),
            }
        }
        self.first = self.first.max(until);
        Ok(())
    }

    /// Gives what is ready to the sink, with the input; with the end, all that is left.
    ///
    /// # Errors
    /// Those of input, conversion and sink; [`crate::Error::Cancelled`].
    pub fn emit(
        &mut self,
        input: &mut Input<'_>,
        is_end: bool,
        sink: &mut Sink<'_>,
        progress: &Progress,
    ) -> Result<()> {
        if is_end {
            input.read_all(progress)?;
            for (ready, converter) in self.ready.iter_mut().zip(self.converters.iter_mut().flatten()) {
                converter.finish(ready)?;
            }
            // Of a conversion and back there may be a frame more or less.
            let channels = self.channels;
            self.ready.iter_mut().for_each(|ready| ready.resize(channels, self.left as usize));
        }
        loop {
            progress.check()?;
            let ready = self.ready.iter().map(AudioBuffer::frames).min().unwrap_or(usize::MAX);
            let count = ready.min(input.own_frames()).min(self.left as usize).min(BLOCK_FRAMES);
            if count == 0 {
                return Ok(());
            }
            let mut block = StemBlock { input: input.take(count), stems: Vec::with_capacity(self.ready.len()) };
            for ready in &mut self.ready {
                let mut stem = AudioBuffer::new(self.channels, 0);
                stem.extend_from(ready, 0..count);
                ready.drop_front(count);
                block.stems.push(stem);
            }
            sink(&block)?;
            self.left -= count as u64;
        }
    }
}
