//! The thread that runs the chain between the input and the output.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};

use rtrb::Producer;

use super::outlet::Shared;
use super::probe::Probe;
use super::running::Running;
use crate::playback::capture::{Inlet, Input};
use audio::AudioBuffer;
use base::error::Result;
use dsp::measure::resample::Resampler;

/// How long the worker sleeps if nothing has come.
const PAUSE: Duration = Duration::from_micros(250);
/// Frames rendered at once; more may have come while the machine was busy.
const BLOCK_FRAMES: usize = 1 << 12;
/// The length of the cross-fade from one chain to another, as a part of a second.
const FADE_PARTS: u32 = 50;

/// A command to the worker.
#[allow(clippy::large_enum_variant, reason = "it is told a few times while live sound runs")]
pub(super) enum Command {
    /// Fade over to another chain.
    Run(Box<Running>),
    /// Copy the sound before and after the chain, from the same frame on, or no longer.
    Tap { dry: Option<Inlet>, wet: Option<Inlet> },
    /// Measure the round trip.
    Probe(Box<Probe>),
}

/// The state of the worker's thread.
pub(super) struct Worker {
    pub input: Input,
    pub channels: std::ops::Range<usize>,
    pub rate: u32,
    pub running: Box<Running>,
    pub resampler: Option<Resampler>,
    pub ring: Producer<f32>,
    pub output_channels: usize,
    pub commands: Receiver<Command>,
    pub shared: Arc<Shared>,
    pub dry: Option<Inlet>,
    pub wet: Option<Wet>,
    /// The chain that fades in, with the frames until the fade begins and the frames faded.
    pub incoming: Option<Incoming>,
    /// The measurement that runs.
    pub probe: Option<Box<Probe>>,
    /// The next chain, while another fades in.
    pub pending: Option<Box<Running>>,
}

/// Where the sound after the chain is copied to.
pub(super) struct Wet {
    inlet: Inlet,
    channels: usize,
    /// The frames of the chain's latency, which are dropped.
    left_out: u64,
}

pub(super) struct Incoming {
    running: Box<Running>,
    wait: u64,
    faded: u32,
}

impl Worker {
    /// Runs until all senders of commands are dropped.
    pub fn run(mut self) -> Result<()> {
        // Some systems do not let a program choose.
        let _ = thread_priority::set_current_thread_priority(thread_priority::ThreadPriority::Max);
        let mut scratch = vec![Vec::new(); self.input.info.channels];
        let mut interleaved = Vec::new();
        let (mut busy, mut begun) = (Duration::ZERO, Instant::now());
        let mut losses = 0;
        loop {
            loop {
                match self.commands.try_recv() {
                    Ok(Command::Run(next)) => self.pending = Some(next),
                    Ok(Command::Tap { dry, wet }) => {
                        let (left_out, channels) =
                            (self.running.latency_frames(), self.running.output_format().channels);
                        self.dry = dry;
                        self.wet = wet.map(|inlet| Wet { inlet, channels, left_out });
                    }
                    Ok(Command::Probe(probe)) => self.probe = Some(probe),
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => return Ok(()),
                }
            }
            scratch.iter_mut().for_each(Vec::clear);
            let taken = self.input.outlet.take(BLOCK_FRAMES, &mut scratch);
            let lost = self.input.outlet.gaps() + self.input.health.glitches();
            self.shared.overruns.fetch_add(lost - losses, Ordering::Relaxed);
            losses = lost;
            if taken == 0 {
                std::thread::sleep(PAUSE);
                continue;
            }
            let work = Instant::now();
            self.shared.call_frames.store(self.input.outlet.call_frames(), Ordering::Relaxed);
            let block = AudioBuffer::from_channels(scratch[self.channels.clone()].to_vec());
            let peak = block.iter().flatten().fold(0f32, |peak, sample| peak.max(sample.abs()));
            Shared::raise(&self.shared.input_peak, peak);
            if let Some(dry) = &mut self.dry {
                interleave(&block, &mut interleaved);
                dry.push(&interleaved);
            }
            let mut out = self.render(&block, &mut interleaved)?;
            if self.probe.as_mut().is_some_and(|probe| probe.pass(&block, &mut out)) {
                self.probe = None;
            }
            self.send(&out, &mut interleaved)?;
            let waiting = self.input.outlet.waiting() as u64 * 1_000_000_000 / u64::from(self.rate);
            self.shared.before_ns.store(self.input.outlet.latency_ns() + waiting, Ordering::Relaxed);
            busy += work.elapsed();
            if begun.elapsed() >= Duration::from_secs(1) {
                let load = busy.as_secs_f32() / begun.elapsed().as_secs_f32();
                self.shared.load.store(load.to_bits(), Ordering::Relaxed);
                (busy, begun) = (Duration::ZERO, Instant::now());
            }
        }
    }

    /// Renders a block to the output's channels, and fades to another chain if one was given.
    fn render(&mut self, block: &AudioBuffer, interleaved: &mut Vec<f32>) -> Result<AudioBuffer> {
        if self.incoming.is_none()
            && let Some(mut running) = self.pending.take()
        {
            running.continue_from(&self.running);
            let wait = running.latency_frames();
            self.incoming = Some(Incoming { running, wait, faded: 0 });
        }
        let wet = self.running.render(block)?;
        self.copy_wet(&wet, interleaved);
        let mut out = self.running.mixed(&wet);
        let Some(incoming) = &mut self.incoming else { return Ok(out) };
        let next = incoming.running.render(block)?;
        let next = incoming.running.mixed(&next);
        let frames = out.frames().min(next.frames());
        let skip = incoming.wait.min(frames as u64) as usize;
        incoming.wait -= skip as u64;
        let fade = (self.rate / FADE_PARTS).max(1);
        for (to, from) in out.iter_mut().zip(next.iter()) {
            for (n, (to, from)) in to.iter_mut().zip(from).enumerate().skip(skip) {
                let share = ((incoming.faded + (n - skip) as u32) as f32 / fade as f32).min(1.0);
                *to += (from - *to) * share;
            }
        }
        incoming.faded += (frames - skip) as u32;
        if incoming.faded >= fade
            && let Some(incoming) = self.incoming.take()
        {
            self.running = incoming.running;
        }
        Ok(out)
    }

    fn copy_wet(&mut self, wet: &AudioBuffer, interleaved: &mut Vec<f32>) {
        // A chain with other channels does not fit into the same file.
        let Some(to) = self.wet.as_mut().filter(|to| to.channels == wet.channels()) else { return };
        let skip = to.left_out.min(wet.frames() as u64) as usize;
        to.left_out -= skip as u64;
        interleave(wet, interleaved);
        to.inlet.push(&interleaved[skip * wet.channels()..]);
    }

    /// Sends a block to the output, at its rate.
    fn send(&mut self, block: &AudioBuffer, interleaved: &mut Vec<f32>) -> Result<()> {
        match &mut self.resampler {
            Some(resampler) => {
                let mut converted = AudioBuffer::new(self.output_channels, 0);
                resampler.push(block, &mut converted)?;
                interleave(&converted, interleaved);
            }
            None => interleave(block, interleaved),
        }
        // Without room, the output has stalled: it has more than enough frames.
        if self.ring.push_entire_slice(interleaved).is_err() {
            self.shared.overruns.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }
}

fn interleave(block: &AudioBuffer, to: &mut Vec<f32>) {
    to.clear();
    to.resize(block.frames() * block.channels(), 0.0);
    for (channel, samples) in block.iter().enumerate() {
        for (place, sample) in to.iter_mut().skip(channel).step_by(block.channels()).zip(samples) {
            *place = *sample;
        }
    }
}
