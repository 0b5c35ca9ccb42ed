//! What a cascade carries from block to block.

use serde::{Deserialize, Serialize};

/// Integrators smaller than this are silence: they are set to 0 at the end of a block, so that a filter that rings out
/// does not spend its time on subnormal numbers. It is 1200 dB below full scale.
pub(super) const SILENCE: f64 = 1e-60;

/// The two integrators of each section of each channel, in f64: all that a cascade remembers, the same on every device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CascadeState {
    /// For each channel, for each section in order, `[s1, s2]`.
    pub channels: Vec<Vec<[f64; 2]>>,
}

impl CascadeState {
    /// Rest: nothing was heard yet.
    pub fn new(channels: usize, sections: usize) -> Self {
        Self { channels: vec![vec![[0.0; 2]; sections]; channels] }
    }

    /// Back to rest, keeping the shape; also the cure after non-finite input.
    pub fn reset(&mut self) {
        for channel in &mut self.channels {
            channel.fill([0.0; 2]);
        }
    }

    /// Whether every integrator is a finite number.
    pub fn is_finite(&self) -> bool {
        self.channels.iter().flatten().flatten().all(|value| value.is_finite())
    }
}
