//! The state that a cascade carries from block to block.

use serde::{Deserialize, Serialize};

/// Integrators smaller than this, 1200 dB below full scale, are set to 0 at the end of a block. This keeps a decaying
/// filter from computing with subnormal numbers.
pub(super) const SILENCE: f64 = 1e-60;

/// The two integrators of each section of each channel, in f64: the complete state of a cascade, the same on every
/// device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CascadeState {
    /// `[s1, s2]` for each channel and each section, in order.
    pub channels: Vec<Vec<[f64; 2]>>,
}

impl CascadeState {
    /// Creates a state at rest.
    pub fn new(channels: usize, sections: usize) -> Self {
        Self { channels: vec![vec![[0.0; 2]; sections]; channels] }
    }

    /// Resets to rest, keeping the shape. Also recovers from non-finite input.
    pub fn reset(&mut self) {
        for channel in &mut self.channels {
            channel.fill([0.0; 2]);
        }
    }

    /// Returns whether every integrator is finite.
    pub fn is_finite(&self) -> bool {
        self.channels.iter().flatten().flatten().all(|value| value.is_finite())
    }
}
