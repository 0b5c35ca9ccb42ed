//! The editor: edits of chains, their responses and cost; tags of exports.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::chain::cost::NodeCost;
use crate::chain::edit::GroupKind;
use crate::chain::{NodeId, TimeSpan};
use crate::device::DeviceReport;
use crate::document::{Band, FrameRange};
use crate::effects::Value;
use crate::window::workspace::types::CoverId;
use crate::work::cover::CoverView;
use base::declared::TS;

/// An undoable change of a document. Edits with the same `gesture` (one drag of a knob) are one undo step.
#[derive(Clone, Debug, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Edit {
    /// Adds an effect with its initial values, after a node or at the end. An effect that only makes sense for a part
    /// of the recording takes the selection.
    AddEffect {
        /// The effect's name in the notation.
        effect: String,
        /// The node after which to insert it; null for the end of the chain.
        after: Option<NodeId>,
    },
    /// Makes an effect use the selected part of the recording, or stop using it.
    UseSelection {
        /// The node.
        node: NodeId,
        /// Whether it takes the selection.
        on: bool,
    },
    /// Limits nodes of one list to the selected part of the recording. A part takes the selection as its times.
    ActOnSelection {
        /// The nodes.
        nodes: Vec<NodeId>,
    },
    /// Sets the times of a part on which nodes act.
    SetSpan {
        /// The part.
        node: NodeId,
        /// Its times.
        span: TimeSpan,
        /// The drag that the edit belongs to.
        gesture: Option<u32>,
    },
    /// Adds a repair of a part of the recording, after existing repairs and before everything else.
    AddRepair {
        /// The effect's name in the notation: `spectral_gain`, `spectral_isolate` or `spectral_heal`.
        effect: String,
        /// The frames to repair.
        range: FrameRange,
        /// The frequencies to repair; null for all.
        band: Option<Band>,
    },
    /// Moves nodes of one list into a new group, at the place of the first of them.
    Group {
        /// The nodes.
        nodes: Vec<NodeId>,
        /// How the group connects them.
        group: GroupKind,
    },
    /// Replaces a group by its contents.
    Ungroup {
        /// The group.
        node: NodeId,
    },
    /// Changes how a group connects its nodes.
    SetGroup {
        /// The group.
        node: NodeId,
        /// The new connection.
        group: GroupKind,
    },
    /// Copies the rack that is heard to the other rack.
    CopyRack,
    /// Swaps the contents of the two racks.
    SwapRacks,
    /// Removes a node.
    Remove {
        /// The node.
        node: NodeId,
    },
    /// Moves a node within the chain.
    Move {
        /// The node.
        node: NodeId,
        /// The group to move it to; null for the top level of the chain.
        parent: Option<NodeId>,
        /// The index in the target list after the node was removed from its old place.
        index: usize,
    },
    /// Duplicates a node and inserts the copy after it.
    Duplicate {
        /// The node.
        node: NodeId,
    },
    /// Sets a parameter.
    SetArgument {
        /// The node.
        node: NodeId,
        /// The parameter's name.
        name: String,
        /// Its new value.
        value: Value,
        /// The drag that the edit belongs to.
        gesture: Option<u32>,
    },
    /// Sets whether a node is bypassed.
    SetBypass {
        /// The node.
        node: NodeId,
        /// Whether it is bypassed.
        bypass: bool,
    },
    /// Sets a node's dry/wet mix.
    SetMix {
        /// The node.
        node: NodeId,
        /// The share of the node's output, 0..=1.
        mix: f64,
        /// The drag that the edit belongs to.
        gesture: Option<u32>,
    },
    /// Sets or removes a node's label.
    SetLabel {
        /// The node.
        node: NodeId,
        /// The label; null removes it.
        label: Option<String>,
    },
    /// Resets an effect to its initial values.
    Reset {
        /// The node.
        node: NodeId,
    },
    /// Replaces the whole chain by one parsed from text. Nodes that match existing ones keep their IDs.
    SetChainText {
        /// The text in chain notation.
        text: String,
    },
    /// Replaces the chain, or one of its nodes, by a preset.
    LoadPreset {
        /// The preset's name.
        preset: String,
        /// The node to replace; null for the whole chain.
        node: Option<NodeId>,
    },
}

/// The tags of a recording before an export.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ExportTags {
    /// Text by field, named as in Vorbis comments.
    pub items: BTreeMap<String, String>,
    /// The cover; null if there is none.
    pub cover: Option<CoverView>,
}

/// The tags that an exported file has instead of the recording's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct TagEdits {
    /// Text by field, named as in Vorbis comments. An empty text removes the field. Other fields are kept.
    pub items: BTreeMap<String, String>,
    /// The edit of the cover.
    pub cover: CoverEdit,
    /// Whether the gain of the track is measured again on the written file; false if absent.
    #[serde(default)]
    #[ts(as = "Option<bool>", optional)]
    pub replay_gain: bool,
}

/// An edit of the cover.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CoverEdit {
    /// Keeps the cover and all other pictures.
    #[default]
    Keep,
    /// Removes all pictures.
    Remove,
    /// Replaces the cover by the chosen picture.
    Replace {
        /// The picture.
        cover: CoverId,
    },
}

/// Magnitude responses for the plot.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ResponseView {
    /// The frequencies in hertz, logarithmically spaced.
    pub frequency_hz: Vec<f64>,
    /// The response of the whole chain in dB; null where it is minus infinity.
    pub chain_db: Vec<Option<f64>>,
    /// The responses of the linear effects in dB.
    pub nodes: Vec<(NodeId, Vec<Option<f64>>)>,
}

/// The cost of each node and the device that the chain runs on.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ChainReport {
    /// The device of previews, and why.
    pub preview: DeviceReport,
    /// The cost of each node.
    pub nodes: Vec<NodeReport>,
    /// The latency of the chain in frames. Playback and export compensate for it.
    pub latency_frames: u64,
}

/// The cost of a node.
#[derive(Clone, Debug, Serialize, TS)]
pub struct NodeReport {
    /// The cost.
    #[serde(flatten)]
    pub cost: NodeCost,
    /// For effects whose gain depends on the level: the static curve, as pairs of input and output level in dB.
    pub transfer_db: Option<Vec<[f64; 2]>>,
}
