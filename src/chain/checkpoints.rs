//! States kept along a stream, from which rendering can go on.

use std::collections::BTreeMap;

use super::renderer::RenderState;
use crate::units::SampleRate;

/// All states together take no more than this, in bytes.
const BUDGET_BYTES: usize = 16 << 20;

/// States by the output frame that comes next, about a quarter of a second apart; further when they are large.
#[derive(Debug)]
pub(super) struct Checkpoints {
    start: RenderState,
    kept: BTreeMap<u64, RenderState>,
    /// Input frames between two of them.
    spacing: u64,
    bytes: usize,
}

impl Checkpoints {
    /// Nothing kept but the state at the very beginning.
    pub(super) fn new(start: RenderState, rate: SampleRate) -> Self {
        let spacing = (u64::from(rate.hz()) / 4).max(1);
        Self { start, kept: BTreeMap::new(), spacing, bytes: 0 }
    }

    /// The last state at or before the output frame `frame`.
    pub(super) fn before(&self, frame: u64) -> &RenderState {
        self.kept.range(..=frame).next_back().map_or(&self.start, |(_, state)| state)
    }

    /// Whether none is kept near the input frame `consumed` yet.
    pub(super) fn wants(&self, consumed: u64) -> bool {
        let before = self.kept.values().rev().map(|state| state.consumed).find(|kept| *kept <= consumed);
        let near = before.unwrap_or(0);
        consumed >= near.saturating_add(self.spacing)
    }

    /// Keeps a state; when all together grow too large, every second one goes.
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
