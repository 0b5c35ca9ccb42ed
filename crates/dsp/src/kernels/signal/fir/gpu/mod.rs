//! Filters with finite responses on a GPU.
//!
//! Up to 64 taps are summed directly (`shaders/signal/fir_direct.wgsl`). Up to about 2500 taps, the forward and inverse
//! transforms run within a workgroup (`shaders/signal/fir.wgsl`). Longer responses need transforms in two steps through device
//! memory, and the longest are cut into parts (`shaders/signal/fir_long.wgsl`).
//!
//! A real stretch of `2 M` frames is one transform of `M` complex points, with its second half as imaginary parts. If
//! the points are multiplied by the twist `exp(pi i n / 2 M)`, the product of two spectra is the convolution of the
//! real signals, wrapped around with the opposite sign. The wrapped frames are discarded. Spectra need no packing or
//! unpacking, and neither channels nor stretches mix.
//!
//! **Cost.** Reading and writing a sample takes 8 bytes. Within a workgroup, a transform of a stretch of `N = 4096`
//! frames yields `S` frames for `K` taps, at most `N - K + 1`, with `4 (S + K - 1) / S + 4` bytes and
//! `(5 N log2(N / 2) + 16 N) / S` operations per sample. For 1025 taps, `S` is 2560, a quarter of the grid's unit: 9.6
//! bytes and 114 operations. A card with fewer than 12 operations per byte is limited by arithmetic, others by memory.
//! Through device memory, each point is written and read twice in each direction. Without the products, this is `12 M`
//! floats for `M` points that yield `S` frames: 48 to 110 bytes per sample. A response in `P` parts adds `8 P`
//! operations per point, and no bytes if the cache holds a chunk's spectra. Each chunk uploads the carried state and
//! reads back what has changed, so the stream on the host is always complete and any device can continue it.
//!
//! The grid and the latency are those of the CPU, so a stream can change devices at the end of any chunk. Transforms
//! read only the frames that they need, so the bits do not depend on where the stream is cut.

mod dispatches;
mod grid;
mod layout;

pub use layout::Layout;

use std::ops::Range;

use super::{FirPlan, FirStream, Route};
use crate::gpu::{Constant, ReadbackId, Recording, Signal, View};
use base::error::{Error, Result};
use base::sound::AudioBuffer;
use dispatches::Views;
use layout::Form;

/// A filter in the form that the shaders use. It is built once per plan and stays on the devices that run it.
#[derive(Debug)]
pub struct GpuFir {
    layout: Layout,
    routes: Constant,
    responses: Constant,
    /// Roots and twists; empty for the direct sum.
    tables: Constant,
}

/// The state of a stream between the pieces of one recording: first the caller's, then the device's.
#[derive(Clone, Debug)]
pub struct FirFlow<'a> {
    plan: &'a GpuFir,
    stream: &'a FirStream,
    /// The frames that each channel carries into the next piece; `None` before the first piece.
    carried: Option<Carried>,
    /// The inputs of the pieces so far.
    inputs: Vec<Signal>,
    /// The frames of all pieces so far.
    frames: usize,
    /// The output of the last unit that a piece finished; `None` as long as the stream's is current.
    ready: Option<View>,
}

/// Frames carried into a piece, channel after channel.
#[derive(Clone, Copy, Debug)]
struct Carried {
    view: View,
    held: usize,
}

impl Carried {
    /// Returns the frames of a channel from `first` on.
    fn channel(&self, channel: usize, first: usize) -> View {
        self.view.part(((channel * self.held + first) * 4) as u64, ((self.held - first) * 4) as u64)
    }
}

/// A handle to the state that a stream carries on after a recording.
#[derive(Clone, Debug)]
pub struct FirTicket {
    frames: usize,
    tail: Tail,
    /// The output of the last finished unit of all channels; `None` if the recording finishes no unit.
    ready: Option<ReadbackId>,
}

/// The last input frames of each channel: known to the host, or read back.
#[derive(Clone, Debug)]
enum Tail {
    Known(Vec<Vec<f32>>),
    /// The readbacks of each channel, oldest first.
    Asked(Vec<Vec<ReadbackId>>),
}

