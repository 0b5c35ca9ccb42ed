//! What runs between the worker and the audio thread: rings of samples, commands one way, reports the other.
//!
//! Everything here is made before the stream starts and freed after it ended. Samples travel in *lanes*: a lane is a
//! ring, the epoch of its contents and the clock at which they end. A change is rendered into a second lane; the
//! callback cross-fades to it at an agreed frame and gives the first one back.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use rtrb::{Consumer, Producer, RingBuffer};

use super::callback::Callback;
use super::tap::{Tap, tap};

/// Lanes in circulation: one heard, one fading in, and two that wait or return.
const LANES: usize = 4;
/// Commands that fit: many more than lanes, so that a stop always does.
const COMMANDS: usize = 64;
/// Reports that fit before the worker must have looked; it does so every few milliseconds.
const REPORTS: usize = 1024;
/// Channels that are metered.
pub const METERED_CHANNELS: usize = 8;

/// The clock of a lane whose end is not known yet.
pub(super) const OPEN_END: u64 = u64::MAX;

/// The consumer's side of a lane.
#[derive(Debug)]
pub(super) struct Lane {
    /// Which of the pool.
    pub index: usize,
    /// Interleaved samples.
    pub ring: Consumer<f32>,
    /// The clock at which the contents end; [`OPEN_END`] while there is more to come.
    pub end: Arc<AtomicU64>,
}

/// What the worker asks of the callback.
#[derive(Debug)]
pub(super) struct Command {
    /// The lane to go to; none is silence.
    pub target: Option<Lane>,
    /// The clock at which the fade begins. A lane's contents begin here.
    pub at: u64,
    /// Numbers the commands.
    pub epoch: u32,
    /// Whether an output that was muted sounds again from here on.
    pub unmutes: bool,
}

/// One channel over one call of the callback.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MeterBlock {
    pub peak: f32,
    pub sum_of_squares: f64,
}

/// What the callback did in one call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Report {
    /// The clock at the call's beginning.
    pub clock: u64,
    /// Frames of content that it took.
    pub frames: u32,
    /// Frames asked for.
    pub asked: u32,
    /// When it was called, in nanoseconds of the link's own time.
    pub at_ns: u64,
    /// Nanoseconds until the first frame of the call is heard, as the host says.
    pub latency_ns: u64,
    /// The epoch that began to be heard in this call, and at which frame of the call.
    pub heard: Option<(u32, u32)>,
    /// Samples beyond full scale.
    pub clipped: u32,
    /// Samples that were not finite.
    pub not_finite: u32,
    /// Levels of the first channels.
    pub meters: [MeterBlock; METERED_CHANNELS],
}

/// What both sides write and read at any time.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// Whether the output is muted when the sound rises far beyond full scale; the worker says so.
    pub mutes: AtomicBool,
    /// The level that muted the output, as the bits of a magnitude; 0 once the worker has read it.
    pub muted: AtomicU32,
    /// Frames of content taken since the stream began: the time of the output.
    pub clock: AtomicU64,
    /// The last command that was carried out, fade included.
    pub settled: AtomicU32,
    /// The last command whose lane ran to its end.
    pub ended: AtomicU32,
    /// Times a lane ran dry before its end.
    pub underruns: AtomicU64,
    /// Calls of the callback.
    pub calls: AtomicU64,
}

/// The worker's end of the link.
#[derive(Debug)]
pub(super) struct Link {
    pub rate: u32,
    pub channels: usize,
    /// Frames of every cross-fade.
    pub fade_frames: u32,
    pub shared: Arc<Shared>,
    /// What is put out, for whoever looks at it; taken once.
    pub tap: Option<Tap>,
    producers: Vec<Producer<f32>>,
    free: Vec<Lane>,
    commands: Producer<Command>,
    returned: Consumer<Lane>,
    reports: Consumer<Report>,
}

/// Makes a callback and the worker's end of the link to it. Lanes hold `lane_frames`.
pub(super) fn link(rate: u32, channels: usize, lane_frames: usize, fade_frames: u32) -> (Callback, Link) {
    let shared = Arc::new(Shared::default());
    let (commands, commands_in) = RingBuffer::new(COMMANDS);
    // One more than there are lanes, so that giving one back cannot fail.
    let (returns, returned) = RingBuffer::new(LANES + 1);
    let (reports_out, reports) = RingBuffer::new(REPORTS);
    let mut producers = Vec::new();
    let mut free = Vec::new();
    for index in 0..LANES {
        let (producer, ring) = RingBuffer::new(lane_frames * channels);
        producers.push(producer);
        free.push(Lane { index, ring, end: Arc::new(AtomicU64::new(OPEN_END)) });
    }
    let (tap_in, tap) = tap(rate, channels);
    let ends = (commands_in, returns, reports_out, tap_in);
    let callback = Callback::new(rate, channels, fade_frames, Arc::clone(&shared), ends);
    (
        callback,
        Link { rate, channels, fade_frames, shared, tap: Some(tap), producers, free, commands, returned, reports },
    )
}

/// A lane that the worker is filling.
#[derive(Debug)]
pub(super) struct Filling {
    index: usize,
    end: Arc<AtomicU64>,
    /// The clock of the next frame to be written.
    pub clock: u64,
}

impl Link {
    /// Takes back what the callback is done with.
    pub fn collect(&mut self) {
        while let Ok(lane) = self.returned.pop() {
            self.put_back(lane);
        }
    }

    /// An empty lane whose contents will begin at `clock`, if there is one. It is sent off with [`Link::splice`].
    pub fn take_lane(&mut self, clock: u64) -> Option<(Lane, Filling)> {
        self.collect();
        let lane = self.free.pop()?;
        let filling = Filling { index: lane.index, end: Arc::clone(&lane.end), clock };
        Some((lane, filling))
    }

    /// Whether a lane is free.
    pub fn has_lane(&mut self) -> bool {
        self.collect();
        !self.free.is_empty() && !self.commands.is_full()
    }

    /// Takes a lane back that was not sent off.
    pub fn put_back(&mut self, mut lane: Lane) {
        let rest = lane.ring.slots();
        if let Ok(chunk) = lane.ring.read_chunk(rest) {
            chunk.commit_all();
        }
        lane.end.store(OPEN_END, Ordering::Release);
        self.free.push(lane);
    }

    /// Tells the callback to go to a lane, or to silence, at a clock. False when it is too busy to be told.
    pub fn send(&mut self, command: Command) -> bool {
        match self.commands.push(command) {
            Ok(()) => true,
            Err(rtrb::PushError::Full(command)) => {
                if let Some(lane) = command.target {
                    self.put_back(lane);
                }
                false
            }
        }
    }

    /// Frames that a lane can still take.
    pub fn room(&self, filling: &Filling) -> usize {
        self.producers[filling.index].slots() / self.channels
    }

    /// Appends interleaved samples to a lane that has room for them.
    pub fn fill(&mut self, filling: &mut Filling, samples: &[f32]) {
        if self.producers[filling.index].push_entire_slice(samples).is_ok() {
            filling.clock += (samples.len() / self.channels) as u64;
        }
    }

    /// Says that nothing follows what a lane holds.
    pub fn end(filling: &Filling) {
        filling.end.store(filling.clock, Ordering::Release);
    }

    /// The next report.
    pub fn report(&mut self) -> Option<Report> {
        self.reports.pop().ok()
    }
}
