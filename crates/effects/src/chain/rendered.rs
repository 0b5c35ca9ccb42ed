//! A chain rendered over a recording, readable from any frame like a recording.
//!
//! Blocks end on an absolute grid, so that the same frames have the same bits whatever was read before. The renderer's
//! state is kept every quarter of a second, and a seek resumes from the nearest state before its target. A preview that
//! jumps far beyond the kept states does not render everything in between. It starts with a pre-roll, long enough for
//! the slowest recursion to decay to -120 dB but at most [`PREROLL_S`], plus the memory, tails and latency of the
//! effects. After a time stretch the result then sounds the same but has other phases.

use super::catalogue::Catalogue;
use super::checkpoints::Checkpoints;
use super::graph::{Chain, NodeId};
use super::measured::MeasuredMap;
use super::plan::Plan;
use super::prepass::measure_whole;
use super::reductions::Reductions;
use super::renderer::{RenderState, Renderer};
use audio::{AudioBuffer, AudioFormat, AudioReader};
use base::error::Result;
use base::progress::Progress;
use dsp::device::Placement;

/// Blocks end on multiples of this number of input frames.
const GRID_FRAMES: u64 = 2048;

/// The largest block, in frames.
const BLOCK_FRAMES: u64 = 1 << 16;

/// The longest pre-roll for recursions in a preview, in seconds.
pub const PREROLL_S: f64 = 2.0;

/// The level to which older signal decays during a pre-roll, in dB.
const PREROLL_DB: f64 = -120.0;

/// The behaviour of a seek when no state near its target is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seeking {
    /// Renders everything before the target. Reads return exactly what a read from the beginning returns.
    Exact,
    /// Starts with a pre-roll. Fast, and accurate to about -120 dB.
    Preroll,
}

/// A chain rendered over a source.
pub struct Rendered {
    source: Box<dyn AudioReader>,
    renderer: Renderer,
    placement: Placement,
    catalogue: Catalogue,
    seeking: Seeking,
    tail: bool,
    frames: u64,
    /// The frame at which the next read begins.
    position: u64,
    /// Rendered frames, starting at `ready_start`.
    ready: AudioBuffer,
    ready_start: u64,
    checkpoints: Checkpoints,
    finished: bool,
    /// Gain reductions of nodes, in a preview.
    reductions: Reductions,
}

impl std::fmt::Debug for Rendered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rendered")
            .field("position", &self.position)
            .field("frames", &self.frames)
            .field("seeking", &self.seeking)
            .finish_non_exhaustive()
    }
}

impl Rendered {
    /// Measures what `chain` needs to know of the whole source, and renders it over the source.
    pub fn measured(
        chain: &Chain,
        mut source: Box<dyn AudioReader>,
        placement: &Placement,
        seeking: Seeking,
        progress: &Progress,
    ) -> Result<Self> {
        let measured = measure_whole(chain, source.as_mut(), "", placement, progress)?;
        Self::new(chain, source, placement, &measured, seeking)
    }

    /// Renders `chain` over `source`. `measured` holds the measurements of the whole signal.
    pub fn new(
        chain: &Chain,
        source: Box<dyn AudioReader>,
        placement: &Placement,
        measured: &MeasuredMap,
        seeking: Seeking,
    ) -> Result<Self> {
        Self::with_catalogue(chain, source, placement, measured, seeking, crate::find)
    }

    /// Like [`Rendered::new`], with the caller's effects.
    pub fn with_catalogue(
        chain: &Chain,
        source: Box<dyn AudioReader>,
        placement: &Placement,
        measured: &MeasuredMap,
        seeking: Seeking,
        catalogue: Catalogue,
    ) -> Result<Self> {
        let renderer = Renderer::with_catalogue(chain, source.format(), placement, measured, catalogue)?;
        Self::of_renderer(renderer, source, placement, seeking, catalogue)
    }

    /// Renders `chain` over `source` for listening, even if the measurements of the whole signal that it needs are
    /// missing or outdated.
    pub fn provisional(
        chain: &Chain,
        source: Box<dyn AudioReader>,
        placement: &Placement,
        measured: &MeasuredMap,
        seeking: Seeking,
    ) -> Result<Self> {
        let catalogue = crate::find;
        let renderer = Renderer::provisional(chain, source.format(), placement, measured, catalogue)?;
        Self::of_renderer(renderer, source, placement, seeking, catalogue)
    }