impl GpuFir {
    /// Lowers a plan.
    pub fn new(plan: &FirPlan) -> Result<Self> {
        let layout = Layout::new(plan)?;
        let filler = Route { input: 0, filter: plan.filters.len() };
        let routes: Vec<[u32; 2]> = plan
            .routes
            .iter()
            .flat_map(|routes| (0..layout.routes_each).map(|at| routes.get(at).copied().unwrap_or(filler)))
            .map(|route| [route.input as u32, route.filter as u32])
            .collect();
        let silent = Vec::new();
        let filters = plan.filters.iter().chain(layout.uneven.then_some(&silent));
        let (tables, responses) = match &layout.form {
            Form::Direct { taps } => {
                let tap = |filter: &Vec<f64>, n: usize| filter.get(n).copied().unwrap_or(0.0) as f32;
                let padding = dispatches::padded(*taps) - taps;
                let reversed = filters.flat_map(|filter| {
                    (0..*taps).rev().map(|n| tap(filter, n)).chain(std::iter::repeat_n(0.0, padding))
                });
                (Vec::new(), Constant::of(&reversed.collect::<Vec<f32>>()))
            }
            Form::Transforms(grid) => {
                let (mut spectra, transform) = (Vec::new(), grid.transform());
                filters.for_each(|filter| grid.response(filter, &transform, &mut spectra));
                (grid.tables(), Constant::of(&spectra))
            }
        };
        Ok(Self { layout, routes: Constant::of(&routes), responses, tables: Constant::of(&tables) })
    }

    /// Returns the layout, which gives the cost.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Begins filtering the next frames of a stream, which does not change: after the run, [`FirStream::take_up`] applies
    /// what [`FirTicket::after`] returns.
    pub fn begin<'a>(&'a self, stream: &'a FirStream) -> FirFlow<'a> {
        FirFlow { plan: self, stream, carried: None, inputs: Vec::new(), frames: 0, ready: None }
    }
}

impl<'a> FirFlow<'a> {
    /// Records the filtering of the next frames.
    ///
    /// # Errors
    /// [`Error::Limit`] beyond [`Layout::max_frames`].
    pub fn record(&mut self, recording: &mut Recording<'a>, input: Signal) -> Result<Signal> {
        let layout = &self.plan.layout;
        let channels = layout.channels;
        if input.channels != channels || self.stream.plan().shape() != layout.shape {
            return Err(Error::Internal("a filter was given other channels than it was planned for".into()));
        }
        let most = layout.max_frames();
        if input.frames > most {
            let (got, limit) = (format!("{} frames", input.frames), format!("{most} frames"));
            return Err(Error::Limit { what: "a chunk for a filter on a GPU".into(), got, limit });
        }
        let output = Signal::new(recording, input.channels, input.frames)?;
        if input.frames == 0 {
            return Ok(output);
        }
        let carried = self.carry(recording);
        let phase = self.stream.phase_after(self.frames);
        let routes = recording.constant(&self.plan.routes);
        let responses = recording.constant(&self.plan.responses);
        let Carried { view, held } = carried;
        let views = Views { carried: view, chunk: input, routes, responses, output, held };
        match &layout.form {
            Form::Direct { taps } => self.plan.direct(recording, &views, *taps),
            Form::Transforms(grid) => {
                self.put_ready(recording, output, phase..grid.unit.min(phase + input.frames));
                let units = (phase + input.frames) / grid.unit;
                if units > 0 {
                    let ready = recording.buffer((channels * grid.unit * 4) as u64);
                    let tables = recording.constant(&self.plan.tables);
                    if grid.is_short() {
                        self.plan.short(recording, &views, grid, [phase, units], [tables, ready]);
                    } else {
                        self.plan.long(recording, &views, grid, [phase, units], [tables, ready]);
                    }
                    self.ready = Some(ready);
                }
            }
        }
        self.carried = Some(carried);
        self.inputs.push(input);
        self.frames += input.frames;
        Ok(output)
    }

