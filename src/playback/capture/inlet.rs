//! The link between an input's thread and the recorder: a ring buffer of samples.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rtrb::{Consumer, Producer, RingBuffer};

/// The capacity of the ring buffer in seconds, in case the recorder is delayed.
const ROOM_S: usize = 2;

/// The input's end. It takes no lock, and allocates and frees nothing.
#[derive(Debug)]
pub struct Inlet {
    samples: Producer<f32>,
    gaps: Arc<AtomicU64>,
}

/// The recorder's end.
pub(super) struct Outlet {
    samples: Consumer<f32>,
    gaps: Arc<AtomicU64>,
    channels: usize,
}

/// Creates both ends, for interleaved samples of `channels` channels (at least one).
pub(super) fn inlet(rate: u32, channels: usize) -> (Inlet, Outlet) {
    let (to, from) = RingBuffer::new(ROOM_S * rate as usize * channels);
    let gaps = Arc::new(AtomicU64::new(0));
    (Inlet { samples: to, gaps: Arc::clone(&gaps) }, Outlet { samples: from, gaps, channels })
}

impl Inlet {
    /// Pushes whole interleaved frames from an input. If they do not all fit, all of them are dropped and a gap is
    /// counted.
    pub fn push(&mut self, samples: &[f32]) {
        if self.samples.push_entire_slice(samples).is_err() {
            self.gaps.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Outlet {
    /// Appends up to `frames` frames to the channels and returns their number. Non-finite samples become silence.
    pub fn take(&mut self, frames: usize, channels: &mut [Vec<f32>]) -> usize {
        let count = (self.samples.slots() / self.channels).min(frames);
        let Ok(chunk) = self.samples.read_chunk(count * self.channels) else { return 0 };
        for (n, sample) in chunk.into_iter().enumerate() {
            channels[n % self.channels].push(if sample.is_finite() { sample } else { 0.0 });
        }
        count
    }

    /// Returns how often samples were lost.
    pub fn gaps(&self) -> u64 {
        self.gaps.load(Ordering::Relaxed)
    }
}
