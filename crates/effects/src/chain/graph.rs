//! The graph of a chain: effects in series, in parallel and in groups. Each node has an identity.

use serde::{Deserialize, Serialize};

use crate::{Arguments, Permission};
use base::declared::TS;
use base::error::{Error, Result};

/// The identity of a node. It is unique within a chain and survives edits, so that state, undo and controls do too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeId(pub u32);

base::declared_as!(NodeId, u32);

/// A chain of effects. An empty chain passes its input through unchanged.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
pub struct Chain {
    /// The nodes in series.
    pub nodes: Vec<Node>,
    #[serde(skip)]
    permission: Permission,
}

impl PartialEq for Chain {
    fn eq(&self, other: &Self) -> bool {
        self.nodes == other.nodes
    }
}

/// An effect or a group, with the attributes that every node has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Node {
    /// Its identity.
    pub id: NodeId,
    /// Whether it is bypassed: `off(...)`.
    #[serde(default)]
    pub bypass: bool,
    /// The share of its output in the mix, 0..=1; the rest is its input: `mix(40 %, ...)`.
    #[serde(default = "fully_wet")]
    pub mix: f64,
    /// The user's name for it: `label("low cut", ...)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub label: Option<String>,
    /// The effect or group.
    #[serde(flatten)]
    pub kind: NodeKind,
}

const fn fully_wet() -> f64 {
    1.0
}

/// The kind of a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum NodeKind {
    /// One effect.
    Effect {
        /// Its name in the notation.
        effect: String,
        /// Its complete arguments.
        arguments: Arguments,
    },
    /// Nodes in series: `(a | b)`.
    Series {
        /// The nodes.
        nodes: Vec<Node>,
    },
    /// Branches that receive the same input and are summed: `a + b`.
    Parallel {
        /// The branches.
        nodes: Vec<Node>,
    },
    /// Nodes in series that act on a part of the recording: `during(12.4 s, 15.2 s, a | b)`. To them the part is a
    /// separate recording: their times count from its beginning, and they measure only the part.
    During {
        /// The part.
        span: TimeSpan,
        /// The nodes.
        nodes: Vec<Node>,
    },
}

/// A part of a recording on which nodes act.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct TimeSpan {
    /// Where it begins, in seconds of the recording, 0 or more.
    pub from_s: f64,
    /// Where it ends, in seconds; after its beginning.
    pub to_s: f64,
    /// The length of the cross-fade at either end, within the part, in seconds; at most half of the part is used. There
    /// is none at the beginning of the recording.
    #[serde(default = "default_fade_s")]
    pub fade_s: f64,
}

const fn default_fade_s() -> f64 {
    TimeSpan::DEFAULT_FADE_S
}

impl TimeSpan {
    /// The usual length of the cross-fades in seconds: long enough that no click is heard where the level changes.
    pub const DEFAULT_FADE_S: f64 = 0.01;

    /// The latest time in seconds: a year.
    pub const MAX_S: f64 = 31_536_000.0;

    /// A part with the usual cross-fades.
    pub const fn new(from_s: f64, to_s: f64) -> Self {
        Self { from_s, to_s, fade_s: Self::DEFAULT_FADE_S }
    }

    /// Checks the times.
    ///
    /// # Errors
    /// [`Error::Invalid`] unless `0 <= from_s < to_s <=` [`TimeSpan::MAX_S`], and the fade is within 0 to 10 s.
    pub fn check(&self) -> Result<()> {
        let Self { from_s, to_s, fade_s } = *self;
        if !(from_s >= 0.0 && from_s < to_s && to_s <= Self::MAX_S) {
            return Err(Error::invalid(
                "part",
                format!("{from_s} s to {to_s} s"),
                "a beginning of 0 s or more before its end",
            ));
        }
        if !(0.0..=10.0).contains(&fade_s) {
            return Err(Error::invalid("fade of a part", format!("{fade_s} s"), "0 s to 10 s"));
        }
        Ok(())
    }
}

impl Node {
    /// Creates a node that is fully wet, not bypassed and has no label.
    pub fn new(id: NodeId, kind: NodeKind) -> Self {
        Self { id, bypass: false, mix: fully_wet(), label: None, kind }
    }

    /// Returns the nodes of a group; empty for an effect.
    pub fn children(&self) -> &[Self] {
        match &self.kind {
            NodeKind::Effect { .. } => &[],
            NodeKind::Series { nodes } | NodeKind::Parallel { nodes } | NodeKind::During { nodes, .. } => nodes,
        }
    }

    /// Returns the nodes of a group for modification; `None` for an effect.
    pub fn children_mut(&mut self) -> Option<&mut Vec<Self>> {
        match &mut self.kind {
            NodeKind::Effect { .. } => None,
            NodeKind::Series { nodes } | NodeKind::Parallel { nodes } | NodeKind::During { nodes, .. } => Some(nodes),
        }
    }

