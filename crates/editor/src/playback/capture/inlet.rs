//! The link between an input's thread and the recorder: a ring buffer of samples.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rtrb::{Consumer, Producer, RingBuffer};

/// The most gaps that are kept separate until the recorder reads them. Further ones are merged.
const GAPS: usize = 256;
/// The most calls whose times are kept until they are read. Further ones are not recorded.
const CALLS: usize = 1024;

/// The input's end. It takes no lock, and allocates and frees nothing.
#[derive(Debug)]
pub struct Inlet {
    samples: Producer<f32>,
    gaps: Producer<Gap>,
    calls: Producer<CaptureCall>,
    shared: Arc<Shared>,
    channels: usize,
    /// Frames that found room so far.
    taken: u64,
    /// Frames that found no room since the last that did.
    lost: u64,
    /// All frames that came so far, lost or not.
    came: u64,
}

/// The recorder's end.
pub(crate) struct Outlet {
    samples: Consumer<f32>,
    gaps: Consumer<Gap>,
    calls: Consumer<CaptureCall>,
    shared: Arc<Shared>,
    channels: usize,
    /// Frames read so far.
    read: u64,
    /// Frames that were passed because they were lost.
    passed: u64,
}

/// When a call of the input captured its first frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CaptureCall {
    /// The frame, counted over all that came, lost ones included.
    pub frame: u64,
    /// The time in nanoseconds of [`crate::playback::now_ns`], as far as the host reports it.
    pub at_ns: i64,
}

/// Frames that were lost because the ring buffer was full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gap {
    /// The number of frames pushed before them.
    pub at: u64,
    /// The number of lost frames.
    pub frames: u64,
}

#[derive(Debug, Default)]
struct Shared {
    gaps: AtomicU64,
    latency_ns: AtomicU64,
    /// The frames of the largest call.
    call_frames: AtomicU64,
}

/// Creates both ends, for `seconds` of interleaved samples of `channels` channels (at least one).
pub(crate) fn inlet(rate: u32, channels: usize, seconds: usize) -> (Inlet, Outlet) {
    let (to, from) = RingBuffer::new(seconds * rate as usize * channels);
    let (gaps_to, gaps_from) = RingBuffer::new(GAPS);
    let (calls_to, calls_from) = RingBuffer::new(CALLS);
    let shared = Arc::new(Shared::default());
    let inlet = Inlet {
        samples: to,
        gaps: gaps_to,
        calls: calls_to,
        shared: Arc::clone(&shared),
        channels,
        taken: 0,
        lost: 0,
        came: 0,
    };
    (inlet, Outlet { samples: from, gaps: gaps_from, calls: calls_from, shared, channels, read: 0, passed: 0 })
}

impl Inlet {
    /// Pushes whole interleaved frames from an input. If they do not all fit, all of them are dropped and a gap is
    /// counted.
    pub fn push(&mut self, samples: &[f32]) {
        let frames = (samples.len() / self.channels) as u64;
        self.came += frames;
        if self.samples.slots() < samples.len() {
            self.shared.gaps.fetch_add(1, Ordering::Relaxed);
            self.lost += frames;
            return;
        }
        // The gap is there before the samples that follow it.
        if self.lost > 0 && self.gaps.push(Gap { at: self.taken, frames: self.lost }).is_ok() {
            self.lost = 0;
        }
        // Cannot fail: for the producer, the room only grows.
        let _ = self.samples.push_entire_slice(samples);
        self.taken += frames;
        self.shared.call_frames.fetch_max(frames, Ordering::Relaxed);
    }

    /// Notes that the next samples are given at `now_ns`, by [`crate::playback::now_ns`], and were captured `latency_ns`
    /// before, as the host reports it.
    pub fn note_call(&mut self, now_ns: u64, latency_ns: u64) {
        self.shared.latency_ns.store(latency_ns, Ordering::Relaxed);
        // Without room nobody reads it, or there are more than enough.
        let _ = self.calls.push(CaptureCall { frame: self.came, at_ns: now_ns as i64 - latency_ns as i64 });
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
        self.read += count as u64;
        count
    }

    /// Like [`Outlet::take`], but ends before frames that were lost. If these come next, they are returned and counted
    /// as passed.
    pub fn take_or_gap(&mut self, frames: usize, channels: &mut [Vec<f32>]) -> (usize, Option<u64>) {
        // Samples are counted first: a gap before them is then there too.
        let ready = self.samples.slots() / self.channels;
        let Some(&gap) = self.gaps.peek().ok() else { return (self.take(ready.min(frames), channels), None) };
        let before = gap.at.saturating_sub(self.read);
        if before > 0 {
            return (self.take((before.min(ready as u64) as usize).min(frames), channels), None);
        }
        let _ = self.gaps.pop();
        self.passed += gap.frames;
        (0, Some(gap.frames))
    }

    /// Returns the frame that comes next, counted over all that came, lost ones included.
    pub fn position(&self) -> u64 {
        self.read + self.passed
    }

    /// Returns the next call that was noted.
    pub fn call(&mut self) -> Option<CaptureCall> {
        self.calls.pop().ok()
    }

    /// Returns the number of frames that are waiting.
    pub fn waiting(&self) -> usize {
        self.samples.slots() / self.channels
    }

    /// Returns how often samples were lost.
    pub fn gaps(&self) -> u64 {
        self.shared.gaps.load(Ordering::Relaxed)
    }

    /// Returns the latency of the input in nanoseconds, as its host reports it.
    pub fn latency_ns(&self) -> u64 {
        self.shared.latency_ns.load(Ordering::Relaxed)
    }

    /// Returns the frames of the input's largest call.
    pub fn call_frames(&self) -> u64 {
        self.shared.call_frames.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_frames_are_told_where_they_were() {
        let (mut inlet, mut outlet) = inlet(8, 2, 1);
        inlet.push(&[1.0; 10]);
        inlet.push(&[2.0; 8]);
        inlet.push(&[2.0; 10]);
        let mut channels = vec![Vec::new(); 2];
        assert_eq!(outlet.take_or_gap(3, &mut channels), (3, None));
        inlet.push(&[3.0; 4]);
        assert_eq!(outlet.take_or_gap(9, &mut channels), (2, None), "only up to the gap");
        assert_eq!(outlet.take_or_gap(9, &mut channels), (0, Some(9)));
        assert_eq!(outlet.take_or_gap(9, &mut channels), (2, None));
        assert_eq!(channels, vec![vec![1.0, 1.0, 1.0, 1.0, 1.0, 3.0, 3.0]; 2]);
        assert_eq!((outlet.gaps(), outlet.call_frames(), outlet.waiting()), (2, 5, 0));
    }
}
