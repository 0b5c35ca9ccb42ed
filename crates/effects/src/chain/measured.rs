//! Measurements of the whole signal that effects need before the first frame, with a check that they are still current.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::catalogue::Catalogue;
use super::graph::{Chain, Node, NodeId, NodeKind, TimeSpan};
use crate::{Measured, MeasuredPart, WholeSignal};

/// A node that needs a measurement of its whole input before its first output frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasurementNeed {
    /// The node.
    pub node: NodeId,
    /// The measurement.
    pub what: WholeSignal,
    /// The part of the input that it is about; `None` for all of it.
    pub part: Option<MeasuredPart>,
    /// The part of the recording on which the node acts, which is its whole input; `None` for the recording.
    pub span: Option<TimeSpan>,
}

/// Measurements at the inputs of the nodes that ask for one, each with a fingerprint of the measured signal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MeasuredMap(BTreeMap<NodeId, Entry>);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Entry {
    measured: Measured,
    fingerprint: String,
}

impl MeasuredMap {
    /// Returns the last measurement for `node`, current or not.
    pub fn get(&self, node: NodeId) -> Option<&Measured> {
        self.0.get(&node).map(|entry| &entry.measured)
    }

    /// Stores a measurement for `node`. `fingerprint` comes from the function [`fingerprint`].
    pub fn insert(&mut self, node: NodeId, measured: Measured, fingerprint: String) {
        self.0.insert(node, Entry { measured, fingerprint });
    }

    /// Returns whether there is a measurement for `need`, current or not.
    pub fn answers(&self, need: &MeasurementNeed) -> bool {
        self.get(need.node).is_some_and(|known| known.what == need.what && known.part == need.part)
    }

    /// Returns whether a measurement for `need` exists and was made on the same upstream chain and source.
    pub fn is_current(&self, chain: &Chain, need: MeasurementNeed, source: &str) -> bool {
        let known = self.0.get(&need.node).filter(|_| self.answers(&need));
        known.is_some_and(|entry| entry.fingerprint == fingerprint(chain, need.node, source, crate::find))
    }

    /// Returns whether there are no measurements.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Returns a hash of everything that the input of `node` depends on: the source (by a text that changes when it does),
/// the nodes before it without their labels, and the files that those read.
pub fn fingerprint(chain: &Chain, node: NodeId, source: &str, catalogue: Catalogue) -> String {
    let before = input_of(chain, node).unwrap_or_default();
    // A chain is plain data, so its JSON cannot fail.
    let json = serde_json::to_vec(&before).unwrap_or_default();
    let mut files = String::new();
    super::files::append(&mut files, &before.files_with(catalogue));
    let mut hasher = blake3::Hasher::new();
    hasher.update(source.as_bytes()).update(&[0]).update(&json).update(files.as_bytes());
    hasher.finalize().to_hex().to_string()
}

/// Returns the chain whose output is the input of `node`, without labels. `None` if the node is not in the chain, or if
/// it or a group around it is bypassed.
pub fn input_of(chain: &Chain, node: NodeId) -> Option<Chain> {
    let mut nodes = Vec::new();
    gather(&chain.nodes, node, &mut nodes).then(|| chain.with_nodes(nodes))
}

/// Appends to `before` the nodes before `wanted` in this series. Returns whether `wanted` was found.
fn gather(nodes: &[Node], wanted: NodeId, before: &mut Vec<Node>) -> bool {
    let mark = before.len();
    for node in nodes.iter().filter(|node| !node.bypass) {
        if node.id == wanted {
            return true;
        }
        let reached = before.len();
        let found = match &node.kind {
            NodeKind::Effect { .. } => false,
            NodeKind::Series { nodes } => gather(nodes, wanted, before),
            // In a parallel group only the branch that contains the node matters.
            NodeKind::Parallel { nodes } => {
                nodes.iter().any(|branch| gather(std::slice::from_ref(branch), wanted, before))
            }
            // Without fades, so that the input is exact up to the edges. Even an empty part stays: the measurement
            // depends on its times.
            NodeKind::During { span, nodes } => {
                let mut inside = Vec::new();
                let found = gather(nodes, wanted, &mut inside);
                if found {
                    let kind = NodeKind::During { span: TimeSpan { fade_s: 0.0, ..*span }, nodes: inside };
                    before.push(Node::new(node.id, kind));
                }
                found
            }
        };
        if found {
            return true;
        }
        before.truncate(reached);
        before.push(nameless(node));
    }
    before.truncate(mark);
    false
}

fn nameless(node: &Node) -> Node {
    let strip = |nodes: &[Node]| nodes.iter().map(nameless).collect();
    let kind = match &node.kind {
        effect @ NodeKind::Effect { .. } => effect.clone(),
        NodeKind::Series { nodes } => NodeKind::Series { nodes: strip(nodes) },
        NodeKind::Parallel { nodes } => NodeKind::Parallel { nodes: strip(nodes) },
        NodeKind::During { span, nodes } => NodeKind::During { span: *span, nodes: strip(nodes) },
    };
    Node { id: node.id, bypass: node.bypass, mix: node.mix, label: None, kind }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arguments, WholeSignal};

