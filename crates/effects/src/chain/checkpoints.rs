//! Renderer states kept along a stream, from which rendering can resume.

use std::collections::BTreeMap;

use super::renderer::RenderState;
use base::units::SampleRate;

/// The limit on the size of all kept states together, in bytes.
const BUDGET_BYTES: usize = 16 << 20;

/// States keyed by the next output frame, about a quarter of a second apart, or further when the states are large.
#[derive(Debug)]
pub(super) struct Checkpoints {
    start: RenderState,
    kept: BTreeMap<u64, RenderState>,
    /// Input frames between two kept states.
    spacing: u64,
    bytes: usize,
}

impl Checkpoints {
    /// Creates a set that holds only the state at the start of the stream.
    pub(super) fn new(start: RenderState, rate: SampleRate) -> Self {
        let spacing = (u64::from(rate.hz()) / 4).max(1);
        Self { start, kept: BTreeMap::new(), spacing, bytes: 0 }
    }

    /// Returns the last state at or before the output frame `frame`.
    pub(super) fn before(&self, frame: u64) -> &RenderState {
        self.kept.range(..=frame).next_back().map_or(&self.start, |(_, state)| state)
    }

    /// Returns whether no state is kept near the input frame `consumed` yet.
    pub(super) fn wants(&self, consumed: u64) -> bool {
        let before = self.kept.values().rev().map(|state| state.consumed).find(|kept| *kept <= consumed);
        let near = before.unwrap_or(0);
        consumed >= near.saturating_add(self.spacing)
    }

    /// Keeps a state. When the states exceed the budget, drops every second one.
    pub(super) fn keep(&mut self, state: RenderState) {
        self.bytes += state.bytes();
        if let Some(old) = self.kept.insert(state.produced, state) {
            self.bytes -= old.bytes();
        }
        while self.bytes > BUDGET_BYTES && self.kept.len() > 1 {
            let mut keep = false;
            self.kept.retain(|_, _| {
                keep = !keep;
                keep
            });
            self.spacing = self.spacing.saturating_mul(2);
            self.bytes = self.kept.values().map(RenderState::bytes).sum();
        }
    }
}
