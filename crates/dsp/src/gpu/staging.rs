//! Uploads through a ring of mapped staging buffers that live as long as the engine. The CPU fills one buffer while the
//! device copies from another.

use std::sync::mpsc::{Receiver, TryRecvError, channel};

use super::context::{Context, fail_if_armed};
use super::copies::write_shared;
use base::error::{Error, Result};

const SEGMENT_BYTES: u64 = 4 << 20;
const MAX_SEGMENTS: usize = 8;

type Mapped = Receiver<Result<(), wgpu::BufferAsyncError>>;

#[derive(Debug)]
struct Segment {
    buffer: wgpu::Buffer,
    used: u64,
}

#[derive(Debug, Default)]
pub(super) struct Staging {
    /// Segments that are mapped and empty.
    free: Vec<Segment>,
    /// Segments with data for the submission that is being recorded; the last one may have room.
    filling: Vec<Segment>,
    /// Segments that the device reads or that are being mapped again, oldest first.
    away: Vec<(Segment, Mapped)>,
}

impl Staging {
    /// Writes as much of `data` as fits and records its copy to `to` at `offset`. Returns the number of bytes taken. If
    /// that is not all, the caller submits what is recorded and calls again.
    pub fn push(
        &mut self,
        context: &Context,
        encoder: &mut wgpu::CommandEncoder,
        (to, offset): (&wgpu::Buffer, u64),
        data: &[u8],
    ) -> Result<usize> {
        if self.filling.last().is_none_or(|segment| segment.used == SEGMENT_BYTES) {
            match self.free_segment(context)? {
                Some(segment) => self.filling.push(segment),
                None => return Ok(0),
            }
        }
        let Some(segment) = self.filling.last_mut() else { return Ok(0) };
        let room = (SEGMENT_BYTES - segment.used).min(data.len() as u64);
        let range = segment.used..segment.used + room;
        write_shared(&segment.buffer, range.start, &data[..room as usize]).map_err(|error| mapping(context, &error))?;
        encoder.copy_buffer_to_buffer(&segment.buffer, range.start, to, offset, room);
        // The next range starts at a multiple of 16; mapped ranges must start at multiples of 8.
        segment.used = range.end.next_multiple_of(16).min(SEGMENT_BYTES);
        Ok(room as usize)
    }

    fn free_segment(&mut self, context: &Context) -> Result<Option<Segment>> {
        self.collect(context)?;
        if let Some(segment) = self.free.pop() {
            return Ok(Some(segment));
        }
        if self.filling.len() + self.away.len() >= MAX_SEGMENTS {
            return Ok(None);
        }
        fail_if_armed(SEGMENT_BYTES)?;
        let usage = wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC;
        Ok(Some(Segment { buffer: context.create_buffer(SEGMENT_BYTES, usage, true)?, used: 0 }))
    }

    /// Collects the segments that the device has finished reading.
    fn collect(&mut self, context: &Context) -> Result<()> {
        for (segment, mapped) in std::mem::take(&mut self.away) {
            match mapped.try_recv() {
                Ok(Ok(())) => self.free.push(Segment { used: 0, ..segment }),
                Err(TryRecvError::Empty) => self.away.push((segment, mapped)),
                Ok(Err(error)) => return Err(mapping(context, &error)),
                Err(error) => return Err(mapping(context, &error)),
            }
        }
        Ok(())
    }

    /// Unmaps the filled segments. Call before the recorded commands are submitted.
    pub fn before_submit(&mut self) {
        for segment in &self.filling {
            segment.buffer.unmap();
        }
    }

    /// Maps the submitted segments again. Call after the submission.
    pub fn after_submit(&mut self) {
        for segment in self.filling.drain(..) {
            let (done, mapped) = channel();
            segment.buffer.map_async(wgpu::MapMode::Write, .., move |result| {
                // The receiver is gone if the engine was dropped.
                let _ = done.send(result);
            });
            self.away.push((segment, mapped));
        }
    }

    /// Discards what was recorded and will not be submitted.
    pub fn abandon(&mut self) {
        for segment in self.filling.drain(..) {
            self.free.push(Segment { used: 0, ..segment });
        }
    }
}

fn mapping(context: &Context, error: &dyn std::fmt::Display) -> Error {
    // If the device is lost, that error explains more than the mapping error.
    context.check().err().unwrap_or_else(|| Error::GpuLost(format!("Its memory could not be mapped: {error}")))
}