    /// Returns the name to show: the label, else the effect's name, else the kind of group.
    pub fn name(&self) -> &str {
        match (&self.label, &self.kind) {
            (Some(label), _) => label,
            (None, NodeKind::Effect { effect, .. }) => effect,
            (None, NodeKind::Series { .. }) => "series group",
            (None, NodeKind::Parallel { .. }) => "parallel group",
            (None, NodeKind::During { .. }) => "part",
        }
    }

    /// Returns whether both are equal apart from identities.
    pub fn is_like(&self, other: &Self) -> bool {
        self.has_attributes_of(other)
            && match (&self.kind, &other.kind) {
                (NodeKind::Series { nodes: left }, NodeKind::Series { nodes: right })
                | (NodeKind::Parallel { nodes: left }, NodeKind::Parallel { nodes: right }) => are_like(left, right),
                (NodeKind::During { span, nodes: left }, NodeKind::During { span: other, nodes: right }) => {
                    span == other && are_like(left, right)
                }
                (left @ NodeKind::Effect { .. }, right) => left == right,
                _ => false,
            }
    }

    fn has_attributes_of(&self, other: &Self) -> bool {
        self.bypass == other.bypass && self.mix == other.mix && self.label == other.label
    }
}

fn are_like(left: &[Node], right: &[Node]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| left.is_like(right))
}

impl Chain {
    /// Creates a chain that may read any file and run any model.
    pub const fn new(nodes: Vec<Node>) -> Self {
        Self { nodes, permission: Permission::ANY }
    }

    /// Returns a chain of these nodes with the permission of this one.
    #[must_use]
    pub fn with_nodes(&self, nodes: Vec<Node>) -> Self {
        Self { nodes, permission: self.permission.clone() }
    }

    /// Returns the chain with nothing allowed that `permission` does not allow.
    #[must_use]
    pub fn limited_to(mut self, permission: &Permission) -> Self {
        self.permission = self.permission.and(permission);
        self
    }

    /// Returns which files its effects may read, and which models they may run.
    ///
    /// Neither equality nor the stored form includes it: a chain that is parsed or restored may read any file and run
    /// any model, until [`Chain::limited_to`] says otherwise.
    pub const fn permission(&self) -> &Permission {
        &self.permission
    }

    /// Returns whether both are equal apart from the identities of their nodes.
    pub fn is_like(&self, other: &Self) -> bool {
        are_like(&self.nodes, &other.nodes)
    }

    /// Iterates over every node, including those in groups. Each group comes before its nodes.
    pub fn walk(&self) -> impl Iterator<Item = &Node> {
        self.walk_into(|_| true)
    }

    /// Like [`Chain::walk`], without the nodes that act on a part.
    pub fn walk_outside_parts(&self) -> impl Iterator<Item = &Node> {
        self.walk_into(|group| !matches!(group.kind, NodeKind::During { .. }))
    }

    fn walk_into(&self, enters: impl Fn(&Node) -> bool) -> impl Iterator<Item = &Node> {
        let mut open: Vec<&Node> = self.nodes.iter().rev().collect();
        std::iter::from_fn(move || {
            let node = open.pop()?;
            if enters(node) {
                open.extend(node.children().iter().rev());
            }
            Some(node)
        })
    }

    /// Returns the node with this identity.
    pub fn find(&self, id: NodeId) -> Option<&Node> {
        self.walk().find(|node| node.id == id)
    }

    /// Returns the node with this identity for modification.
    pub fn find_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        fn find(nodes: &mut [Node], id: NodeId) -> Option<&mut Node> {
            for node in nodes {
                if node.id == id {
                    return Some(node);
                }
                if let Some(found) = node.children_mut().and_then(|children| find(children, id)) {
                    return Some(found);
                }
            }
            None
        }
        find(&mut self.nodes, id)
    }

    /// Returns an unused identity, above all identities of the chain.
    pub fn fresh_id(&self) -> NodeId {
        NodeId(self.walk().map(|node| node.id.0).max().map_or(1, |highest| highest.saturating_add(1)))
    }

    /// Returns the chain followed by the nodes of another, which get new identities. It is allowed what both are.
    #[must_use]
    pub fn followed_by(&self, next: &Self) -> Self {
        let (mut both, mut next) = (self.clone().limited_to(&next.permission), next.clone());
        next.renumber(self.fresh_id());
        both.nodes.append(&mut next.nodes);
        both
    }

    /// Gives every node a new identity, counting up from `first` in the order of [`Chain::walk`].
    pub fn renumber(&mut self, first: NodeId) {
        fn renumber(nodes: &mut [Node], next: &mut u32) {
            for node in nodes {
                node.id = NodeId(*next);
                *next += 1;
                if let Some(children) = node.children_mut() {
                    renumber(children, next);
                }
            }
        }
        let mut next = first.0;
        renumber(&mut self.nodes, &mut next);
    }
}
