//! Chains: effects, their edits, responses and costs, presets.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::documents::{FrequencyBand, Selection};
use crate::chain::NodeId;
pub use crate::chain::edit::GroupKind;
use crate::device::DeviceReport;
use crate::effects::{Purpose, Scale, Unit, Value};
use crate::error::NotationError;

/// An effect as the window lists it.
#[derive(Clone, Debug, Serialize, TS)]
pub struct EffectView {
    /// The name in the notation.
    pub name: String,
    /// The name for people.
    pub title: String,
    /// Where it stands in the list.
    pub purpose: Purpose,
    /// One line of help.
    pub summary: String,
    /// Full documentation in Markdown.
    pub documentation: String,
    /// Its parameters.
    pub parameters: Vec<ParameterView>,
}

/// A parameter as the window shows it.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ParameterView {
    /// The name in the notation.
    pub name: String,
    /// The name for people.
    pub title: String,
    /// One line of help.
    pub help: String,
    /// What values it takes.
    pub control: ControlView,
    /// It counts only where one of these holds; none for one that always counts.
    pub used_with: Vec<UsedWith>,
}

/// A choice that stands at one of some words.
#[derive(Clone, Debug, Serialize, TS)]
pub struct UsedWith {
    /// The parameter that is the choice.
    pub choice: String,
    /// The words.
    pub words: Vec<String>,
}

/// The control of a parameter.
#[derive(Clone, Debug, Serialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(missing_docs, reason = "as in effects::ParameterKind")]
pub enum ControlView {
    Number { unit: Unit, min: f64, max: f64, initial: f64, scale: Scale },
    NumberOrNote { unit: Unit, min: f64, max: f64, initial: f64, scale: Scale },
    Choice { options: Vec<String>, initial: String },
    File,
}

/// One undoable change of a document. Edits of one `gesture` (one drag of a knob) are one step of undo.
#[derive(Clone, Debug, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Edit {
    /// Adds an effect with its initial values: after a node, or at the end.
    AddEffect {
        /// Its name in the notation.
        effect: String,
        /// The node after which it comes.
        after: Option<NodeId>,
    },
    /// Adds a repair of a part of the recording, before everything else and behind the repairs that stand there.
    AddRepair {
        /// Its name in the notation: `spectral_gain`, `spectral_isolate` or `spectral_heal`.
        effect: String,
        /// When.
        range: Selection,
        /// Within which frequencies; none is all of them.
        band: Option<FrequencyBand>,
    },
    /// Puts nodes that stand in one list into a group of their own, at the place of the first of them.
    Group {
        /// Which.
        nodes: Vec<NodeId>,
        /// How they are put together.
        group: GroupKind,
    },
    /// Lets what a group holds stand in its place.
    Ungroup {
        /// The group.
        node: NodeId,
    },
    /// Puts what a group holds together in another way.
    SetGroup {
        /// The group.
        node: NodeId,
        /// How.
        group: GroupKind,
    },
    /// Puts the rack that is heard into the other one too.
    CopyRack,
    /// Exchanges what the two racks hold.
    SwapRacks,
    /// Takes a node away.
    Remove {
        /// Which.
        node: NodeId,
    },
    /// Moves a node within the chain.
    Move {
        /// Which.
        node: NodeId,
        /// The group it goes to; none is the chain itself.
        parent: Option<NodeId>,
        /// Its place there once it is gone from its old one.
        index: usize,
    },
    /// Copies a node to the place behind it.
    Duplicate {
        /// Which.
        node: NodeId,
    },
    /// Sets a parameter.
    SetArgument {
        /// Of which node.
        node: NodeId,
        /// The parameter's name.
        name: String,
        /// Its new value.
        value: Value,
        /// The drag it belongs to.
        gesture: Option<u32>,
    },
    /// Passes a node over, or not.
    SetBypass {
        /// Which.
        node: NodeId,
        /// Whether it is passed over.
        bypass: bool,
    },
    /// Sets wet against dry.
    SetMix {
        /// Of which node.
        node: NodeId,
        /// The share of the node's output, 0..1.
        mix: f64,
        /// The drag it belongs to.
        gesture: Option<u32>,
    },
    /// Names a node, or takes its name away.
    SetLabel {
        /// Which.
        node: NodeId,
        /// Its name.
        label: Option<String>,
    },
    /// Gives an effect its initial values again.
    Reset {
        /// Which.
        node: NodeId,
    },
    /// Replaces the whole chain by a text; nodes that are found again keep their identity.
    SetChainText {
        /// The notation.
        text: String,
    },
    /// Replaces the chain, or one node of it, by a preset.
    LoadPreset {
        /// The preset.
        preset: String,
        /// The node to replace.
        node: Option<NodeId>,
    },
}

/// Magnitude responses for the plot.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ResponseView {
    /// Frequencies in hertz, evenly spaced in ratio.
    pub frequency_hz: Vec<f64>,
    /// The whole chain in decibels; null where it is silent (minus infinity).
    pub chain_db: Vec<Option<f64>>,
    /// Each linear effect in decibels.
    pub nodes: Vec<NodeResponse>,
}

/// The magnitude response of one node.
#[derive(Clone, Debug, Serialize, TS)]
pub struct NodeResponse {
    /// Which.
    pub node: NodeId,
    /// In decibels.
    pub db: Vec<Option<f64>>,
}

/// What each node costs and where it runs.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ChainReport {
    /// Where previews run, and why.
    pub preview: DeviceReport,
    /// Where an export would run, and why.
    pub export: DeviceReport,
    /// Node by node.
    pub nodes: Vec<NodeReport>,
    /// Frames by which the chain lags; compensated in playback and export.
    pub latency_frames: u64,
}

/// What one node costs.
#[derive(Clone, Debug, Serialize, TS)]
pub struct NodeReport {
    /// Which.
    pub node: NodeId,
    /// Measured speed as a multiple of real time on the preview's device; none while not measured.
    pub times_real_time: Option<f64>,
    /// What comes out for each steady level that goes in, as pairs in dB, of what acts on the level by the level.
    pub transfer_db: Option<Vec<[f64; 2]>>,
    /// Frames by which its output lags, where it runs in this format.
    pub latency_frames: Option<u64>,
}

/// A stored chain.
#[derive(Clone, Debug, Serialize, TS)]
pub struct PresetView {
    /// Its name, unique.
    pub name: String,
    /// The chain as text.
    pub text: String,
    /// Whether it came with the program; such a one can neither be changed nor deleted.
    pub factory: bool,
    /// The task under which one that came with the program stands.
    pub task: Option<String>,
    /// Why it cannot be used.
    pub problem: Option<String>,
}

/// Whether a text is a chain.
#[derive(Clone, Debug, Serialize, TS)]
pub struct ChainCheck {
    /// What is wrong, and where.
    pub problem: Option<NotationError>,
}
