//! A chunk of audio that stays on the GPU: uploaded once, passed through any number of kernels, and read back once.
//!
//! ```no_run
//! # use base::sound::AudioBuffer;
//! # use dsp::{gpu::Engine, kernels::signal::iir_cascade::{Cascade, CascadeState, gpu::GpuPlan}};
//! # use dsp::kernels::signal::resident::Chunk;
//! # fn run(engine: &mut Engine, cascade: &Cascade, state: &mut CascadeState, block: &mut AudioBuffer)
//! #   -> base::error::Result<()> {
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

mod delay;

use std::collections::HashMap;
use std::ops::Range;

use super::fir::FirStream;
use super::fir::gpu::{FirAfter, FirFlow, FirTicket, GpuFir};
use super::iir_cascade::CascadeState;
use super::iir_cascade::gpu::{CascadeFlow, GpuPlan, StateTicket};
use super::{mix, peak};
use crate::gpu::{Engine, Finished, ReadbackId, Recording, Signal, SubmissionBatcher, copy_shared};
use base::error::Result;
use base::progress::Progress;
use base::sound::AudioBuffer;
pub use delay::{DelayFlow, DelayTicket};

/// A recording of the work on one chunk. It is plain data until [`Chunk::run`], so it can be discarded and rebuilt for
/// another engine or a smaller chunk without side effects.
///
/// A chunk may be recorded in pieces, so that one piece is uploaded or read back while the device works on another:
/// filters and delays then pass their state from piece to piece on the device, by a flow ([`CascadeFlow`], [`FirFlow`],
/// [`DelayFlow`]).
#[derive(Debug, Default)]
pub struct Chunk<'a> {
    recording: Recording<'a>,
    outputs: Vec<Output>,
    /// The contents of each readback.
    places: HashMap<ReadbackId, Place>,
    peaks: usize,
}

/// Audio that is read back.
#[derive(Debug)]
struct Output {
    memory: AudioBuffer,
    channels: usize,
    frames: usize,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    /// Frames of an output, from `first` on, with channels `stride` frames apart.
    Audio {
        output: usize,
        first: usize,
        frames: usize,
        stride: usize,
    },
    Peaks(usize),
    State,
}

