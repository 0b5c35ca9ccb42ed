//! Runs a chain over a stream, chunk by chunk.
//!
//! The result does not depend on the chunk sizes. Latency is compensated: the output is as long as the input and
//! aligned with it. State is kept by node ([`RenderState`]), so that it survives a change of device and edits of other
//! nodes.

mod carried;
mod cpu;
mod delay;
mod gpu;
mod state;
mod steps;

pub use state::{NodeState, RenderState, Slot};

use std::fmt::Write as _;

use super::catalogue::Catalogue;
use super::graph::{Chain, NodeId};
use super::measured::MeasuredMap;
use super::placement::choose;
use super::plan::{Op, Plan};
use crate::METER_FRAMES;
use audio::{AudioBuffer, AudioFormat};
use base::error::{Error, Result};
use base::progress::Progress;
use carried::OpState;
use dsp::device::Placement;
use dsp::device::{DeviceId, DeviceReport, Fallback, Recovery};
use dsp::gpu::Signal;
use dsp::kernels::signal::peak::peak;
use gpu::GpuRun;

/// Frames of silence fed at a time while flushing the end of a stream.
const FLUSH_FRAMES: usize = 1 << 16;

/// Samples in a chunk on the CPU, over all channels.
const CPU_SAMPLES: usize = 1 << 17;

/// A chain running over a stream.
#[derive(Debug)]
pub struct Renderer {
    plan: Plan,
    carried: Vec<OpState>,
    registers: Vec<AudioBuffer>,
    consumed: u64,
    produced: u64,
    to_trim: u64,
    seconds: RenderSeconds,
    non_numbers: u64,
    fallback: Fallback,
    /// The GPU it runs on; `None` on the CPU.
    gpu: Option<GpuRun>,
    progress: Option<Progress>,
    /// The initial state.
    initial: Vec<NodeState>,
    /// The input frame at which the last rendered block, or piece of a block, began.
    rendered_from: u64,
}

/// The gain reduction of a node in the last rendered block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reduced<'a> {
    /// The node.
    pub node: NodeId,
    /// The output frame that corresponds to the start of the first piece.
    pub frame: i64,
    /// Output frames per piece; the last may have fewer.
    pub frames_per_piece: f64,
    /// The maximum gain reduction within each piece in dB, 0 or more.
    pub pieces_db: &'a [f32],
}

/// Wall time spent in each part of rendering, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs, reason = "each is its part")]
pub struct RenderSeconds {
    pub upload: f64,
    pub kernels: f64,
    pub readback: f64,
}

/// The outcome of rendering a piece.
enum PieceOutcome {
    /// The piece is rendered.
    Rendered,
    /// The device failed, and the piece and all states are unchanged. The next attempt is smaller, on the reopened
    /// device, or on the CPU.
    Retry,
}

impl Renderer {
    /// Creates a renderer for streams of the format `input`. `measured` has what the chain needs to know of the whole
    /// signal, from [`super::measure_whole`].
    ///
    /// # Errors
    /// [`Error::Internal`] if something was not measured: the effect would do nothing.
    pub fn new(chain: &Chain, input: AudioFormat, placement: &Placement, measured: &MeasuredMap) -> Result<Self> {
        Self::with_catalogue(chain, input, placement, measured, crate::find)
    }

    /// Creates a renderer with the caller's effects.
    pub fn with_catalogue(
        chain: &Chain,
        input: AudioFormat,
        placement: &Placement,
        measured: &MeasuredMap,
        catalogue: Catalogue,
    ) -> Result<Self> {
        let plan = Plan::with_catalogue(chain, input, measured, catalogue)?;
        if let Some(need) = plan.needs.iter().find(|need| !measured.answers(need)) {
            return Err(Error::Internal(format!("{:?} was not measured before rendering", need.what)));
        }
        Self::of_plan(plan, placement)
    }

    /// Creates a renderer for a preview, or for a look at the plan. It leaves out what is not measured yet, such as the
    /// gain of a normaliser.
    pub fn provisional(
        chain: &Chain,
        input: AudioFormat,
        placement: &Placement,
        measured: &MeasuredMap,
        catalogue: Catalogue,
    ) -> Result<Self> {
        Self::of_plan(Plan::with_catalogue(chain, input, measured, catalogue)?, placement)
    }