    fn of_renderer(
        renderer: Renderer,
        mut source: Box<dyn AudioReader>,
        placement: &Placement,
        seeking: Seeking,
        catalogue: Catalogue,
    ) -> Result<Self> {
        source.seek(0)?;
        let frames = renderer.plan().frames_out(source.frames());
        let checkpoints = Checkpoints::new(renderer.state(), source.format().rate);
        Ok(Self {
            source,
            renderer,
            placement: placement.clone(),
            catalogue,
            seeking,
            tail: false,
            frames,
            position: 0,
            ready: AudioBuffer::default(),
            ready_start: 0,
            checkpoints,
            finished: false,
            reductions: Reductions::default(),
        })
    }

    /// Appends the declared tails of effects.
    #[must_use]
    pub fn with_tail(mut self) -> Self {
        self.tail = true;
        self.frames = self.frames_of(self.renderer.plan());
        self
    }

    /// Returns the renderer, for its plan, device and timings.
    pub fn renderer(&self) -> &Renderer {
        &self.renderer
    }

    /// Returns the gain reduction of nodes in dB at an output frame recently rendered for a preview.
    pub fn reductions_at(&self, frame: u64) -> Vec<(NodeId, f32)> {
        self.reductions.at(frame)
    }

    fn note_reductions(&mut self) {
        if self.seeking == Seeking::Preroll {
            self.renderer.reductions().for_each(|reduced| self.reductions.take(&reduced));
        }
    }

    /// Continues with another chain from the current position, as the new chain would sound there had it run from the
    /// beginning. Nodes present in both chains keep their state, also when their parameters change. When the new chain
    /// has state that the old one cannot provide (a node was added, an order changed), it is pre-rolled.
    ///
    /// An effect that lacks its measurement does nothing, as in [`Rendered::provisional`].
    ///
    /// To avoid a click, the caller first reads the next few milliseconds of the old chain, seeks back, sets the chain
    /// and cross-fades.
    ///
    /// # Errors
    /// After an error, the old chain continues.
    pub fn set_chain(&mut self, chain: &Chain, measured: &MeasuredMap) -> Result<()> {
        let mut next = Renderer::provisional(chain, self.source.format(), &self.placement, measured, self.catalogue)?;
        let keeps_time = self.keeps_time() && next.plan().keeps_time;
        let frames = self.frames_of(next.plan());
        let fresh = next.state();
        let mut carried = false;
        if keeps_time && self.position < self.source.frames() {
            let (lag, next_lag) = (self.renderer.latency_frames(), next.latency_frames());
            let at = self.position + lag.min(next_lag);
            if let Some(state) = self.state_at(at)? {
                carried = next.adopt_state(&state);
                next.start_from(at);
            }
        }
        self.renderer = next;
        self.frames = frames;
        self.position = self.position.min(frames);
        self.checkpoints = Checkpoints::new(fresh, self.source.format().rate);
        self.reductions.clear();
        self.ready.clear();
        if carried {
            self.checkpoints.keep(self.renderer.state());
        } else {
            self.begin_at_checkpoint(self.position)?;
        }
        Ok(())
    }

    fn frames_of(&self, plan: &Plan) -> u64 {
        plan.frames_out(self.source.frames()) + if self.tail { plan.tail_frames } else { 0 }
    }

    fn keeps_time(&self) -> bool {
        self.renderer.plan().keeps_time
    }

    /// Returns the state of the chain after it has consumed exactly `consumed` frames; `None` if the source ends
    /// before.
    fn state_at(&mut self, consumed: u64) -> Result<Option<RenderState>> {
        if consumed > self.source.frames() {
            return Ok(None);
        }
        if self.finished || self.renderer.consumed() > consumed || !self.near(self.renderer.consumed(), consumed) {
            self.begin_at_checkpoint(self.position.min(consumed))?;
        }
        while self.renderer.consumed() < consumed {
            let frames = (consumed - self.renderer.consumed()).min(BLOCK_FRAMES);
            self.source.read(&mut self.ready, frames as usize)?;
            if self.ready.is_empty() {
                return Ok(None);
            }
            self.renderer.process(&mut self.ready)?;
        }
        Ok(Some(self.renderer.state()))
    }

