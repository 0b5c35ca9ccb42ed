//! The cascade on a GPU: the plan in f32 and its recording. The kernel is in `shaders/signal/iir_cascade.wgsl`.
//!
//! A pass runs up to four sections and moves 12 bytes per sample. A longer cascade takes several passes; the signal
//! stays on the device. Everything that depends only on the filter is computed here in f64: coefficients, the powers of
//! each section's transition over 16 to 2048 frames, and those of the whole pass over 1 to 128 tiles of 4096 frames.

use super::lowered::Lowered;
use super::{Cascade, CascadeState, Matrix};
use crate::gpu::shaders::iir_cascade as shader;
use crate::gpu::{ReadbackId, Recording, Signal, View};
use base::error::Result;

/// A cascade in the form that the shader uses.
#[derive(Clone, Debug)]
pub struct GpuPlan {
    passes: Vec<Pass>,
}

#[derive(Clone, Debug)]
struct Pass {
    /// The index of its first section in the cascade.
    first: usize,
    sections: Vec<Lowered>,
    plan: Box<shader::Plan>,
}

/// The state of a cascade between the pieces of one recording: first the caller's, then the device's.
#[derive(Clone, Debug)]
pub struct CascadeFlow<'a> {
    plan: &'a GpuPlan,
    state: CascadeState,
    /// For each pass, the end of the last piece on the device; empty before the first piece.
    ends: Vec<View>,
    frames: usize,
}

/// The readback of each pass, which together hold the state after a chunk.
#[derive(Clone, Debug, Default)]
pub struct StateTicket {
    passes: Vec<PassTicket>,
}

#[derive(Clone, Debug)]
struct PassTicket {
    ticket: ReadbackId,
    first: usize,
    sections: Vec<Lowered>,
    frames: usize,
}

impl GpuPlan {
    /// Lowers a planned cascade to the shader's f32.
    pub fn new(cascade: &Cascade) -> Self {
        let powers = powers(cascade);
        let most = shader::SECTIONS as usize;
        let passes = (0..cascade.len())
            .step_by(most)
            .map(|first| {
                let end = cascade.len().min(first + most);
                let sections: Vec<Lowered> = cascade.sections()[first..end].iter().map(Lowered::new).collect();
                let plan = Box::new(lower(&sections, first, &powers));
                Pass { first, sections, plan }
            })
            .collect();
        Self { passes }
    }

    /// Returns the number of passes of the signal through memory.
    pub fn passes(&self) -> usize {
        self.passes.len()
    }

    /// Begins filtering from `state`, which does not change: after the recording has run, the ticket gives the new state,
    /// so a chunk that fails can run again elsewhere.
    pub fn begin(&self, state: &CascadeState) -> CascadeFlow<'_> {
        CascadeFlow { plan: self, state: state.clone(), ends: Vec::new(), frames: 0 }
    }
}

impl<'a> CascadeFlow<'a> {
    /// Records the filtering of the next frames. All pieces but the last have an even number of frames.
    ///
    /// # Panics
    /// If another piece follows one with an odd number of frames.
    pub fn record(&mut self, recording: &mut Recording<'a>, input: Signal) -> Result<Signal> {
        if input.frames == 0 || input.channels == 0 {
            return Ok(input);
        }
        // A mirrored section negates every second frame, counted from the beginning of the piece.
        assert!(self.frames.is_multiple_of(2), "a piece after {} frames", self.frames);
        self.frames += input.frames;
        let mut signal = input;
        let before = std::mem::take(&mut self.ends);
        for (number, pass) in self.plan.passes.iter().enumerate() {
            let from = before.get(number).map_or(StartState::Host(&self.state), |end| StartState::Device(*end));
            let (output, end) = pass.record(recording, from, signal)?;
            self.ends.push(end);
            signal = output;
        }
        Ok(signal)
    }

    /// Records the readback of the state after the last piece.
    pub fn end(self, recording: &mut Recording<'a>) -> StateTicket {
        let passes = self.plan.passes.iter().zip(self.ends).map(|(pass, end)| PassTicket {
            ticket: recording.readback(end),
            first: pass.first,
            sections: pass.sections.clone(),
            frames: self.frames,
        });
        StateTicket { passes: passes.collect() }
    }
}

/// The state before a piece.
enum StartState<'a> {
    Host(&'a CascadeState),
    /// The states after the piece before, channel after channel.
    Device(View),
}

impl StateTicket {
    /// Updates `state` from a readback. Readbacks of other tickets are ignored.
    pub fn take_up(&self, ticket: ReadbackId, bytes: &[u8], state: &mut CascadeState) {
        for pass in self.passes.iter().filter(|pass| pass.ticket == ticket) {
            let values: Vec<f32> = bytemuck::pod_collect_to_vec(bytes);
            for (channel, ends) in state.channels.iter_mut().zip(values.chunks_exact(shader::STATES as usize)) {
                let ends = ends.chunks_exact(2).map(|end| [f64::from(end[0]), f64::from(end[1])]);
                for ((to, section), end) in channel[pass.first..].iter_mut().zip(&pass.sections).zip(ends) {
                    *to = section.state_from_device(end, pass.frames);
                }
            }
        }
    }

    /// Returns the readbacks that make up this state.
    pub fn tickets(&self) -> impl Iterator<Item = ReadbackId> {
        self.passes.iter().map(|pass| pass.ticket)
    }
}

