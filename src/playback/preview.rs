//! A chain over a recording, as a source of playback.

use std::sync::Arc;

use crate::audio::{AudioBuffer, AudioFormat, AudioReader};
use crate::chain::{Chain, MeasuredMap, NodeId, Placement, Plan, Rendered, Seeking, measure_whole};
use crate::error::Result;
use crate::progress::Progress;

use super::source::{PlaybackSource, PreviewRender};

/// Opens a reader of a recording, as often as one is needed.
pub type OpenReader = Arc<dyn Fn() -> Result<Box<dyn AudioReader>> + Send + Sync>;

/// The recording's name in the fingerprints of what was measured, which live no longer than its source.
const KEY: &str = "";

/// A recording and whatever chain is set, rendered where `placement` says.
pub struct ChainSource {
    open: OpenReader,
    placement: Placement,
    format: AudioFormat,
    frames: u64,
}

impl ChainSource {
    /// The recording that `open` gives readers of; it must not change while this source is used.
    ///
    /// # Errors
    /// What keeps the recording from being opened.
    pub fn new(open: OpenReader, placement: Placement) -> Result<Self> {
        let reader = open()?;
        let (format, frames) = (reader.format(), reader.frames());
        Ok(Self { open, placement, format, frames })
    }
}

impl PlaybackSource for ChainSource {
    fn format(&self) -> AudioFormat {
        self.format
    }

    fn frames(&self) -> u64 {
        self.frames
    }

    fn original(&self) -> Result<Box<dyn AudioReader>> {
        (self.open)()
    }

    fn processed(&self, chain: &Chain, measured: &MeasuredMap) -> Result<Box<dyn PreviewRender>> {
        let source = (self.open)()?;
        Ok(Box::new(Preview(Rendered::new(chain, source, &self.placement, measured, Seeking::Preroll)?)))
    }

    fn is_measured(&self, chain: &Chain, measured: &MeasuredMap) -> Result<bool> {
        let needs = Plan::new(chain, self.format, measured)?.needs;
        Ok(needs.iter().all(|need| measured.is_current(chain, need.node, KEY)))
    }

    fn measure(&self, chain: &Chain, progress: &Progress) -> Result<MeasuredMap> {
        measure_whole(chain, (self.open)()?.as_mut(), KEY, &self.placement, progress)
    }
}

struct Preview(Rendered);

impl AudioReader for Preview {
    fn format(&self) -> AudioFormat {
        self.0.format()
    }

    fn frames(&self) -> u64 {
        self.0.frames()
    }

    fn position(&self) -> u64 {
        self.0.position()
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.0.seek(frame)
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        self.0.read(out, frames)
    }
}

impl PreviewRender for Preview {
    fn set_chain(&mut self, chain: &Chain, measured: &MeasuredMap) -> Result<()> {
        self.0.set_chain(chain, measured)
    }

    fn reductions(&self, frame: u64) -> Vec<(NodeId, f32)> {
        self.0.reductions_at(frame)
    }
}
