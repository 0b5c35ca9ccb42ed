//! A delay on the device, by copies alone.

use crate::gpu::{ReadbackId, Recording, Signal, View};
use base::error::Result;

/// The frames that wait in a delay between the pieces of one recording: first the caller's, then the device's.
#[derive(Clone, Debug)]
pub struct DelayFlow {
    /// The number of frames that the delay holds.
    frames: usize,
    waiting: Waiting,
    /// The inputs of the pieces so far.
    inputs: Vec<Signal>,
}

#[derive(Clone, Debug)]
enum Waiting {
    /// The frames of each channel.
    Host(Vec<Vec<f32>>),
    /// A buffer for each channel.
    Device(Vec<View>),
}

/// A handle to the last frames that entered a delay: the readbacks of each channel, oldest first.
#[derive(Clone, Debug)]
pub struct DelayTicket(pub(super) Vec<Vec<ReadbackId>>);

impl DelayFlow {
    /// Creates a delay in which `waiting[channel]` waits, oldest first. All channels have the same length.
    pub fn new(waiting: Vec<Vec<f32>>) -> Self {
        let frames = waiting.first().map_or(0, Vec::len);
        Self { frames, waiting: Waiting::Host(waiting), inputs: Vec::new() }
    }

    /// Records the delay of the next frames.
    pub fn record(&mut self, recording: &mut Recording<'_>, input: Signal) -> Result<Signal> {
        let output = Signal::new(recording, input.channels, input.frames)?;
        let first = self.frames.min(input.frames);
        let first_bytes = first as u64 * 4;
        let rest = (input.frames - first) as u64 * 4;
        let kept = (self.frames - first) as u64 * 4;
        let mut after = Vec::with_capacity(input.channels);
        for channel in 0..input.channels {
            let (from, to) = (input.channel(channel), output.channel(channel));
            // The delayed frames on the device; those of the host are uploaded the first time.
            let waiting = match &self.waiting {
                Waiting::Device(views) => views[channel],
                Waiting::Host(lines) => {
                    let view = recording.buffer(self.frames as u64 * 4);
                    recording.upload(view, bytemuck::cast_slice(&lines[channel]).to_vec());
                    view
                }
            };
            if first > 0 {
                recording.copy(waiting.part(0, first_bytes), to.part(0, first_bytes));
            }
            if rest > 0 {
                recording.copy(from.part(0, rest), to.part(first_bytes, rest));
            }
            let next = recording.buffer(self.frames as u64 * 4);
            if kept > 0 {
                recording.copy(waiting.part(first_bytes, kept), next.part(0, kept));
            }
            if first > 0 {
                recording.copy(from.part(rest, first_bytes), next.part(kept, first_bytes));
            }
            after.push(next);
        }
        self.waiting = Waiting::Device(after);
        self.inputs.push(input);
        Ok(output)
    }

    /// Records the readback of the last frames that entered: as many as the delay holds, or all if there are fewer.
    pub fn end(self, recording: &mut Recording<'_>) -> DelayTicket {
        let channels = self.inputs.first().map_or(0, |input| input.channels);
        let last = |channel| Signal::read_last(&self.inputs, recording, channel, self.frames);
        DelayTicket((0..channels).map(last).collect())
    }
}
