//! Steps that need no copy on adapters whose memory the host shares: an upload is written into the buffer that kernels
//! read, and a result is read from the buffer that they wrote.

use std::sync::mpsc::{TryRecvError, channel};

use super::adapters::{AdapterInfo, AdapterKind};
use super::context::Context;
use super::copies::write_shared;
use super::recording::View;
use super::steps::Step;
use base::error::{Error, Result};

/// Whether the host writes or reads the memory of a slot itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct HostUse {
    pub writes: bool,
    pub reads: bool,
}

impl HostUse {
    pub fn usage(self) -> wgpu::BufferUsages {
        let mut usage = wgpu::BufferUsages::empty();
        usage.set(wgpu::BufferUsages::MAP_WRITE, self.writes);
        usage.set(wgpu::BufferUsages::MAP_READ, self.reads);
        usage
    }
}

/// Returns whether the host and the device share memory. A software adapter does too, but copies like a card, so that
/// tests on it run what a card runs.
pub(super) fn shares_memory(info: &AdapterInfo, features: wgpu::Features) -> bool {
    info.kind == AdapterKind::Integrated && features.contains(wgpu::Features::MAPPABLE_PRIMARY_BUFFERS)
}

/// The uploads and readbacks of a recording that are made without a copy.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Direct {
    /// Whether each step is.
    steps: Vec<bool>,
    /// The host's use of the memory of each slot.
    slots: Vec<HostUse>,
}

impl Direct {
    /// Finds the steps. `slots` holds the slot of each buffer. Nothing is read from the memory of `constants`, which
    /// outlives the recording.
    ///
    /// An upload is direct while no step has used its slot, and a readback if no later step uses it: a buffer that is
    /// mapped cannot be in a submission.
    pub fn new(steps: &[Step<'_>], slots: &[Option<usize>], constants: impl Fn(usize) -> bool) -> Self {
        let count = slots.iter().flatten().max().map_or(0, |last| last + 1);
        let mut direct = Self { steps: vec![false; steps.len()], slots: vec![HostUse::default(); count] };
        let used_by = |step: &Step<'_>| {
            let buffers = step.buffers().into_iter();
            buffers.filter_map(|buffer| slots.get(buffer).copied().flatten()).collect::<Vec<_>>()
        };
        let mut used = vec![false; count];
        for (at, step) in steps.iter().enumerate() {
            let step_slots = used_by(step);
            match (step, step_slots.first()) {
                (Step::Upload(to, _), Some(&slot)) if !used[slot] && is_mappable(to) => {
                    direct.steps[at] = true;
                    direct.slots[slot].writes = true;
                }
                _ => step_slots.into_iter().for_each(|slot| used[slot] = true),
            }
        }
        let mut used_later = vec![false; count];
        for (at, step) in steps.iter().enumerate().rev() {
            let step_slots = used_by(step);
            if let (Step::Readback(from, _), Some(&slot)) = (step, step_slots.first())
                && !used_later[slot]
                && is_mappable(from)
                && !constants(from.buffer.0 as usize)
            {
                direct.steps[at] = true;
                direct.slots[slot].reads = true;
            }
            step_slots.into_iter().for_each(|slot| used_later[slot] = true);
        }
        direct
    }

    /// Returns whether the step at this place is made without a copy.
    pub fn step(&self, at: usize) -> bool {
        self.steps.get(at).copied().unwrap_or(false)
    }

    /// Returns how the host uses the memory of a slot.
    pub fn slot(&self, slot: usize) -> HostUse {
        self.slots.get(slot).copied().unwrap_or_default()
    }
}

fn is_mappable(view: &View) -> bool {
    view.offset.is_multiple_of(wgpu::MAP_ALIGNMENT) && view.bytes.is_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT)
}

/// Writes `data` into a buffer that no submission in flight uses, from the byte `at` on. Returns `false`, with nothing
/// written, if the device still has it.
pub(super) fn write(context: &Context, to: &wgpu::Buffer, at: u64, data: &[u8]) -> Result<bool> {
    let (done, mapped) = channel();
    to.map_async(wgpu::MapMode::Write, at..at + data.len() as u64, move |result| {
        // The receiver is gone if the device was lost.
        let _ = done.send(result);
    });
    let polled = context.poll();
    let outcome = mapped.try_recv();
    let written = match (polled, outcome) {
        (Err(error), _) => Err(error),
        (Ok(()), Ok(Ok(()))) => write_shared(to, at, data).map(|()| true).map_err(|error| unwritten(&error)),
        (Ok(()), Err(TryRecvError::Empty)) => Ok(false),
        (Ok(()), Ok(Err(error))) => Err(unwritten(&error)),
        (Ok(()), Err(error)) => Err(unwritten(&error)),
    };
    to.unmap();
    written
}

fn unwritten(error: &dyn std::fmt::Display) -> Error {
    Error::GpuLost(format!("Its memory could not be mapped: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::recording::{Buffer, ReadbackId};

    fn view(buffer: u32) -> View {
        View { buffer: Buffer(buffer), offset: 0, bytes: 64 }
    }

    fn upload(buffer: u32) -> Step<'static> {
        Step::Upload(view(buffer), &[0; 64])
    }

    fn readback(buffer: u32) -> Step<'static> {
        Step::Readback(view(buffer), ReadbackId(0))
    }

    fn direct(steps: &[Step<'_>], slots: &[usize]) -> (String, Vec<HostUse>) {
        let slots: Vec<_> = slots.iter().map(|&slot| Some(slot)).collect();
        let found = Direct::new(steps, &slots, |buffer| buffer == 9);
        (found.steps.iter().map(|&is| if is { 'd' } else { '-' }).collect(), found.slots)
    }

    #[test]
    fn the_first_uploads_and_the_last_readbacks_are_direct() {
        let both = HostUse { writes: true, reads: true };
        let (writes, reads) = (HostUse { writes: true, reads: false }, HostUse { writes: false, reads: true });
        let steps = [upload(0), upload(0), Step::Copy(view(0), view(1)), readback(1)];
        assert_eq!(direct(&steps, &[0, 1]), ("dd-d".into(), vec![writes, reads]));
        // The upload is after a use of the same memory, the first readback before one.
        let steps = [Step::Copy(view(0), view(1)), upload(0), readback(1), readback(1)];
        assert_eq!(direct(&steps, &[0, 1]), ("---d".into(), vec![HostUse::default(), reads]));
        // Buffer 1 takes the memory of buffer 0.
        let steps = [upload(0), readback(0), upload(1), readback(1)];
        assert_eq!(direct(&steps, &[0, 0]), ("d--d".into(), vec![both]));
    }

    #[test]
    fn what_cannot_be_mapped_is_copied() {
        let odd = View { offset: 4, ..view(0) };
        let steps = [Step::Upload(odd, &[0; 64]), Step::Readback(odd, ReadbackId(0))];
        assert_eq!(direct(&steps, &[0]), ("--".into(), vec![HostUse::default()]));
        let slots: Vec<usize> = (0..10).collect();
        assert_eq!(direct(&[readback(9)], &slots).0, "-", "a constant stays with the device");
    }
}
