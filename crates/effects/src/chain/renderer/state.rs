//! The state of a renderer, in a form that any device, and the same chain after an edit, can adopt.

use serde::{Deserialize, Serialize};

use super::super::graph::NodeId;
use super::super::plan::DelayedSide;

/// All state carried from one chunk to the next, by node, in f64.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RenderState {
    /// Input frames consumed so far.
    pub consumed: u64,
    /// Output frames produced so far, after trimming the latency.
    pub produced: u64,
    /// Output frames still to be trimmed to compensate the latency.
    pub to_trim: u64,
    /// The state of each node that has one.
    pub nodes: Vec<NodeState>,
}

impl RenderState {
    /// Returns its approximate size in memory in bytes.
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
    /// The node.
    pub node: NodeId,
    /// The part of the node.
    pub slot: Slot,
    /// The effect's name for [`Slot::Sections`] and [`Slot::Process`]. A node that became another effect does not adopt
    /// the state.
    pub effect: String,
    /// The number of channels.
    pub channels: usize,
    /// Factors for each channel that turn the values into those of the chain as written: gains that precede the node
    /// but were applied after it. Empty for other slots.
    pub scale: Vec<f64>,
    /// For sections: the damping `1/Q` of each, used to adapt the state when the damping changes. Otherwise empty.
    pub damping: Vec<f64>,
    /// For sections: `s1` and `s2`, channel by channel and section by section. For a delay: the delayed samples,
    /// channel by channel, oldest first. For a process: values in its format.
    pub values: Vec<f64>,
}

/// The part of a node that has state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Slot {
    /// Its second-order sections.
    Sections,
    /// Its process.
    Process,
    /// The delay of its dry side.
    DryDelay,
    /// The delay at its end, as a branch of a sum.
    BranchDelay,
    /// The delay of the dry side of a part.
    PartDelay,
}

impl From<DelayedSide> for Slot {
    fn from(side: DelayedSide) -> Self {
        match side {
            DelayedSide::Dry => Self::DryDelay,
            DelayedSide::Branch => Self::BranchDelay,
            DelayedSide::Part => Self::PartDelay,
        }
    }
}