    /// Puts the frames that are carried into the next piece into one buffer.
    fn carry(&self, recording: &mut Recording<'a>) -> Carried {
        let held = self.stream.held_after(self.frames);
        let channels = self.plan.layout.channels;
        let to = Carried { view: recording.buffer((channels * held * 4) as u64), held };
        let (Some(before), Some(input)) = (&self.carried, self.inputs.last()) else {
            for (channel, line) in self.stream.lines().iter().enumerate() {
                let bytes: &'a [u8] = bytemuck::cast_slice(line);
                if !bytes.is_empty() {
                    recording.upload(to.channel(channel, 0), bytes);
                }
            }
            return to;
        };
        // The last `held` frames of what was carried before and the piece after it.
        let from_input = held.min(input.frames);
        let from_before = held - from_input;
        for channel in 0..channels {
            if from_before > 0 {
                let bytes = (from_before * 4) as u64;
                recording
                    .copy(before.channel(channel, before.held - from_before), to.channel(channel, 0).part(0, bytes));
            }
            if from_input > 0 {
                let first = (input.frames - from_input) as u64 * 4;
                let from = input.channel(channel).part(first, from_input as u64 * 4);
                recording.copy(from, to.channel(channel, from_before));
            }
        }
        to
    }

    /// Puts the frames `range` of the unit that is due to the beginning of `output`.
    fn put_ready(&self, recording: &mut Recording<'a>, output: Signal, range: Range<usize>) {
        let bytes = (range.len() * 4) as u64;
        for (channel, ready) in self.stream.ready().iter().enumerate() {
            let to = output.channel(channel);
            if let Some(view) = self.ready {
                let first = (channel * ready.len() + range.start) as u64 * 4;
                recording.copy(view.part(first, bytes), to.part(0, bytes));
            } else {
                let first: &'a [u8] = bytemuck::cast_slice(&ready[range.clone()]);
                recording.upload(to, first);
            }
        }
    }

    /// Records the readback of the state after the last piece. If `known` holds the contents of all pieces, they are not
    /// read back.
    pub fn end(self, recording: &mut Recording<'a>, known: Option<&AudioBuffer>) -> FirTicket {
        let count = self.stream.held_after(self.frames).min(self.frames);
        let tail = if let Some(audio) = known {
            Tail::Known(audio.iter().map(|channel| channel[self.frames - count..].to_vec()).collect())
        } else {
            let channels = 0..self.plan.layout.channels;
            Tail::Asked(channels.map(|channel| Signal::read_last(&self.inputs, recording, channel, count)).collect())
        };
        FirTicket { frames: self.frames, tail, ready: self.ready.map(|ready| recording.readback(ready)) }
    }
}

impl FirTicket {
    /// Returns the readbacks that hold the state.
    pub fn tickets(&self) -> impl Iterator<Item = ReadbackId> {
        let tail = if let Tail::Asked(tickets) = &self.tail { tickets.as_slice() } else { &[] };
        tail.iter().flatten().copied().chain(self.ready)
    }

    /// Returns the state that the stream carries on. `bytes` returns the contents of a readback.
    ///
    /// # Errors
    /// [`Error::GpuUnavailable`] if the output is not finite.
    pub fn after<'b>(&self, bytes: impl Fn(ReadbackId) -> Option<&'b [u8]>) -> Result<FirAfter> {
        let floats = |ticket: ReadbackId| -> Result<Vec<f32>> {
            let bytes = bytes(ticket).ok_or_else(|| Error::Internal("a filter's state did not come back".into()))?;
            Ok(bytemuck::pod_collect_to_vec(bytes))
        };
        let ready = self.ready.map(floats).transpose()?;
        if ready.iter().flatten().any(|sample| !sample.is_finite()) {
            return Err(Error::GpuUnavailable("the signal left the range of 32-bit floats".into()));
        }
        let tail = match &self.tail {
            Tail::Known(tail) => tail.clone(),
            Tail::Asked(channels) => {
                let joined = |tickets: &Vec<ReadbackId>| {
                    Ok(tickets.iter().copied().map(floats).collect::<Result<Vec<_>>>()?.concat())
                };
                channels.iter().map(joined).collect::<Result<_>>()?
            }
        };
        Ok(FirAfter { frames: self.frames, tail, ready })
    }
}

/// The state that a stream carries on after a GPU has filtered frames. [`FirStream::take_up`] applies it.
#[derive(Clone, Debug)]
pub struct FirAfter {
    /// The number of filtered frames.
    pub(super) frames: usize,
    /// The last input frames of each channel that are carried on.
    pub(super) tail: Vec<Vec<f32>>,
    /// The output of the last finished unit, channel after channel; `None` if no unit was finished.
    pub(super) ready: Option<Vec<f32>>,
}
