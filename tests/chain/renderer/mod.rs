//! The renderer's output, independent of chunk sizes and devices.

mod chunks;
mod devices;
mod effects;
mod filters;
mod graphs;
use crate::support::{lone_gpu, signal};
mod streams;
mod together;
mod whole;

use ::effects::chain::{Chain, MeasuredMap, Placement, Renderer};
use audio::AudioBuffer;

/// Creates a renderer on the CPU with the tests' effects.
fn renderer(chain: &Chain, channels: usize) -> Renderer {
    Renderer::with_catalogue(chain, signal::format(channels), &Placement::cpu(), &MeasuredMap::default(), effects::find)
        .unwrap()
}

/// Renders a whole signal in chunks of the given sizes; the last size is repeated.
fn render(renderer: &mut Renderer, input: &AudioBuffer, sizes: &[usize], tail: bool) -> AudioBuffer {
    let mut out = AudioBuffer::new(renderer.output_format().channels, 0);
    let mut sizes = sizes.iter().copied();
    let mut size = input.frames().max(1);
    let mut at = 0;
    while at < input.frames() {
        size = sizes.next().unwrap_or(size);
        let end = (at + size).min(input.frames());
        let mut block = AudioBuffer::new(input.channels(), 0);
        block.extend_from(input, at..end);
        renderer.process(&mut block).unwrap();
        out.extend_from(&block, 0..block.frames());
        at = end;
    }
    let rest = renderer.finish(tail).unwrap();
    out.extend_from(&rest, 0..rest.frames());
    out
}
