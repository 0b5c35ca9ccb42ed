//! Filters with finite responses on a GPU.
//!
//! Up to 64 taps the sum itself (`shaders/fir_direct.wgsl`); up to some 2500 there and back within a workgroup
//! (`shaders/fir.wgsl`); beyond that in two steps through memory, long responses in parts (`shaders/fir_long.wgsl`). A
//! real stretch of `2 M` frames travels in one transform of `M` complex points, its later half as imaginary part:
//! twisted by `exp(pi i n / 2 M)` its products are those of real signals that wrap around with the opposite sign, and
//! what wraps around is thrown away. Nothing has to be packed or taken apart, no two channels and no two stretches
//! meet.
//!
//! **Floor.** A sample is read and written: 8 bytes. For `K` taps within a workgroup a stretch of `N = 4096` frames
//! gives `S`, at the most `N - K + 1`: `4 (S + K - 1) / S + 4` bytes a sample and `(5 N log2(N / 2) + 16 N) / S`
//! operations. For 1025 taps `S` is 2560, a quarter of the grid's unit: 9.6 bytes and 114 operations, so that
//! arithmetic is the tighter roof of a card with less than 12 operations a byte, and memory that of others. Through
//! memory every point goes up and down twice each way, `12 M` floats beside the products, for `M` points that make `S`
//! frames: 48 to 110 bytes a sample; of a response in `P` parts, `8 P` operations a point more and, where the cache
//! holds a chunk's spectra, no bytes. What is carried goes up with each chunk, and down what of it is new: the host's
//! stream always has all, so that any device can go on.
//!
//! The grid is that of the CPU, and so is the delay of a unit: streams go from one to the other wherever a chunk ends.
//! Transforms see nothing but what they need, so that bits do not depend on how a stream is cut.

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

/// A filter as the shaders want it: made once for a plan, and kept on the devices that it runs on.
#[derive(Debug)]
pub struct GpuFir {
    layout: Layout,
    routes: Constant,
    responses: Constant,
    /// Roots and twists, where there are transforms.
    tables: Constant,
}

/// Where what a stream carries on will be found.
#[derive(Clone, Debug)]
pub struct FirTicket {
    frames: usize,
    tail: Tail,
    /// Of all channels.
    ready: Option<ReadbackId>,
}

/// The last frames of each channel that went in.
#[derive(Clone, Debug)]
enum Tail {
    Known(Vec<Vec<f32>>),
    Asked(Vec<ReadbackId>),
}

impl GpuFir {
    /// Lowers a plan.
    ///
    /// # Errors
    /// As [`Layout::new`].
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
                let reversed: Vec<f32> = filters.flat_map(|filter| (0..*taps).rev().map(|n| tap(filter, n))).collect();
                (Vec::new(), constant(&reversed))
            }
            Form::Transforms(grid) => {
                let (mut spectra, transform) = (Vec::new(), grid.transform());
                filters.for_each(|filter| grid.response(filter, &transform, &mut spectra));
                (grid.tables(), constant(&spectra))
            }
        };
        Ok(Self { layout, routes: constant(&routes), responses, tables: constant(&tables) })
    }

    /// How it runs, and what that costs.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Records the filtering of `input`, the next frames of the stream. The stream stays as it is: when the recording
    /// has run, it takes up what the ticket brings. With `known`, what stands in `input` is not asked for again.
    ///
    /// # Errors
    /// [`Error::Limit`] beyond [`GpuFir::max_frames`]; [`Error::Internal`] for another plan's stream.
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

    /// The last frames that went in, as far as they are carried on.
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
    /// The readbacks that make it up.
    pub fn tickets(&self) -> impl Iterator<Item = ReadbackId> {
        let tail = if let Tail::Asked(tickets) = &self.tail { tickets.as_slice() } else { &[] };
        tail.iter().copied().chain(self.ready)
    }

    /// What the stream carries on. `bytes` gives what a readback brought.
    ///
    /// # Errors
    /// [`Error::GpuUnavailable`] when something came back that is no number.
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

/// What a stream carries on from frames that were filtered on a GPU: [`FirStream::take_up`].
#[derive(Clone, Debug)]
pub struct FirAfter {
    /// How many frames.
    pub(super) frames: usize,
    /// The last of each channel that went in, as far as they are carried on.
    pub(super) tail: Vec<Vec<f32>>,
    /// Channel after channel, what came of the last unit, if one was completed.
    pub(super) ready: Option<Vec<f32>>,
}

fn constant<T: bytemuck::NoUninit>(values: &[T]) -> Constant {
    Constant::new(bytemuck::cast_slice(values).to_vec())
}
