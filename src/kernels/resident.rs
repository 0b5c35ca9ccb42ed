//! A chunk of audio that stays on the GPU: uploaded once, passed through any number of kernels, and read back once.
//!
//! ```no_run
//! # use undertone::{audio::AudioBuffer, gpu::Engine, kernels::iir_cascade::{Cascade, CascadeState, gpu::GpuPlan}};
//! # use undertone::kernels::resident::Chunk;
//! # fn run(engine: &mut Engine, cascade: &Cascade, state: &mut CascadeState, block: &mut AudioBuffer)
//! #   -> undertone::Result<()> {
//! let plan = GpuPlan::new(cascade); // once, not for every chunk
//! let mut chunk = Chunk::new();
//! let input = chunk.upload(block)?;
//! let (filtered, after) = chunk.cascade(&plan, state, input)?;
//! let output = chunk.gain(filtered, &[0.5, 0.5])?;
//! let audio = chunk.readback(output);
//! let mut done = chunk.run(engine, None)?; // an error leaves everything as it was
//! done.state(&after, state);
//! *block = done.audio(audio);
//! # Ok(()) }
//! ```

use std::collections::HashMap;

use super::fir::FirStream;
use super::fir::gpu::{FirAfter, FirTicket, GpuFir};
use super::iir_cascade::CascadeState;
use super::iir_cascade::gpu::{GpuPlan, StateTicket};
use super::{mix, peak};
use crate::audio::AudioBuffer;
use crate::error::Result;
use crate::gpu::{Engine, Finished, ReadbackId, Recording, Signal, SubmissionBatcher};
use crate::progress::Progress;

/// A recording of the work on one chunk. It is plain data until [`Chunk::run`], so it can be discarded and rebuilt for
/// another engine or a smaller chunk without side effects.
#[derive(Clone, Debug, Default)]
pub struct Chunk<'a> {
    recording: Recording<'a>,
    audio: Vec<(ReadbackId, AudioTicket, usize)>,
    peaks: Vec<(ReadbackId, usize)>,
    states: Vec<ReadbackId>,
    next: usize,
}

/// A handle to audio that is read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AudioTicket {
    index: usize,
    channels: usize,
    frames: usize,
}

/// A handle to the last frames that entered a delay.
#[derive(Clone, Debug)]
pub struct DelayTicket(Vec<ReadbackId>);

/// A handle to the peaks of a signal's channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PeakTicket(usize);

impl<'a> Chunk<'a> {
    /// Creates an empty chunk.
    pub fn new() -> Self {
        Self::default()
    }

    /// Records an upload of audio, which is borrowed until the chunk has run.
    ///
    /// # Errors
    /// [`crate::Error::Limit`] if there are more frames than [`Signal::max_frames`].
    pub fn upload(&mut self, audio: &'a AudioBuffer) -> Result<Signal> {
        Signal::upload(&mut self.recording, audio)
    }

    /// Filters `input`, starting from `state`. `state` does not change; [`Done::state`] updates it.
    ///
    /// # Errors
    /// [`crate::Error::Limit`] if the signal is too large for the device.
    pub fn cascade(&mut self, plan: &'a GpuPlan, state: &CascadeState, input: Signal) -> Result<(Signal, StateTicket)> {
        let (output, ticket) = plan.record(&mut self.recording, state, input)?;
        self.states.extend(ticket.tickets());
        Ok((output, ticket))
    }

    /// Filters `input` as the next frames of a stream. The stream does not change; [`Done::stream`] returns its update.
    /// If `known` holds the contents of `input`, the input is not read back to continue the stream.
    ///
    /// # Errors
    /// Same as [`GpuFir::record`].
    pub fn fir(
        &mut self,
        plan: &'a GpuFir,
        stream: &'a FirStream,
        input: Signal,
        known: Option<&AudioBuffer>,
    ) -> Result<(Signal, FirTicket)> {
        let (output, ticket) = plan.record(&mut self.recording, stream, input, known)?;
        self.states.extend(ticket.tickets());
        Ok((output, ticket))
    }

    /// Delays `input` by `waiting[channel].len()` frames. `waiting` holds the pending frames of each channel, oldest
    /// first, and is output first. [`Done::delayed`] returns the last input frames, from which the caller updates
    /// `waiting`.
    ///
    /// # Errors
    /// [`crate::Error::Limit`] if the signal is too large for the device.
    pub fn delay(&mut self, input: Signal, waiting: &[Vec<f32>]) -> Result<(Signal, DelayTicket)> {
        let output = Signal::new(&mut self.recording, input.channels, input.frames)?;
        let mut tail = Vec::with_capacity(waiting.len());
        for (channel, waiting) in waiting.iter().enumerate() {
            let first = waiting.len().min(input.frames);
            let (from, to) = (input.channel(channel), output.channel(channel));
            self.recording.upload(to, bytemuck::cast_slice(&waiting[..first]).to_vec());
            let rest = (input.frames - first) as u64 * 4;
            if rest > 0 {
                self.recording.copy(from.part(0, rest), to.part(first as u64 * 4, rest));
            }
            if first > 0 {
                tail.push(self.recording.readback(from.part(rest, first as u64 * 4)));
            }
        }
        self.states.extend(&tail);
        Ok((output, DelayTicket(tail)))
    }