    /// Returns whether continuing from the output frame `from` to `to` is cheaper than starting over with a pre-roll.
    fn near(&self, from: u64, to: u64) -> bool {
        let plan = self.renderer.plan();
        let apart = (to - from) as f64 / plan.frames_ratio;
        self.seeking == Seeking::Exact
            || apart <= (self.preroll_frames() + BLOCK_FRAMES) as f64
            || self.preroll_start(to) <= plan.lead_frames()
    }

    /// Returns the input frame at which the pre-roll for an output frame begins.
    fn preroll_start(&self, frame: u64) -> u64 {
        self.renderer.plan().frame_in(frame).saturating_sub(self.preroll_frames()) / GRID_FRAMES * GRID_FRAMES
    }

    fn preroll_frames(&self) -> u64 {
        let longest = (PREROLL_S * self.source.format().rate.as_f64()) as u64;
        self.renderer.plan().settle_frames(PREROLL_DB, longest)
    }

    /// Positions source and renderer where rendering towards the output frame `frame` begins.
    fn begin_before(&mut self, frame: u64) -> Result<()> {
        if !self.finished && self.renderer.produced() <= frame {
            let here = self.renderer.produced();
            let kept = self.checkpoints.before(frame).produced;
            if here >= kept && self.near(here, frame) {
                return Ok(());
            }
        }
        self.begin_at_checkpoint(frame)
    }

    fn begin_at_checkpoint(&mut self, frame: u64) -> Result<()> {
        let kept = self.checkpoints.before(frame);
        if self.near(kept.produced, frame) {
            let state = kept.clone();
            self.source.seek(state.consumed)?;
            self.renderer.restore(&state)?;
        } else {
            let start = self.preroll_start(frame);
            self.source.seek(start)?;
            self.renderer.reset(start)?;
        }
        self.finished = false;
        Ok(())
    }

    /// Renders the next block into `ready`, with at least `frames` more frames where possible.
    fn render_block(&mut self, frames: u64) -> Result<()> {
        self.ready_start = self.renderer.produced();
        let consumed = self.renderer.consumed();
        if consumed >= self.source.frames() {
            self.ready = self.renderer.finish(self.tail)?;
            self.note_reductions();
            self.finished = true;
            if self.renderer.produced() < self.frames {
                return Err(base::error::Error::Internal(format!(
                    "a chain gave {} frames of {}",
                    self.renderer.produced(),
                    self.frames
                )));
            }
            return Ok(());
        }
        let wanted = frames.clamp(1, BLOCK_FRAMES);
        let end = (consumed + wanted).next_multiple_of(GRID_FRAMES);
        let block = (end - consumed).min(self.source.frames() - consumed);
        self.source.read(&mut self.ready, block as usize)?;
        if self.ready.is_empty() {
            return Err(base::error::Error::Internal(format!(
                "a source of {} frames ended at {consumed}",
                self.source.frames()
            )));
        }
        self.renderer.process(&mut self.ready)?;
        self.note_reductions();
        if self.checkpoints.wants(self.renderer.consumed()) {
            self.checkpoints.keep(self.renderer.state());
        }
        Ok(())
    }
}

impl AudioReader for Rendered {
    fn format(&self) -> AudioFormat {
        self.renderer.output_format()
    }

    fn frames(&self) -> u64 {
        self.frames
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        let frame = frame.min(self.frames);
        let ready_end = self.ready_start + self.ready.frames() as u64;
        if !(self.ready_start..ready_end).contains(&frame) {
            self.begin_before(frame)?;
            self.ready.clear();
            self.ready_start = self.renderer.produced();
        }
        self.position = frame;
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        out.clear();
        out.resize(self.format().channels, 0);
        let end = self.position.saturating_add(frames as u64).min(self.frames);
        while self.position < end {
            let ready_end = self.ready_start + self.ready.frames() as u64;
            if !(self.ready_start..ready_end).contains(&self.position) {
                if self.finished || self.renderer.produced() > self.position {
                    self.begin_before(self.position)?;
                }
                self.render_block(end - self.renderer.produced())?;
                continue;
            }
            let from = (self.position - self.ready_start) as usize;
            let count = ((end - self.position) as usize).min(self.ready.frames() - from);
            if from == 0 && count == self.ready.frames() && out.is_empty() {
                std::mem::swap(out, &mut self.ready);
                self.ready.clear();
                self.ready_start += count as u64;
            } else {
                out.extend_from(&self.ready, from..from + count);
            }
            self.position += count as u64;
        }
        Ok(())
    }
}
