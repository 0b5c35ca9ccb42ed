//! Measures the cost of each node of a chain.

use std::time::{Duration, Instant};

use serde::Serialize;

use super::graph::{Chain, Node, NodeId, NodeKind};
use super::measured::MeasuredMap;
use super::renderer::Renderer;
use audio::{AudioBuffer, AudioFormat};
use base::declared::TS;
use base::error::Result;
use dsp::device::Placement;

/// The number of frames in a timed block, the same as in a preview's first chunk.
const BLOCK_FRAMES: usize = 2048;

/// The number of timed blocks. The median counts, so that an interruption does not affect the result.
const BLOCKS: usize = 9;

/// The cost of one effect by itself. Both figures are `None` if the format does not allow the effect or it is bypassed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, TS)]
pub struct NodeCost {
    /// The node.
    pub node: NodeId,
    /// Its speed as a multiple of real time, measured on the CPU with noise as input.
    pub times_real_time: Option<f64>,
    /// Its latency in frames.
    pub latency_frames: Option<u64>,
}

/// Returns the cost of each effect of `chain`.
pub fn of_nodes(chain: &Chain, format: AudioFormat) -> Vec<NodeCost> {
    let effects = chain.walk().filter(|node| matches!(node.kind, NodeKind::Effect { .. }));
    effects.map(|node| of_node(chain, node, format)).collect()
}

fn of_node(chain: &Chain, node: &Node, format: AudioFormat) -> NodeCost {
    let alone = chain.with_nodes(vec![node.clone()]);
    let nothing = MeasuredMap::default();
    let renderer = || Renderer::provisional(&alone, format, &Placement::cpu(), &nothing, crate::find).ok();
    let renderer = if node.bypass { None } else { renderer() };
    NodeCost {
        node: node.id,
        latency_frames: renderer.as_ref().map(Renderer::latency_frames),
        times_real_time: renderer.and_then(|renderer| speed(renderer, format).ok()),
    }
}

fn speed(mut renderer: Renderer, format: AudioFormat) -> Result<f64> {
    let input = noise(format.channels);
    let mut times = Vec::with_capacity(BLOCKS);
    for _ in 0..=BLOCKS {
        let mut block = input.clone();
        let started = Instant::now();
        renderer.process(&mut block)?;
        times.push(started.elapsed());
    }
    // The first block includes one-time setup.
    times.remove(0);
    times.sort_unstable();
    let median = times[BLOCKS / 2].max(Duration::from_nanos(1));
    Ok(format.rate.seconds_from_frames(BLOCK_FRAMES as u64) / median.as_secs_f64())
}

// Noise from a linear congruential generator: a signal that is neither silent nor constant.
fn noise(channels: usize) -> AudioBuffer {
    let mut seed = 1u32;
    let mut buffer = AudioBuffer::new(channels, BLOCK_FRAMES);
    for sample in buffer.iter_mut().flatten() {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        *sample = (seed >> 8) as f32 / 16_777_216.0 - 0.5;
    }
    buffer
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::units::SampleRate;

    #[test]
    fn every_effect_that_runs_has_a_speed() {
        let chain: Chain =
            "highpass(80 Hz) | off(notch(50 Hz, q=10)) | (gain(3 dB) + lowpass(30 kHz))".parse().expect("a chain");
        let format = AudioFormat::new(SampleRate::new(44_100).expect("a rate"), 2);
        let costs = of_nodes(&chain, format);
        let speeds: Vec<bool> = costs.iter().map(|cost| cost.times_real_time.is_some_and(|x| x > 0.0)).collect();
        assert_eq!(speeds, [true, false, true, false]);
        let latencies: Vec<_> = costs.iter().map(|cost| cost.latency_frames).collect();
        assert_eq!(latencies, [Some(0), None, Some(0), None]);
    }
}
