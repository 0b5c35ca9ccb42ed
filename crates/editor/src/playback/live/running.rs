//! A chain that runs live.

use super::check::check_live;
use audio::{AudioBuffer, AudioFormat, ChannelMix};
use base::error::Result;
use effects::chain::{Chain, MeasuredMap, Placement, Renderer};

/// A chain over an endless stream. Its output is as long as the input and delayed by the chain's latency.
#[derive(Debug)]
pub(super) struct Running {
    renderer: Renderer,
    mix: ChannelMix,
    /// Rendered sound that is not given yet. It begins with silence for the chain's latency.
    rendered: AudioBuffer,
}

impl Running {
    /// Prepares a chain for an input and for the channels of an output.
    pub fn new(chain: &Chain, input: AudioFormat, output_channels: usize) -> Result<Self> {
        check_live(chain, input)?;
        let renderer = Renderer::new(chain, input, &Placement::cpu(), &MeasuredMap::default())?;
        let format = renderer.output_format();
        let rendered = AudioBuffer::new(format.channels, renderer.latency_frames() as usize);
        Ok(Self { renderer, mix: ChannelMix::new(format, format.with_channels(output_channels)), rendered })
    }

    pub fn output_format(&self) -> AudioFormat {
        self.renderer.output_format()
    }

    pub fn latency_frames(&self) -> u64 {
        self.renderer.latency_frames()
    }

    /// Takes up the state of the effects that are in both chains, so that filters do not start from silence.
    pub fn continue_from(&mut self, before: &Self) {
        self.renderer.adopt_state(&before.renderer.state());
    }

    /// Renders a block.
    pub fn render(&mut self, block: &AudioBuffer) -> Result<AudioBuffer> {
        let frames = block.frames();
        let mut block = block.clone();
        self.renderer.process(&mut block)?;
        self.rendered.extend_from(&block, 0..block.frames());
        let frames = frames.min(self.rendered.frames());
        let mut out = AudioBuffer::new(self.rendered.channels(), 0);
        out.extend_from(&self.rendered, 0..frames);
        self.rendered.drop_front(frames);
        Ok(out)
    }

    /// Mixes the rendered sound to the channels of the output.
    pub fn mixed(&self, wet: &AudioBuffer) -> AudioBuffer {
        let mut out = AudioBuffer::default();
        self.mix.apply(wet, 1.0, &mut out);
        out
    }
}