/// A handle to audio that is read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AudioTicket(usize);

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
    /// [`base::Error::Limit`] if there are more frames than [`Signal::max_frames`].
    pub fn upload(&mut self, audio: &'a AudioBuffer) -> Result<Signal> {
        Signal::upload(&mut self.recording, audio)
    }

    /// Records an upload of some frames of audio, which is borrowed until the chunk has run.
    pub fn upload_frames(&mut self, audio: &'a AudioBuffer, frames: Range<usize>) -> Result<Signal> {
        Signal::upload_frames(&mut self.recording, audio, frames)
    }

    /// Filters `input`, starting from `state`. `state` does not change; [`ChunkResults::state`] updates it.
    pub fn cascade(&mut self, plan: &'a GpuPlan, state: &CascadeState, input: Signal) -> Result<(Signal, StateTicket)> {
        let mut flow = plan.begin(state);
        let output = self.cascade_piece(&mut flow, input)?;
        Ok((output, self.cascade_end(flow)))
    }

    /// Filters the next piece of a signal.
    pub fn cascade_piece(&mut self, flow: &mut CascadeFlow<'a>, input: Signal) -> Result<Signal> {
        flow.record(&mut self.recording, input)
    }

    /// Ends the filtering of a signal in pieces.
    pub fn cascade_end(&mut self, flow: CascadeFlow<'a>) -> StateTicket {
        let ticket = flow.end(&mut self.recording);
        self.states(ticket.tickets());
        ticket
    }

    /// Filters `input` as the next frames of a stream. The stream does not change; [`ChunkResults::stream`] returns its
    /// update. If `known` holds the contents of `input`, the input is not read back to continue the stream.
    pub fn fir(
        &mut self,
        plan: &'a GpuFir,
        stream: &'a FirStream,
        input: Signal,
        known: Option<&AudioBuffer>,
    ) -> Result<(Signal, FirTicket)> {
        let mut flow = plan.begin(stream);
        let output = self.fir_piece(&mut flow, input)?;
        Ok((output, self.fir_end(flow, known)))
    }

    /// Filters the next piece of a signal.
    pub fn fir_piece(&mut self, flow: &mut FirFlow<'a>, input: Signal) -> Result<Signal> {
        flow.record(&mut self.recording, input)
    }

    /// Ends the filtering of a signal in pieces. If `known` holds the contents of all pieces, they are not read back.
    pub fn fir_end(&mut self, flow: FirFlow<'a>, known: Option<&AudioBuffer>) -> FirTicket {
        let ticket = flow.end(&mut self.recording, known);
        self.states(ticket.tickets());
        ticket
    }

    /// Delays the next piece of a signal.
    pub fn delay_piece(&mut self, flow: &mut DelayFlow, input: Signal) -> Result<Signal> {
        flow.record(&mut self.recording, input)
    }

    /// Ends the delay of a signal. [`ChunkResults::delayed`] returns the last input frames, from which the caller
    /// updates its delay line.
    pub fn delay_end(&mut self, flow: DelayFlow) -> DelayTicket {
        let ticket = flow.end(&mut self.recording);
        self.states(ticket.0.iter().flatten().copied());
        ticket
    }

    fn states(&mut self, tickets: impl Iterator<Item = ReadbackId>) {
        self.places.extend(tickets.map(|ticket| (ticket, Place::State)));
    }

    /// Computes `gains[channel] * input`.
    pub fn gain(&mut self, input: Signal, gains: &[f32]) -> Result<Signal> {
        mix::gpu::gain(&mut self.recording, input, gains)
    }

    /// Computes `gains_a[channel] * a + gains_b[channel] * b` for signals of the same shape.
    ///
    /// # Panics
    /// If the shapes differ.
    pub fn mix(&mut self, a: Signal, gains_a: &[f32], b: Signal, gains_b: &[f32]) -> Result<Signal> {
        mix::gpu::mix(&mut self.recording, a, gains_a, b, gains_b)
    }

    /// Records a search for the largest magnitude of each channel.
    pub fn peak(&mut self, input: Signal) -> PeakTicket {
        self.peaks += 1;
        let index = self.peaks - 1;
        if let Some(peaks) = peak::gpu::peak(&mut self.recording, input) {
            self.places.insert(self.recording.readback(peaks), Place::Peaks(index));
        }
        PeakTicket(index)
    }

    /// Records the readback of a signal.
    pub fn readback(&mut self, signal: Signal) -> AudioTicket {
        let ticket = self.output(AudioBuffer::default(), signal.channels, signal.frames);
        self.readback_piece(ticket, 0, signal);
        ticket
    }

    /// Adds audio that is read back in pieces. It takes the memory of `memory`, whose contents do not matter.
    pub fn output(&mut self, memory: AudioBuffer, channels: usize, frames: usize) -> AudioTicket {
        self.outputs.push(Output { memory, channels, frames });
        AudioTicket(self.outputs.len() - 1)
    }

    /// Records the readback of a signal as the frames of an output from `first` on.
    pub fn readback_piece(&mut self, ticket: AudioTicket, first: usize, signal: Signal) {
        let Signal { view, channels, frames, stride } = signal;
        if frames > 0 && channels > 0 {
            let place = Place::Audio { output: ticket.0, first, frames, stride };
            self.places.insert(self.recording.readback(view), place);
        }
    }

    /// Returns the recording so far.
    pub fn recording(&self) -> &Recording<'a> {
        &self.recording
    }

    /// Runs the recording.
    ///
    /// # Errors
    /// After an error, none of the caller's data has changed.
    pub fn run(self, engine: &mut Engine, progress: Option<&Progress>) -> Result<ChunkResults> {
        self.run_by(|recording, sink| engine.stream(recording, progress, sink))
    }

    /// Runs the recording, possibly in one submission with others.
    ///
    /// # Errors
    /// After an error, none of the caller's data has changed.
    pub fn run_together(self, batcher: &SubmissionBatcher, progress: Option<&Progress>) -> Result<ChunkResults> {
        self.run_by(|recording, sink| batcher.execute(recording, progress, sink))
    }

    fn run_by(
        self,
        execute: impl FnOnce(&Recording<'a>, &mut dyn FnMut(ReadbackId, &[u8])) -> Result<Finished>,
    ) -> Result<ChunkResults> {
        let Self { recording, outputs, places, .. } = self;
        let mut done = ChunkResults {
            sizes: outputs.iter().map(|output| (output.channels, output.frames)).collect(),
            ..ChunkResults::default()
        };
        done.audio = outputs
            .into_iter()
            .map(|Output { mut memory, channels, frames }| {
                memory.resize(channels, frames);
                Some(memory)
            })
            .collect();
        done.finished = execute(&recording, &mut |ticket, bytes| match places.get(&ticket) {
            Some(&Place::Audio { output, first, frames, stride }) => {
                let Some(Some(audio)) = done.audio.get_mut(output) else { return };
                let from: &[f32] = bytemuck::cast_slice(bytes);
                for (to, from) in audio.iter_mut().zip(from.chunks(stride)) {
                    copy_shared(&mut to[first..first + frames], &from[..frames]);
                }
            }
            Some(&Place::Peaks(index)) => {
                done.peaks.insert(index, bytemuck::pod_collect_to_vec(bytes));
            }
            Some(Place::State) => {
                done.states.insert(ticket, bytes.to_vec());
            }
            None => {}
        })?;
        Ok(done)
    }
}