impl Pass {
    fn record<'a>(
        &'a self,
        recording: &mut Recording<'a>,
        from: StartState<'_>,
        input: Signal,
    ) -> Result<(Signal, View)> {
        let output = Signal::new(recording, input.channels, input.frames)?;
        let plan = recording.buffer(size_of::<shader::Plan>() as u64);
        recording.upload(plan, bytemuck::bytes_of(&*self.plan));
        let tiles = input.frames.div_ceil(shader::TILE as usize);
        let state_bytes = u64::from(shader::STATES) * 4;
        let tile_states = input.channels as u64 * tiles as u64 * state_bytes;
        let states = recording.buffer(2 * tile_states + input.channels as u64 * state_bytes);
        let start = |channel: usize| states.part(tile_states + (channel * tiles) as u64 * state_bytes, state_bytes);
        match from {
            StartState::Host(state) => {
                for (channel, sections) in state.channels.iter().enumerate() {
                    let mut first = [0.0_f32; shader::STATES as usize];
                    let ours = self.sections.iter().zip(&sections[self.first..]);
                    let ours = ours.flat_map(|(section, &state)| section.state_to_device(state));
                    for (to, from) in first.iter_mut().zip(ours) {
                        *to = from as f32;
                    }
                    recording.upload(start(channel), bytemuck::cast_slice(&first).to_vec());
                }
            }
            StartState::Device(end) => {
                for channel in 0..input.channels {
                    recording.copy(end.part(channel as u64 * state_bytes, state_bytes), start(channel));
                }
            }
        }
        let params = shader::Params {
            first_group: 0,
            frames: input.frames as u32,
            stride: (input.stride / 4) as u32,
            tiles: tiles as u32,
            sections: self.sections.len() as u32,
            channels: input.channels as u32,
        };
        let channels = input.channels as u32;
        let work =
            |tiles: u32| u64::from(tiles) * u64::from(channels) * u64::from(shader::TILE) * self.sections.len() as u64;
        // A single tile needs no scan, because it starts from the given state.
        let inner = tiles as u32 - 1;
        let reduce = shader::Reduce { plan, input: input.view, states };
        recording.dispatch(reduce.dispatch(&params, [inner, channels, 1], work(inner)));
        if inner > 0 {
            let scan = shader::Scan { plan, states };
            recording.dispatch(scan.dispatch(&params, [channels, 1, 1], u64::from(channels) * tiles as u64));
        }
        let apply = shader::Apply { plan, input: input.view, states, output: output.view };
        recording.dispatch(apply.dispatch(&params, [tiles as u32, channels, 1], work(tiles as u32)));
        Ok((output, states.part(2 * tile_states, input.channels as u64 * state_bytes)))
    }
}

/// Returns the transition of the whole cascade over 16 * 2^j frames, j = 0..16. The transitions of a pass or of one
/// section are blocks on the diagonal, because the matrix is block-triangular.
fn powers(cascade: &Cascade) -> Vec<Matrix> {
    let mut powers = vec![cascade.transition(u64::from(shader::RUN))];
    for j in 1..2 * shader::SCAN_STEPS as usize {
        powers.push(powers[j - 1].times(&powers[j - 1]));
    }
    powers
}

fn lower(lowered: &[Lowered], first: usize, powers: &[Matrix]) -> shader::Plan {
    let mut plan: shader::Plan = bytemuck::Zeroable::zeroed();
    let (runs, tiles) = powers.split_at(shader::SCAN_STEPS as usize);
    for (k, section) in lowered.iter().enumerate() {
        let to = &mut plan.sections[k];
        section.write(to);
        for (j, power) in runs.iter().enumerate() {
            let block = Block::new(power, first + k, &lowered[k..=k]);
            to.kept[j] = u32::from(block.kept);
            // Column-major.
            to.power[j] = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(row, column)| block.rest(row, column) as f32);
        }
    }
    let most = shader::SECTIONS as usize;
    for (j, power) in tiles.iter().enumerate() {
        let block = Block::new(power, first, lowered);
        plan.tile_kept[j] = u32::from(block.kept);
        for k in 0..lowered.len() {
            for c in 0..=k {
                // Column-major.
                plan.tile_power[(j * most + k) * most + c] = [(0, 0), (1, 0), (0, 1), (1, 1)]
                    .map(|(row, column)| block.rest(2 * k + row, 2 * c + column) as f32);
            }
        }
    }
    plan
}

/// A block on the diagonal of a power, in the coordinates of the shader.
struct Block {
    matrix: Matrix,
    /// Whether the identity is stored separately: while the block is close to it, so that the difference keeps its
    /// precision in f32, and no longer once the block has decayed.
    kept: bool,
}

impl Block {
    fn new(power: &Matrix, first: usize, sections: &[Lowered]) -> Self {
        let mut matrix = Matrix::zero(2 * sections.len());
        for (i, to) in sections.iter().enumerate() {
            for (j, from) in sections[..=i].iter().enumerate() {
                let at = |row, column| power.at(2 * (first + i) + row, 2 * (first + j) + column);
                for column in 0..2 {
                    let unit = if column == 0 { [1.0, 0.0] } else { [0.0, 1.0] };
                    let [a, b] = from.state_from_device(unit, 0);
                    let image = [at(0, 0) * a + at(0, 1) * b, at(1, 0) * a + at(1, 1) * b];
                    let image = to.state_to_device(image);
                    for (row, value) in image.into_iter().enumerate() {
                        *matrix.at_mut(2 * i + row, 2 * j + column) = value;
                    }
                }
            }
        }
        let trace: f64 = (0..matrix.size()).map(|i| matrix.at(i, i)).sum();
        let kept = trace > 0.5 * matrix.size() as f64;
        Self { matrix, kept }
    }

    fn rest(&self, row: usize, column: usize) -> f64 {
        self.matrix.at(row, column) - if row == column && self.kept { 1.0 } else { 0.0 }
    }
}
