//! The state of a renderer in a form that any device, and the same chain after an edit, can take up.

use serde::{Deserialize, Serialize};

use super::super::graph::NodeId;
use super::super::plan::Side;

/// All that carries from one chunk to the next, by node, in f64.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RenderState {
    /// Input frames taken so far.
    pub consumed: u64,
    /// Output frames given so far, latency already trimmed.
    pub produced: u64,
    /// Output frames still to be trimmed, so that the output does not lag.
    pub to_trim: u64,
    /// The state of each node that has one.
    pub nodes: Vec<NodeState>,
}

impl RenderState {
    /// Its size in memory, about, in bytes.
    pub fn bytes(&self) -> usize {
        self.nodes
            .iter()
            .map(|node| 96 + 8 * (node.values.len() + node.scale.len() + node.damping.len()))
            .sum::<usize>()
            + 48
    }
}

/// The state of one node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeState {
    /// Whose.
    pub node: NodeId,
    /// What of it.
    pub slot: Slot,
    /// The effect's name for [`Slot::Sections`] and [`Slot::Process`]; a node that became another effect does not take
    /// it up.
    pub effect: String,
    /// Channels.
    pub channels: usize,
    /// What the values of each channel must be multiplied with to be those of the chain as it is written: gains that
    /// stand before the node but were applied behind it. Empty where that does not arise.
    pub scale: Vec<f64>,
    /// For sections: the damping `1/Q` of each, by which the state is taken up where it is another. Else empty.
    pub damping: Vec<f64>,
    /// For sections: channel by channel, section by section, `s1` and `s2`. For a delay: channel by channel, the
    /// samples that wait, the oldest first. For a process: its own.
    pub values: Vec<f64>,
}

/// What of a node has state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Slot {
    /// Its second-order sections.
    Sections,
    /// Its process.
    Process,
    /// What waits on its dry side.
    DryDelay,
    /// What waits at the end of it as a branch.
    BranchDelay,
}

impl From<Side> for Slot {
    fn from(side: Side) -> Self {
        match side {
            Side::Dry => Self::DryDelay,
            Side::Branch => Self::BranchDelay,
        }
    }
}