    /// Computes `gains[channel] * input`.
    ///
    /// # Errors
    /// [`crate::Error::Limit`] if the signal is too large for the device.
    pub fn gain(&mut self, input: Signal, gains: &[f32]) -> Result<Signal> {
        mix::gpu::gain(&mut self.recording, input, gains)
    }

    /// Computes `gains_a[channel] * a + gains_b[channel] * b` for signals of the same shape.
    ///
    /// # Panics
    /// If the shapes differ.
    ///
    /// # Errors
    /// [`crate::Error::Limit`] if the signal is too large for the device.
    pub fn mix(&mut self, a: Signal, gains_a: &[f32], b: Signal, gains_b: &[f32]) -> Result<Signal> {
        mix::gpu::mix(&mut self.recording, a, gains_a, b, gains_b)
    }

    /// Records a search for the largest magnitude of each channel.
    pub fn peak(&mut self, input: Signal) -> PeakTicket {
        self.next += 1;
        let index = self.next - 1;
        if let Some(peaks) = peak::gpu::peak(&mut self.recording, input) {
            self.peaks.push((self.recording.readback(peaks), index));
        }
        PeakTicket(index)
    }

    /// Records the readback of a signal.
    pub fn readback(&mut self, signal: Signal) -> AudioTicket {
        self.next += 1;
        let ticket = AudioTicket { index: self.next - 1, channels: signal.channels, frames: signal.frames };
        if signal.frames > 0 && signal.channels > 0 {
            self.audio.push((self.recording.readback(signal.view), ticket, signal.stride));
        }
        ticket
    }

    /// Returns the recording so far.
    pub fn recording(&self) -> &Recording<'a> {
        &self.recording
    }

    /// Runs the recording.
    ///
    /// # Errors
    /// Same as [`Engine::execute`]. On an error, none of the caller's data has changed.
    pub fn run(self, engine: &mut Engine, progress: Option<&Progress>) -> Result<Done> {
        self.run_by(|recording, sink| engine.execute(recording, progress, sink))
    }

    /// Runs the recording, possibly in one submission with others.
    ///
    /// # Errors
    /// Same as [`SubmissionBatcher::execute`]. On an error, none of the caller's data has changed.
    pub fn run_together(self, batcher: &SubmissionBatcher, progress: Option<&Progress>) -> Result<Done> {
        self.run_by(|recording, sink| batcher.execute(recording, progress, sink))
    }

    fn run_by(
        self,
        execute: impl FnOnce(&Recording<'a>, &mut dyn FnMut(ReadbackId, &[u8])) -> Result<Finished>,
    ) -> Result<Done> {
        let mut done = Done::default();
        let (audio, peaks, states) = (&self.audio, &self.peaks, &self.states);
        done.finished = execute(&self.recording, &mut |ticket, bytes| {
            if let Some((_, place, stride)) = audio.iter().find(|(own, ..)| *own == ticket) {
                let samples: &[f32] = bytemuck::cast_slice(bytes);
                let channels =
                    samples.chunks(*stride).take(place.channels).map(|channel| channel[..place.frames].to_vec());
                done.audio.insert(place.index, AudioBuffer::from_channels(channels.collect()));
            } else if let Some((_, index)) = peaks.iter().find(|(own, _)| *own == ticket) {
                done.peaks.insert(*index, bytemuck::pod_collect_to_vec(bytes));
            } else if states.contains(&ticket) {
                done.states.insert(ticket, bytes.to_vec());
            }
        })?;
        Ok(done)
    }
}

/// The results of a chunk.
#[derive(Debug, Default)]
pub struct Done {
    /// Timings of the run.
    pub finished: Finished,
    audio: HashMap<usize, AudioBuffer>,
    peaks: HashMap<usize, Vec<f32>>,
    states: HashMap<ReadbackId, Vec<u8>>,
}

impl Done {
    /// Takes the audio of a ticket. Returns silence if it was already taken.
    pub fn audio(&mut self, ticket: AudioTicket) -> AudioBuffer {
        self.audio.remove(&ticket.index).unwrap_or_else(|| AudioBuffer::new(ticket.channels, ticket.frames))
    }

    /// Returns the peak of each channel, or an empty vector for a signal without frames.
    pub fn peaks(&self, ticket: PeakTicket) -> Vec<f32> {
        self.peaks.get(&ticket.0).cloned().unwrap_or_default()
    }

    /// Returns the update of a filter's stream, for the stream to apply.
    ///
    /// # Errors
    /// Same as [`FirTicket::after`].
    pub fn stream(&self, ticket: &FirTicket) -> Result<FirAfter> {
        ticket.after(|ticket| self.states.get(&ticket).map(Vec::as_slice))
    }

    /// Returns the last frames of each channel that entered a delay: as many as the delay holds, or all if there are
    /// fewer.
    pub fn delayed(&self, ticket: &DelayTicket) -> Vec<Vec<f32>> {
        let tail =
            |ticket| self.states.get(ticket).map(|bytes| bytemuck::pod_collect_to_vec(bytes)).unwrap_or_default();
        ticket.0.iter().map(tail).collect()
    }

    /// Updates `state` to the end of the chunk.
    pub fn state(&self, ticket: &StateTicket, state: &mut CascadeState) {
        for (own, bytes) in &self.states {
            ticket.take_up(*own, bytes, state);
        }
    }
}
