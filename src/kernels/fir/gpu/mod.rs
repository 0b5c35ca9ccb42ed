//! Filters with finite responses on a GPU.
//!
//! Up to 64 taps are summed directly (`shaders/fir_direct.wgsl`). Up to about 2500 taps, the forward and inverse
//! transforms run within a workgroup (`shaders/fir.wgsl`). Longer responses need transforms in two steps through device
//! memory, and the longest are cut into parts (`shaders/fir_long.wgsl`).
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

use super::{FirPlan, FirStream, Route};
use crate::audio::AudioBuffer;
use crate::error::{Error, Result};
use crate::gpu::{Constant, ReadbackId, Recording, Signal};
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
    Asked(Vec<ReadbackId>),
}

impl GpuFir {
    /// Lowers a plan.
    ///
    /// # Errors
    /// Same as [`Layout::new`].
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
                (Vec::new(), constant(&reversed.collect::<Vec<f32>>()))
            }
            Form::Transforms(grid) => {
                let (mut spectra, transform) = (Vec::new(), grid.transform());
                filters.for_each(|filter| grid.response(filter, &transform, &mut spectra));
                (grid.tables(), constant(&spectra))
            }
        };
        Ok(Self { layout, routes: constant(&routes), responses, tables: constant(&tables) })
    }

    /// Returns the layout, which gives the cost.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Records the filtering of `input`, the next frames of the stream. The stream does not change: after the run,
    /// [`FirStream::take_up`] applies what [`FirTicket::after`] returns. If `known` holds the contents of `input`, they
    /// are not read back.
    ///
    /// # Errors
    /// [`Error::Limit`] beyond [`Layout::max_frames`], [`Error::Internal`] if the channels or the stream's shape are
    /// not those of the plan.
    pub fn record<'a>(
        &'a self,
        recording: &mut Recording<'a>,
        stream: &'a FirStream,
        input: Signal,
        known: Option<&AudioBuffer>,
    ) -> Result<(Signal, FirTicket)> {
        let channels = self.layout.channels;
        if input.channels != channels || stream.plan().shape() != self.layout.shape {
            return Err(Error::Internal("a filter was given other channels than it was planned for".into()));
        }
        let most = self.layout.max_frames();
        if input.frames > most {
            let (got, limit) = (format!("{} frames", input.frames), format!("{most} frames"));
            return Err(Error::Limit { what: "a chunk for a filter on a GPU".into(), got, limit });
        }
        let output = Signal::new(recording, input.channels, input.frames)?;
        let tail = self.tail(recording, stream, input, known);
        let mut ticket = FirTicket { frames: input.frames, tail, ready: None };
        if input.frames == 0 {
            return Ok((output, ticket));
        }
        let held = stream.lines().first().map_or(0, Vec::len);
        let carried = recording.buffer((channels * held * 4) as u64);
        for (channel, line) in stream.lines().iter().enumerate() {
            let bytes: &'a [u8] = bytemuck::cast_slice(line);
            recording.upload(carried.part((channel * held * 4) as u64, bytes.len() as u64), bytes);
        }
        let routes = recording.constant(&self.routes);
        let responses = recording.constant(&self.responses);
        let views = Views { carried, chunk: input, routes, responses, output, held };
        match &self.layout.form {
            Form::Direct { taps } => self.direct(recording, &views, *taps),
            Form::Transforms(grid) => {
                let phase = stream.phase();
                for (channel, ready) in stream.ready().iter().enumerate() {
                    let first = &ready[phase..grid.unit.min(phase + input.frames)];
                    let bytes: &'a [u8] = bytemuck::cast_slice(first);
                    recording.upload(output.channel(channel), bytes);
                }
                let units = (phase + input.frames) / grid.unit;
                if units > 0 {
                    let ready = recording.buffer((channels * grid.unit * 4) as u64);
                    let tables = recording.constant(&self.tables);
                    if grid.is_short() {
                        self.short(recording, &views, grid, [phase, units], [tables, ready]);
                    } else {
                        self.long(recording, &views, grid, [phase, units], [tables, ready]);
                    }
                    ticket.ready = Some(recording.readback(ready));
                }
            }
        }
        Ok((output, ticket))
    }

    /// Returns the last input frames that the stream carries on, or records their readback.
    fn tail(
        &self,
        recording: &mut Recording<'_>,
        stream: &FirStream,
        input: Signal,
        known: Option<&AudioBuffer>,
    ) -> Tail {
        let count = stream.held_after(input.frames).min(input.frames);
        let first = input.frames - count;
        match known {
            Some(audio) => Tail::Known(audio.iter().map(|channel| channel[first..].to_vec()).collect()),
            None if count == 0 => Tail::Known(vec![Vec::new(); input.channels]),
            None => {
                let bytes = |channel| input.channel(channel).part((first * 4) as u64, (count * 4) as u64);
                Tail::Asked((0..input.channels).map(|channel| recording.readback(bytes(channel))).collect())
            }
        }
    }
}

impl FirTicket {
    /// Returns the readbacks that hold the state.
    pub fn tickets(&self) -> impl Iterator<Item = ReadbackId> {
        let tail = if let Tail::Asked(tickets) = &self.tail { tickets.as_slice() } else { &[] };
        tail.iter().copied().chain(self.ready)
    }

    /// Returns the state that the stream carries on. `bytes` returns the contents of a readback.
    ///
    /// # Errors
    /// [`Error::GpuUnavailable`] if the output is not finite, [`Error::Internal`] if a readback is missing.
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
            Tail::Asked(tickets) => tickets.iter().copied().map(floats).collect::<Result<_>>()?,
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

fn constant<T: bytemuck::NoUninit>(values: &[T]) -> Constant {
    Constant::new(bytemuck::cast_slice(values).to_vec())
}