/// The results of a chunk.
#[derive(Debug, Default)]
pub struct ChunkResults {
    /// Timings of the run.
    pub finished: Finished,
    audio: Vec<Option<AudioBuffer>>,
    /// The channels and frames of each output.
    sizes: Vec<(usize, usize)>,
    peaks: HashMap<usize, Vec<f32>>,
    states: HashMap<ReadbackId, Vec<u8>>,
}

impl ChunkResults {
    /// Takes the audio of a ticket. Returns silence if it was already taken.
    pub fn audio(&mut self, ticket: AudioTicket) -> AudioBuffer {
        let (channels, frames) = self.sizes.get(ticket.0).copied().unwrap_or_default();
        self.audio.get_mut(ticket.0).and_then(Option::take).unwrap_or_else(|| AudioBuffer::new(channels, frames))
    }

    /// Returns the peak of each channel, or an empty vector for a signal without frames.
    pub fn peaks(&self, ticket: PeakTicket) -> Vec<f32> {
        self.peaks.get(&ticket.0).cloned().unwrap_or_default()
    }

    /// Returns the update of a filter's stream, for the stream to apply.
    pub fn stream(&self, ticket: &FirTicket) -> Result<FirAfter> {
        ticket.after(|ticket| self.states.get(&ticket).map(Vec::as_slice))
    }

    /// Returns the last frames of each channel that entered a delay: as many as the delay holds, or all if there are
    /// fewer.
    pub fn delayed(&self, ticket: &DelayTicket) -> Vec<Vec<f32>> {
        let floats = |ticket| -> Vec<f32> {
            self.states.get(ticket).map(|bytes| bytemuck::pod_collect_to_vec(bytes)).unwrap_or_default()
        };
        ticket.0.iter().map(|tickets| tickets.iter().flat_map(floats).collect()).collect()
    }

    /// Updates `state` to the end of the chunk.
    pub fn state(&self, ticket: &StateTicket, state: &mut CascadeState) {
        for (readback, bytes) in &self.states {
            ticket.take_up(*readback, bytes, state);
        }
    }
}