    fn effect(id: u32) -> Node {
        let kind = NodeKind::Effect { effect: format!("e{id}"), arguments: Arguments::default() };
        Node { id: NodeId(id), bypass: false, mix: 1.0, label: None, kind }
    }

    fn group(id: u32, kind: NodeKind) -> Node {
        Node { id: NodeId(id), bypass: false, mix: 0.5, label: Some("group".into()), kind }
    }

    fn ids(chain: &Chain) -> Vec<u32> {
        chain.nodes.iter().map(|node| node.id.0).collect()
    }

    /// `1 | (2 | 3 + 4 | (5 + (6 | 7))) | 8`
    fn nested() -> Chain {
        let inner = group(12, NodeKind::Series { nodes: vec![effect(6), effect(7)] });
        let sum = group(11, NodeKind::Parallel { nodes: vec![effect(5), inner] });
        let early = group(13, NodeKind::Parallel { nodes: vec![effect(3), effect(4)] });
        let outer = group(10, NodeKind::Series { nodes: vec![effect(2), early, sum] });
        Chain::new(vec![effect(1), outer, effect(8)])
    }

    #[test]
    fn the_input_of_a_node_is_what_stands_before_it_on_its_own_branch() {
        let chain = nested();
        let before = |id| input_of(&chain, NodeId(id)).map(|chain| ids(&chain));
        assert_eq!(before(1), Some(vec![]));
        assert_eq!(before(3), Some(vec![1, 2]));
        assert_eq!(before(5), Some(vec![1, 2, 13]));
        assert_eq!(before(7), Some(vec![1, 2, 13, 6]));
        assert_eq!(before(8), Some(vec![1, 10]));
        assert_eq!(before(99), None);
    }

    #[test]
    fn the_input_within_a_part_is_the_part_without_fades() {
        let during = |fade_s, nodes| NodeKind::During { span: TimeSpan { from_s: 1.0, to_s: 2.0, fade_s }, nodes };
        let part = Node { mix: 0.5, ..group(10, during(0.1, vec![effect(2), effect(3)])) };
        let chain = Chain::new(vec![effect(1), part, effect(4)]);
        let before = |id| input_of(&chain, NodeId(id)).unwrap().nodes;
        assert_eq!(before(2), [effect(1), Node::new(NodeId(10), during(0.0, vec![]))]);
        assert_eq!(before(3), [effect(1), Node::new(NodeId(10), during(0.0, vec![effect(2)]))]);
        assert_eq!(before(4), [effect(1), Node { label: None, ..chain.nodes[1].clone() }]);
    }

    #[test]
    fn what_is_bypassed_is_neither_heard_nor_measured() {
        let mut chain = nested();
        chain.nodes[1].bypass = true;
        assert_eq!(input_of(&chain, NodeId(7)), None);
        assert_eq!(input_of(&chain, NodeId(8)).map(|chain| ids(&chain)), Some(vec![1]));
    }

    #[test]
    fn a_measurement_goes_stale_with_what_is_before_it_and_with_nothing_else() {
        let mut chain = nested();
        let mut map = MeasuredMap::default();
        let node = NodeId(8);
        let need = MeasurementNeed { node, what: WholeSignal::SamplePeak, part: None, span: None };
        map.insert(node, Measured::peaks(9, vec![0.5]), fingerprint(&chain, node, "song", crate::find));
        assert!(!map.is_current(&chain, MeasurementNeed { what: WholeSignal::Rms, ..need }, "song"));
        assert!(map.is_current(&chain, need, "song"));
        assert!(!map.is_current(&chain, need, "other song"));
        chain.nodes[1].label = None;
        chain.nodes[2].mix = 0.25;
        assert!(map.is_current(&chain, need, "song"));
        chain.nodes[1].mix = 0.25;
        assert!(!map.is_current(&chain, need, "song"));
        assert!(map.get(node).is_some(), "the last known stays at hand");
    }
}