    fn of_plan(plan: Plan, placement: &Placement) -> Result<Self> {
        let fallback = choose(placement, &plan);
        let carried = plan.ops.iter().map(OpState::new).collect();
        let registers = vec![AudioBuffer::default(); plan.registers];
        let to_trim = plan.latency_frames;
        let mut renderer = Self {
            plan,
            carried,
            registers,
            consumed: 0,
            produced: 0,
            to_trim,
            seconds: RenderSeconds::default(),
            non_numbers: 0,
            fallback,
            gpu: None,
            progress: None,
            initial: Vec::new(),
            rendered_from: 0,
        };
        renderer.open_gpu(placement)?;
        renderer.initial = renderer.state().nodes;
        Ok(renderer)
    }

    /// Returns the plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns the output format.
    pub fn output_format(&self) -> AudioFormat {
        self.plan.output
    }

    /// Returns the latency of the chain in frames. The renderer compensates it.
    pub fn latency_frames(&self) -> u64 {
        self.plan.latency_frames
    }

    /// Returns the number of input frames consumed so far.
    pub fn consumed(&self) -> u64 {
        self.consumed
    }

    /// Returns the next output frame.
    pub fn produced(&self) -> u64 {
        self.produced
    }

    /// Positions a chain that keeps time and has just adopted a state at the input frame `consumed`.
    pub(super) fn start_from(&mut self, consumed: u64) {
        self.consumed = consumed;
        self.produced = consumed.saturating_sub(self.plan.latency_frames);
        self.to_trim = self.plan.latency_frames.saturating_sub(consumed);
    }

    /// Returns the time spent so far.
    pub fn seconds(&self) -> RenderSeconds {
        self.seconds
    }

    /// Returns where it ran so far, and why.
    pub fn report(&self) -> DeviceReport {
        let mut report = self.fallback.choice().report.clone();
        if let Some(rate) = self.gpu.as_ref().and_then(GpuRun::slow_readback_bytes_s) {
            let _ =
                write!(report.reason, "; results are read slowly, {:.0} MB/s, as its memory has no cache", rate / 1e6);
        }
        report
    }

    /// Returns the preferred chunk length in frames for throughput: large enough that overheads are small, and on the
    /// CPU small enough that a chunk stays in the caches.
    pub fn preferred_frames(&self) -> usize {
        match self.gpu {
            Some(_) => self.max_frames(),
            None => (CPU_SAMPLES / self.plan.input.channels.max(1)).clamp(1 << 12, 1 << 16),
        }
    }

    /// Returns the maximum number of frames of a chunk on the GPU.
    fn max_frames(&self) -> usize {
        self.fallback.max_frames()
    }

    /// Makes a GPU ready to run the chain, which compiles its shaders; does nothing on the CPU. The renderer must not be
    /// used afterwards: it has rendered silence.
    pub fn prepare(&mut self) -> Result<()> {
        // The last and the full chunk of a stream may take other kernels.
        for frames in [64, self.max_frames()] {
            if self.gpu.is_some() {
                self.process(&mut AudioBuffer::new(self.plan.input.channels, frames))?;
            }
        }
        Ok(())
    }

    /// Lets the cancellation of `progress` stop a chunk on a GPU midway. Without it, chunks run to completion.
    pub fn watch(&mut self, progress: &Progress) {
        self.progress = Some(progress.clone());
    }

