//! What `off`, `mix` and `label` do to a node.

use super::graph::{Node, NodeId, NodeKind};

/// One thing that is said of a node from outside.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Attribute {
    /// `label("...", node)`.
    Label(String),
    /// `mix(..., node)`.
    Mix(f64),
    /// `off(node)`.
    Off,
}

/// The node with the attribute. Where it has one of that kind already, a group of its own around it takes the new one,
/// so that nothing is lost; `group` is that group's identity. An attribute that would be printed inside those of such a
/// group belongs to the one node in it, which is where reading the print puts it.
pub(super) fn wrap(mut node: Node, attribute: Attribute, group: NodeId) -> Node {
    if matches!(attribute, Attribute::Mix(mix) if mix == 1.0) {
        return node;
    }
    if has(&node, &attribute) {
        node = Node::new(group, NodeKind::Series { nodes: vec![node] });
    } else if prints_outside(&node, &attribute)
        && let NodeKind::Series { nodes } = &mut node.kind
        && nodes.len() == 1
        && !has(&nodes[0], &attribute)
    {
        *nodes = nodes.drain(..).map(|only| wrap(only, attribute.clone(), group)).collect();
        return node;
    }
    match attribute {
        Attribute::Label(label) => node.label = Some(label),
        Attribute::Mix(mix) => node.mix = mix,
        Attribute::Off => node.bypass = true,
    }
    node
}

fn has(node: &Node, attribute: &Attribute) -> bool {
    match attribute {
        Attribute::Label(_) => node.label.is_some(),
        Attribute::Mix(_) => node.mix != 1.0,
        Attribute::Off => node.bypass,
    }
}

/// Whether the node has an attribute that is printed outside this one.
fn prints_outside(node: &Node, attribute: &Attribute) -> bool {
    match attribute {
        Attribute::Label(_) => node.mix != 1.0 || node.bypass,
        Attribute::Mix(_) => node.bypass,
        Attribute::Off => false,
    }
}

/// The node's attributes, the innermost first: the order in which they are printed from inside out.
pub(super) fn attributes(node: &Node) -> Vec<Attribute> {
    let label = node.label.clone().map(Attribute::Label);
    let mix = (node.mix != 1.0).then_some(Attribute::Mix(node.mix));
    let off = node.bypass.then_some(Attribute::Off);
    label.into_iter().chain(mix).chain(off).collect()
}

/// The nodes without empty groups, and without groups of one that say nothing which the one cannot say itself: what a
/// text can express, and what reading it gives back.
pub(super) fn tidied(nodes: Vec<Node>) -> Vec<Node> {
    nodes.into_iter().filter_map(tidy).collect()
}

fn tidy(node: Node) -> Option<Node> {
    let said = attributes(&node);
    let Node { id, bypass, mix, label, kind } = node;
    let (nodes, group): (_, fn(Vec<Node>) -> NodeKind) = match kind {
        effect @ NodeKind::Effect { .. } => return Some(Node { id, bypass, mix, label, kind: effect }),
        NodeKind::Series { nodes } => (nodes, |nodes| NodeKind::Series { nodes }),
        NodeKind::Parallel { nodes } => (nodes, |nodes| NodeKind::Parallel { nodes }),
    };
    let mut nodes = tidied(nodes);
    match nodes.pop() {
        None => None,
        Some(only) if nodes.is_empty() => {
            Some(said.into_iter().fold(only, |node, attribute| wrap(node, attribute, id)))
        }
        Some(last) => {
            nodes.push(last);
            Some(Node { id, bypass, mix, label, kind: group(nodes) })
        }
    }
}
