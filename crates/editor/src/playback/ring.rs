//! The link between the worker and the audio thread: ring buffers of samples, commands in one direction, reports in the
//! other.
//!
//! Everything here is created before the stream starts and freed after it has ended. Samples travel in *lanes*: a lane
//! is a ring buffer with the clock at which its contents end. A change is rendered into a second lane. The callback
//! cross-fades to it at an agreed frame and returns the first one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use rtrb::{Consumer, Producer, RingBuffer};

use super::callback::Callback;
use super::tap::{Tap, tap};

/// Lanes in circulation: one heard, one fading in, and two waiting or returning.
const LANES: usize = 4;
/// The capacity for commands: many more than lanes, so that a stop always fits.
const COMMANDS: usize = 64;
/// The capacity for reports. The worker reads them every few milliseconds.
const REPORTS: usize = 1024;
/// The number of channels that are metered.
pub const METERED_CHANNELS: usize = 8;

/// The end clock of a lane whose end is not known yet.
pub(super) const OPEN_END: u64 = u64::MAX;

/// The consumer's side of a lane.
#[derive(Debug)]
pub(super) struct Lane {
    /// The index of the lane in the pool.
    pub index: usize,
    /// Interleaved samples.
    pub ring: Consumer<f32>,
    /// The clock at which the contents end; [`OPEN_END`] while more will follow.
    pub end: Arc<AtomicU64>,
}

/// A command from the worker to the callback.
#[derive(Debug)]
pub(super) struct Command {
    /// The lane to switch to; `None` for silence.
    pub target: Option<Lane>,
    /// The clock at which the fade begins, and at which the lane's contents begin.
    pub at: u64,
    /// The sequence number of the command.
    pub epoch: u32,
    /// Whether a muted output sounds again from here on.
    pub unmutes: bool,
}

/// The levels of one channel over one call of the callback.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MeterBlock {
    pub peak: f32,
    pub sum_of_squares: f64,
}

/// A report about one call of the callback.
#[derive(Clone, Copy, Debug)]
pub(super) struct Report {
    /// The clock at the start of the call.
    pub clock: u64,
    /// Frames of content that the call consumed.
    pub frames: u32,
    /// Frames of content at the start of the call. The clock may have skipped others, which came late.
    pub content: u32,
    /// Frames that the output requested.
    pub asked: u32,
    /// The time of the call in nanoseconds of [`super::now_ns`].
    pub at_ns: u64,
    /// Nanoseconds until the first frame of the call is heard, as the host reports it.
    pub latency_ns: u64,
    /// The epoch that began to be heard in this call, and its first frame within the call.
    pub heard: Option<(u32, u32)>,
    /// Samples beyond full scale.
    pub clipped: u32,
    /// Non-finite samples.
    pub not_finite: u32,
    /// The levels of the first channels.
    pub meters: [MeterBlock; METERED_CHANNELS],
}

/// State that both sides read and write at any time.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// Whether the output is muted when the level rises far above full scale. Written by the worker.
    pub mutes: AtomicBool,
    /// The level that muted the output, as the bits of a magnitude; 0 once the worker has read it.
    pub muted: AtomicU32,
    /// Frames of content consumed since the stream began: the clock of the output.
    pub clock: AtomicU64,
    /// The last command that was carried out completely, fade included.
    pub settled: AtomicU32,
    /// The last command whose lane played to its end.
    pub ended: AtomicU32,
    /// How often a lane ran dry before its end.
    pub underruns: AtomicU64,
    /// The number of calls of the callback.
    pub calls: AtomicU64,
}

/// The worker's end of the link.
#[derive(Debug)]
pub(super) struct Link {
    pub rate: u32,
    pub channels: usize,
    /// Frames per cross-fade.
    pub fade_frames: u32,
    pub shared: Arc<Shared>,
    /// The tap on the output, until the monitor takes it.
    pub tap: Option<Tap>,
    producers: Vec<Producer<f32>>,
    free: Vec<Lane>,
    commands: Producer<Command>,
    returned: Consumer<Lane>,
    reports: Consumer<Report>,
}

/// Creates a callback and the worker's end of the link to it. Each lane has room for `lane_frames` frames.
pub(super) fn link(rate: u32, channels: usize, lane_frames: usize, fade_frames: u32) -> (Callback, Link) {
    let shared = Arc::new(Shared::default());
    let (commands, commands_in) = RingBuffer::new(COMMANDS);
    // One more than there are lanes, so that returning one cannot fail.
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
    /// The clock of the next frame to write.
    pub clock: u64,
}

impl Link {
    /// Takes back the lanes that the callback has returned.
    pub fn collect(&mut self) {
        while let Ok(lane) = self.returned.pop() {
            self.put_back(lane);
        }
    }

    /// Takes an empty lane whose contents will begin at `clock`, if one is free. Send it with [`Link::send`].
    pub fn take_lane(&mut self, clock: u64) -> Option<(Lane, Filling)> {
        self.collect();
        let lane = self.free.pop()?;
        let filling = Filling { index: lane.index, end: Arc::clone(&lane.end), clock };
        Some((lane, filling))
    }

    /// Returns whether a lane is free and a command can be sent.
    pub fn has_lane(&mut self) -> bool {
        self.collect();
        !self.free.is_empty() && !self.commands.is_full()
    }

    /// Takes back a lane that was not sent.
    pub fn put_back(&mut self, mut lane: Lane) {
        let rest = lane.ring.slots();
        if let Ok(chunk) = lane.ring.read_chunk(rest) {
            chunk.commit_all();
        }
        lane.end.store(OPEN_END, Ordering::Release);
        self.free.push(lane);
    }

    /// Sends the callback a command to switch to a lane, or to silence. Returns `false` if its queue is full.
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

    /// Returns how many frames a lane can still take.
    pub fn room(&self, filling: &Filling) -> usize {
        self.producers[filling.index].slots() / self.channels
    }

    /// Appends interleaved samples to a lane, which must have room for them.
    pub fn fill(&mut self, filling: &mut Filling, samples: &[f32]) {
        if self.producers[filling.index].push_entire_slice(samples).is_ok() {
            filling.clock += (samples.len() / self.channels) as u64;
        }
    }

    /// Marks the contents of a lane as complete.
    pub fn end(filling: &Filling) {
        filling.end.store(filling.clock, Ordering::Release);
    }

    /// Returns the next report.
    pub fn report(&mut self) -> Option<Report> {
        self.reports.pop().ok()
    }
}
