//! Rate conversion of a stream that arrives in blocks.

use std::sync::Arc;

use super::ResamplePlan;
use super::stage::{StageHistory, pull};
use base::error::{Error, Result};
use base::sound::AudioBuffer;

/// Converts a stream that is pushed block by block. The output is aligned with the input. A push appends every output
/// frame that the input so far determines; the rest follows with later blocks or at [`Resampler::finish`].
#[derive(Debug)]
pub struct Resampler {
    plan: Arc<ResamplePlan>,
    windows: Vec<StageHistory>,
    /// Input from `pending_start` on that no stage has taken yet.
    pending: AudioBuffer,
    pending_start: i64,
    next_output: i64,
    planes: Vec<Vec<f64>>,
}

impl Resampler {
    /// Creates a converter for a stream of `channels` channels, starting at frame 0.
    pub fn new(plan: &Arc<ResamplePlan>, channels: usize) -> Self {
        Self {
            plan: Arc::clone(plan),
            windows: plan.stages.iter().map(|_| StageHistory::new(channels)).collect(),
            pending: AudioBuffer::new(channels, 0),
            pending_start: 0,
            next_output: 0,
            planes: vec![Vec::new(); channels],
        }
    }

    /// Continues with output frame `frame`. The next block pushed must begin with the input frame that is returned;
    /// earlier frames do not affect the output from here on.
    pub fn seek(&mut self, frame: u64) -> u64 {
        self.next_output = frame as i64;
        self.windows.iter_mut().for_each(|window| *window = StageHistory::new(self.planes.len()));
        self.pending.clear();
        self.pending_start = self.plan.first_input(self.next_output).max(0);
        self.pending_start as u64
    }

    /// The next output frame.
    pub fn position(&self) -> u64 {
        self.next_output as u64
    }

    /// Takes the next block of input and appends to `out` every output frame that the input so far determines.
    pub fn push(&mut self, input: &AudioBuffer, out: &mut AudioBuffer) -> Result<()> {
        if input.channels() != self.planes.len() {
            return Err(Error::invalid(
                "channels of a block",
                input.channels().to_string(),
                self.planes.len().to_string(),
            ));
        }
        self.pending.extend_from(input, 0..input.frames());
        let settled = self.plan.settled_outputs(self.pending_start + self.pending.frames() as i64);
        self.produce(settled, out)
    }

    /// Ends the input and appends the rest of the output.
    pub fn finish(&mut self, out: &mut AudioBuffer) -> Result<()> {
        let input_end = self.pending_start + self.pending.frames() as i64;
        self.produce(self.plan.frames_out(input_end as u64) as i64, out)
    }

    fn produce(&mut self, end: i64, out: &mut AudioBuffer) -> Result<()> {
        let frames = usize::try_from(end - self.next_output).unwrap_or(0);
        if out.channels() != self.planes.len() {
            out.resize(self.planes.len(), 0);
        }
        if frames == 0 {
            return Ok(());
        }
        let (pending, pending_start) = (&self.pending, self.pending_start);
        let mut fetched = pending_start;
        self.planes.iter_mut().for_each(Vec::clear);
        pull(
            &self.plan.stages,
            &mut self.windows,
            self.next_output,
            frames,
            &mut self.planes,
            &mut |start, count, to| {
                fetched = start + count as i64;
                let silent = usize::try_from(pending_start - start).unwrap_or(0).min(count);
                let from = usize::try_from(start - pending_start).unwrap_or(0).min(pending.frames());
                let until = (from + count - silent).min(pending.frames());
                for (plane, samples) in to.iter_mut().zip(pending.iter()) {
                    let length = plane.len() + count;
                    plane.resize(plane.len() + silent, 0.0);
                    plane.extend(samples[from..until].iter().map(|&sample| f64::from(sample)));
                    plane.resize(length, 0.0);
                }
                Ok(())
            },
        )?;
        let taken = usize::try_from(fetched - self.pending_start).unwrap_or(0).min(self.pending.frames());
        self.pending.drop_front(taken);
        self.pending_start += taken as i64;
        self.next_output = end;
        append(&self.planes, out);
        Ok(())
    }
}

/// Appends planes to a buffer, rounded to f32.
pub(super) fn append(planes: &[Vec<f64>], out: &mut AudioBuffer) {
    for (to, plane) in out.as_mut_vecs().iter_mut().zip(planes) {
        to.extend(plane.iter().map(|&sample| sample as f32));
    }
}