    /// Returns the gain reduction of nodes in the last rendered block, with the output frames it belongs to. If a GPU
    /// rendered the block in pieces, only the last piece is reported.
    pub fn reductions(&self) -> impl Iterator<Item = Reduced<'_>> {
        let runs = |index: usize| self.plan.schedule.runs(index, self.rendered_from);
        let running = self.plan.ops.iter().enumerate().filter(move |(index, _)| runs(*index));
        running.filter_map(move |(_, op)| {
            let Op::Process { node, place, latency_frames, process, .. } = op else { return None };
            let pieces_db = Some(process.reductions_db()).filter(|pieces| !pieces.is_empty())?;
            let scale = self.plan.frames_ratio / place.ratio;
            let left_out = (self.plan.skipped_frames - place.skipped) * place.ratio;
            let arrived = place.frame(self.rendered_from) + place.origin as i64;
            let frame = (arrived - *latency_frames as i64) as f64 - left_out;
            let frames_per_piece = METER_FRAMES as f64 * scale;
            Some(Reduced { node: *node, frame: (frame * scale).round() as i64, frames_per_piece, pieces_db })
        })
    }

    /// Returns the number of input samples so far that were `NaN` or infinite. They are replaced by silence, because a
    /// single one would silence a recursion permanently.
    pub fn non_numbers(&self) -> u64 {
        self.non_numbers
    }

    /// Renders a block in place: consumes its frames as the next of the stream and replaces them by the output. At the
    /// beginning of a stream, the output of a chain with latency is shorter than the input and may be empty.
    pub fn process(&mut self, block: &mut AudioBuffer) -> Result<()> {
        if block.channels() != self.plan.input.channels {
            return Err(Error::invalid(
                "channels of a block",
                block.channels().to_string(),
                self.plan.input.channels.to_string(),
            ));
        }
        let frames = block.frames() as u64;
        if frames == 0 {
            block.resize(self.plan.output.channels, 0);
            return Ok(());
        }
        if !self.plan.is_identity() {
            self.non_numbers += silence_non_numbers(block);
            self.render_scheduled(block)?;
        }
        self.consumed += frames;
        let trimmed = self.to_trim.min(block.frames() as u64);
        if trimmed > 0 {
            block.drop_front(trimmed as usize);
            self.to_trim -= trimmed;
        }
        self.produced += block.frames() as u64;
        Ok(())
    }

    /// Renders one block in pieces that the same operations render throughout.
    fn render_scheduled(&mut self, block: &mut AudioBuffer) -> Result<()> {
        let frames = block.frames();
        let mut rendered = AudioBuffer::new(self.plan.output.channels, 0);
        let mut done = 0;
        while done < frames {
            let at = self.consumed + done as u64;
            carried::begin(&mut self.plan, &mut self.carried, &self.initial, at)?;
            let even = self.plan.schedule.even_frames(at, frames - done);
            if even == frames {
                return self.render(block, at);
            }
            let mut piece = AudioBuffer::new(block.channels(), 0);
            piece.extend_from(block, done..done + even);
            self.render(&mut piece, at)?;
            rendered.extend_from(&piece, 0..piece.frames());
            done += even;
        }
        *block = rendered;
        Ok(())
    }

    /// Renders one block that begins with the frame `from` of the input, on the GPU if there is one.
    fn render(&mut self, block: &mut AudioBuffer, from: u64) -> Result<()> {
        self.rendered_from = from;
        if self.gpu.is_none() {
            return self.render_on_cpu(block);
        }
        let frames = block.frames();
        let mut rendered: Option<AudioBuffer> = None;
        let mut at = 0;
        while at < frames {
            let most = self.max_frames().min(Signal::max_frames(block.channels())).max(1);
            let end = if self.gpu.is_some() { frames.min(at + most) } else { frames };
            let mut piece = AudioBuffer::new(block.channels(), 0);
            if (at, end) == (0, frames) {
                std::mem::swap(&mut piece, block);
            } else {
                piece.extend_from(block, at..end);
            }
            self.rendered_from = from + at as u64;
            match self.render_piece(&mut piece) {
                Ok(PieceOutcome::Rendered) => at = end,
                Ok(PieceOutcome::Retry) => {
                    if (at, end) == (0, frames) {
                        std::mem::swap(&mut piece, block);
                    }
                    continue;
                }
                Err(error) => return Err(error),
            }
            match &mut rendered {
                None => rendered = Some(piece),
                Some(rendered) => rendered.extend_from(&piece, 0..piece.frames()),
            }
        }
        *block = rendered.unwrap_or_default();
        Ok(())
    }

    /// Renders a piece on the current device.
    fn render_piece(&mut self, piece: &mut AudioBuffer) -> Result<PieceOutcome> {
        // Operations on the host work in place, so the piece and its state must be kept for another try.
        let before = self.gpu.as_ref().is_some_and(GpuRun::uses_host).then(|| self.state());
        let Some(gpu) = &mut self.gpu else { return self.render_on_cpu(piece).map(|()| PieceOutcome::Rendered) };
        if before.is_some() {
            self.registers[0].clone_from(piece);
        } else {
            std::mem::swap(&mut self.registers[0], piece);
        }
        let (plan, carried, at) = (&mut self.plan, &mut self.carried, self.rendered_from);
        let run = gpu.run(plan, carried, &mut self.registers, at, &mut self.seconds, self.progress.as_ref());
        let Err(mut error) = run else {
            std::mem::swap(&mut self.registers[self.plan.output_register], piece);
            return Ok(PieceOutcome::Rendered);
        };
        match before {
            Some(before) => {
                carried::adopt(&mut self.plan, &mut self.carried, &before, None);
            }
            None => std::mem::swap(&mut self.registers[0], piece),
        }
        loop {
            match self.fallback.failed(&error) {
                None => return Err(error),
                Some(Recovery::Smaller(_)) => return Ok(PieceOutcome::Retry),
                Some(Recovery::Cpu) => {
                    self.gpu = None;
                    return Ok(PieceOutcome::Retry);
                }
                Some(Recovery::Rebuild) => match self.gpu.as_ref().map(GpuRun::rebuild) {
                    Some(Err(worse)) => error = worse,
                    _ => return Ok(PieceOutcome::Retry),
                },
            }
        }
    }

    fn render_on_cpu(&mut self, block: &mut AudioBuffer) -> Result<()> {
        let started = std::time::Instant::now();
        std::mem::swap(&mut self.registers[0], block);
        cpu::run(&mut self.plan, &mut self.carried, &mut self.registers, self.rendered_from)?;
        std::mem::swap(&mut self.registers[self.plan.output_register], block);
        self.seconds.kernels += started.elapsed().as_secs_f64();
        Ok(())
    }

    /// Opens the chosen GPU, if one was chosen. If it cannot be opened, the job begins on the CPU.
    fn open_gpu(&mut self, placement: &Placement) -> Result<()> {
        let DeviceId::Gpu(index) = self.fallback.choice().device else { return Ok(()) };
        match placement.devices.batcher(index) {
            Ok(batcher) => self.gpu = Some(GpuRun::new(batcher, &self.plan, &self.carried)?),
            Err(error) => {
                if self.fallback.failed(&error).is_none() {
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Ends the stream. Returns the remaining output, so that the output is as long as the input, plus the declared
    /// tails if `tail` is set.
    pub fn finish(&mut self, tail: bool) -> Result<AudioBuffer> {
        let due = self.plan.frames_out(self.consumed) + if tail { self.plan.tail_frames } else { 0 };
        let mut rest = AudioBuffer::new(self.plan.output.channels, 0);
        let mut block = AudioBuffer::default();
        let enough = (due + self.plan.latency_frames) as f64 / self.plan.frames_ratio;
        let mut fed = 0u64;
        while self.produced < due {
            if fed as f64 > enough + 4.0 * FLUSH_FRAMES as f64 {
                return Err(Error::Internal(format!("a chain gave {} frames of {due}", self.produced)));
            }
            let wanted = ((due - self.produced + self.to_trim) as f64 / self.plan.frames_ratio).ceil();
            let frames = (wanted as usize).clamp(1, FLUSH_FRAMES);
            block.clear();
            block.resize(self.plan.input.channels, frames);
            self.process(&mut block)?;
            fed += frames as u64;
            let surplus = self.produced.saturating_sub(due) as usize;
            rest.extend_from(&block, 0..block.frames() - surplus);
            self.produced -= surplus as u64;
        }
        self.consumed -= fed;
        Ok(rest)
    }

    /// Returns all state carried to the next chunk.
    pub fn state(&self) -> RenderState {
        let nodes = carried::states(&self.plan.ops, &self.carried);
        RenderState { consumed: self.consumed, produced: self.produced, to_trim: self.to_trim, nodes }
    }

    /// Restarts at `frame` of the input, with silence before it. The next output frame is the one at the same time; for
    /// a chain that changes time (see [`Plan::keeps_time`]), to within one frame. Unless `frame` is 0, it must lie
    /// after the frames that the chain skips at its beginning plus its latency.
    pub fn reset(&mut self, frame: u64) -> Result<()> {
        let initial = RenderState {
            consumed: frame,
            produced: self.plan.frame_out(frame),
            to_trim: self.plan.latency_frames,
            nodes: self.initial.clone(),
        };
        self.restore(&initial)?;
        if frame > 0 {
            carried::seek(&mut self.plan.ops, frame);
        }
        Ok(())
    }

    /// Restores a state that [`Renderer::state`] returned for this chain, on any device.
    pub fn restore(&mut self, state: &RenderState) -> Result<()> {
        if !self.adopt_state(state) {
            return Err(Error::Internal("a state does not fit the chain it is restored to".into()));
        }
        self.consumed = state.consumed;
        self.produced = state.produced;
        self.to_trim = state.to_trim;
        Ok(())
    }

    /// Adopts, node by node, the fitting parts of a state from another version of the chain. Nodes of the same identity
    /// and effect continue where they were (a recursion also across a change of its cutoff); others start from silence.
    /// Returns whether every node with state found it.
    pub fn adopt_state(&mut self, state: &RenderState) -> bool {
        carried::adopt(&mut self.plan, &mut self.carried, state, Some(state.consumed))
    }
}

/// Replaces samples that are `NaN` or infinite by 0 and returns their number.
fn silence_non_numbers(block: &mut AudioBuffer) -> u64 {
    let mut count = 0;
    for channel in block.iter_mut() {
        if !peak(channel).is_finite() {
            for sample in channel.iter_mut().filter(|sample| !sample.is_finite()) {
                *sample = 0.0;
                count += 1;
            }
        }
    }
    count
}
