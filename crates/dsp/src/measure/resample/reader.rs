//! Rate conversion of a stream that can be read from any frame.

use std::sync::Arc;

use super::ResamplePlan;
use super::blocks::append;
use super::stage::{Planes, StageHistory, pull};
use base::error::Result;
use base::sound::{AudioBuffer, AudioFormat, AudioReader};

/// A stream converted to another rate. Seeks are exact: a read gives the same bits wherever reading began.
pub struct ResampledReader<R> {
    inner: R,
    plan: Arc<ResamplePlan>,
    windows: Vec<StageHistory>,
    planes: Vec<Vec<f64>>,
    block: AudioBuffer,
    position: u64,
}

impl<R: AudioReader> ResampledReader<R> {
    /// Converts `inner` by `plan`.
    ///
    /// # Panics
    /// If `plan` converts from another rate than that of `inner`, which is a bug in the caller.
    pub fn new(inner: R, plan: &Arc<ResamplePlan>) -> Self {
        let format = inner.format();
        assert_eq!(format.rate, plan.from(), "a plan for another rate");
        Self {
            inner,
            plan: Arc::clone(plan),
            windows: plan.stages.iter().map(|_| StageHistory::new(format.channels)).collect(),
            planes: vec![Vec::new(); format.channels],
            block: AudioBuffer::new(format.channels, 0),
            position: 0,
        }
    }

    /// The stream that is converted.
    pub fn inner(&self) -> &R {
        &self.inner
    }

    /// Mutable access to the stream that is converted. Everything read from it before is discarded.
    pub fn inner_mut(&mut self) -> &mut R {
        let channels = self.planes.len();
        self.windows.iter_mut().for_each(|window| *window = StageHistory::new(channels));
        &mut self.inner
    }

    /// Returns the stream.
    pub fn into_inner(self) -> R {
        self.inner
    }
}

impl<R: AudioReader> AudioReader for ResampledReader<R> {
    fn format(&self) -> AudioFormat {
        self.inner.format().with_rate(self.plan.to())
    }

    fn frames(&self) -> u64 {
        self.plan.frames_out(self.inner.frames())
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.position = frame.min(self.frames());
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        let count = (frames as u64).min(self.frames() - self.position) as usize;
        out.resize(self.planes.len(), 0);
        out.clear();
        if count == 0 {
            return Ok(());
        }
        self.planes.iter_mut().for_each(Vec::clear);
        let (inner, block) = (&mut self.inner, &mut self.block);
        let mut fetch = |start: i64, count: usize, to: &mut Planes| fetch_from(inner, block, start, count, to);
        let pulled =
            pull(&self.plan.stages, &mut self.windows, self.position as i64, count, &mut self.planes, &mut fetch);
        if let Err(error) = pulled {
            // The windows may now differ in length.
            let channels = self.planes.len();
            self.windows.iter_mut().for_each(|window| *window = StageHistory::new(channels));
            return Err(error);
        }
        append(&self.planes, out);
        self.position += count as u64;
        Ok(())
    }
}

/// Appends frames of a reader to the planes. Frames outside the reader are silent.
fn fetch_from(
    inner: &mut impl AudioReader,
    block: &mut AudioBuffer,
    start: i64,
    count: usize,
    to: &mut Planes,
) -> Result<()> {
    let end = start + count as i64;
    let target = to.first().map_or(0, Vec::len) + count;
    let first = start.max(0);
    let lead = (first.min(end) - start) as usize;
    for plane in to.iter_mut() {
        plane.resize(plane.len() + lead, 0.0);
    }
    let until = end.min(inner.frames() as i64);
    if first < until {
        if inner.position() != first as u64 {
            inner.seek(first as u64)?;
        }
        let mut left = (until - first) as usize;
        while left > 0 {
            inner.read(block, left)?;
            if block.is_empty() {
                break;
            }
            for (plane, samples) in to.iter_mut().zip(block.iter()) {
                plane.extend(samples.iter().map(|&sample| f64::from(sample)));
            }
            left -= block.frames().min(left);
        }
    }
    for plane in to.iter_mut() {
        plane.resize(target, 0.0);
    }
    Ok(())
}
