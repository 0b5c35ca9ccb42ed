//! The readbacks of a running recording, which are mapped as soon as their submission is done.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::Instant;

use super::context::{Context, Submitted};
use super::faults;
use super::recording::ReadbackId;
use base::error::{Error, Result};

/// Takes the bytes of a readback.
pub(super) type Sink<'s> = dyn FnMut(ReadbackId, &[u8]) + 's;

type Mapped = Receiver<std::result::Result<(), wgpu::BufferAsyncError>>;

/// One readback: a range of a buffer to which its copy is recorded, or of the one that the kernels write.
struct Arrival<'t> {
    ticket: ReadbackId,
    buffer: &'t wgpu::Buffer,
    range: Range<u64>,
    /// Its submission and the outcome of its mapping; `None` before it is submitted.
    submitted: Option<(Submitted, Mapped)>,
}

/// The readbacks of a recording in the order in which they were recorded.
#[derive(Default)]
pub(super) struct Arrivals<'t> {
    waiting: VecDeque<Arrival<'t>>,
    /// The number of leading entries of `waiting` that are submitted.
    submitted: usize,
    /// The seconds spent in the sink.
    pub seconds: f64,
    /// The bytes given to the sink.
    pub bytes: u64,
}

impl<'t> Arrivals<'t> {
    /// Adds a readback of this range of `buffer`, which the commands recorded so far write.
    pub fn expect(&mut self, ticket: ReadbackId, buffer: &'t wgpu::Buffer, range: Range<u64>) {
        self.waiting.push_back(Arrival { ticket, buffer, range, submitted: None });
    }

    /// Asks for the mapping of all readbacks that were recorded into this submission.
    pub fn submitted(&mut self, index: &Submitted) {
        for arrival in self.waiting.iter_mut().skip(self.submitted) {
            let (done, mapped) = channel();
            arrival.buffer.map_async(wgpu::MapMode::Read, arrival.range.clone(), move |result| {
                // The receiver is gone if the recording was given up.
                let _ = done.send(result);
            });
            arrival.submitted = Some((index.clone(), mapped));
        }
        self.submitted = self.waiting.len();
    }

    /// Passes the readbacks that have arrived to the sink, without waiting.
    pub fn take(&mut self, context: &Context, sink: &mut Sink<'_>) -> Result<()> {
        if self.submitted == 0 {
            return Ok(());
        }
        context.poll()?;
        while let Some((submission, mapped)) = self.waiting.front().and_then(|first| first.submitted.as_ref()) {
            if !submission.may_be_done() {
                break;
            }
            match mapped.try_recv() {
                Err(TryRecvError::Empty) => break,
                Ok(Ok(())) => self.give(sink)?,
                Ok(Err(error)) => return Err(unread(&error)),
                Err(error) => return Err(unread(&error)),
            }
        }
        Ok(())
    }

    /// Waits for all readbacks, which must be submitted. Gives each to the sink while later ones are on their way.
    pub fn finish(&mut self, context: &Context, sink: &mut Sink<'_>) -> Result<()> {
        while let Some((index, mapped)) = self.waiting.front().and_then(|first| first.submitted.as_ref()) {
            context.wait(index)?;
            mapped.try_recv().map_err(|error| unread(&error))?.map_err(|error| unread(&error))?;
            self.give(sink)?;
        }
        Ok(())
    }

    /// Gives the first readback, which is mapped, to the sink.
    fn give(&mut self, sink: &mut Sink<'_>) -> Result<()> {
        let Some(Arrival { ticket, buffer, range, .. }) = self.waiting.pop_front() else { return Ok(()) };
        self.submitted -= 1;
        let (started, bytes) = (Instant::now(), range.end - range.start);
        let view = buffer.get_mapped_range(range).map_err(|error| unread(&error))?;
        sink(ticket, &view);
        faults::copied(bytes, started);
        drop(view);
        buffer.unmap();
        self.seconds += started.elapsed().as_secs_f64();
        self.bytes += bytes;
        Ok(())
    }
}

impl Drop for Arrivals<'_> {
    /// Unmaps what was not taken, so that the buffers can be used again.
    fn drop(&mut self) {
        self.waiting.iter().filter(|arrival| arrival.submitted.is_some()).for_each(|arrival| arrival.buffer.unmap());
    }
}

fn unread(error: &dyn std::fmt::Display) -> Error {
    Error::GpuLost(format!("Its result could not be read: {error}"))
}
