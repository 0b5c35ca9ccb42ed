//! A rate conversion of a stream, as effects use it.

use std::collections::VecDeque;
use std::sync::Arc;

use super::Process;
use audio::AudioBuffer;
use base::error::{Error, Result};
use dsp::measure::resample::{ResamplePlan, Resampler};

/// The maximum rate ratio. A larger one would have to hold minutes of input.
pub(super) const MAX_RATIO: f64 = 256.0;

/// A rate conversion of a stream.
#[derive(Debug)]
pub(super) struct RateConversion {
    plan: Arc<ResamplePlan>,
    resampler: Resampler,
    /// Whole seconds added to frame numbers on both sides, so that frames before the start of the stream have
    /// non-negative numbers.
    ahead_s: i64,
    /// The next input frame.
    position: i64,
    /// The last input frames that the next output frame needs, channel by channel: the state.
    held: Vec<VecDeque<f32>>,
    out: AudioBuffer,
}

impl RateConversion {
    /// Begins at input frame 0.
    pub fn new(plan: Arc<ResamplePlan>, channels: usize) -> Self {
        let resampler = Resampler::new(&plan, channels);
        let held = vec![VecDeque::new(); channels];
        let mut new = Self { plan, resampler, ahead_s: 0, position: 0, held, out: AudioBuffer::new(channels, 0) };
        // There was no input yet, so this cannot fail.
        let _ = new.begin(0);
        new
    }

    fn rates(&self) -> (i64, i64) {
        (i64::from(self.plan.from().hz()), i64::from(self.plan.to().hz()))
    }

    /// Starts with silence before the input frame `frame`.
    pub fn begin(&mut self, frame: i64) -> Result<()> {
        let (from, to) = self.rates();
        let next = (frame as f64 * to as f64 / from as f64).round() as i64;
        // The conversion looks back no further than this; an extra second is harmless.
        let reach = next * from / to - self.plan.first_input(next);
        self.ahead_s = (reach.max(0) - frame.min(0)) / from + 2;
        self.position = frame;
        self.held.iter_mut().for_each(VecDeque::clear);
        self.go_on(next)
    }

    /// Starts at the output frame `next`, using the held input and silence before it.
    fn go_on(&mut self, next: i64) -> Result<()> {
        let (from, to) = self.rates();
        let first = self.resampler.seek((next + self.ahead_s * to) as u64) as i64 - self.ahead_s * from;
        let wanted = usize::try_from(self.position - first).unwrap_or(0);
        for held in &mut self.held {
            while held.len() < wanted {
                held.push_front(0.0);
            }
            held.drain(..held.len() - wanted);
        }
        let planes = self.held.iter().map(|held| held.iter().copied().collect()).collect();
        self.out.clear();
        self.resampler.push(&AudioBuffer::from_channels(planes), &mut self.out)?;
        if self.out.is_empty() {
            return Ok(());
        }
        Err(Error::Internal("a conversion went on where it had been before".into()))
    }

    /// The next output frame.
    pub fn next_output(&self) -> i64 {
        self.resampler.position() as i64 - self.ahead_s * self.rates().1
    }
}

impl Process for RateConversion {
    fn process(&mut self, block: &mut AudioBuffer) -> Result<()> {
        self.position += block.frames() as i64;
        self.out.clear();
        self.resampler.push(block, &mut self.out)?;
        let keep = usize::try_from(self.position - self.plan.first_input(self.next_output())).unwrap_or(0);
        for (held, samples) in self.held.iter_mut().zip(block.iter()) {
            held.extend(samples);
            held.drain(..held.len().saturating_sub(keep));
        }
        std::mem::swap(block, &mut self.out);
        Ok(())
    }

    fn seek(&mut self, frame: i64) -> bool {
        if frame == self.position {
            return true;
        }
        let fresh = self.held.iter().all(|held| held.iter().all(|sample| *sample == 0.0));
        self.begin(frame).is_ok() && fresh
    }

    /// Position and next output frame, then the held input.
    fn state(&self) -> Vec<f64> {
        let held = self.held.iter().flatten().map(|sample| f64::from(*sample));
        [self.position as f64, self.next_output() as f64].into_iter().chain(held).collect()
    }

    fn restore(&mut self, state: &[f64]) -> Result<()> {
        let channels = self.held.len().max(1);
        let [position, next, samples @ ..] = state else { return Err(another()) };
        if !samples.len().is_multiple_of(channels) {
            return Err(another());
        }
        self.begin(*position as i64)?;
        let frames = samples.len() / channels;
        for (held, samples) in self.held.iter_mut().zip(samples.chunks(frames.max(1))) {
            held.clear();
            held.extend(samples.iter().map(|sample| *sample as f32));
        }
        self.go_on(*next as i64)
    }
}

fn another() -> Error {
    Error::Internal("a conversion was given the state of another one".into())
}
