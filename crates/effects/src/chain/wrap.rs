//! Applies the attributes `off`, `mix` and `label` to a node.

use super::graph::{Node, NodeId, NodeKind};

/// An attribute of a node.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Attribute {
    /// `label("...", node)`.
    Label(String),
    /// `mix(..., node)`.
    Mix(f64),
    /// `off(node)`.
    Off,
}

/// Returns the node with the attribute. If the node already has an attribute of that kind, a new group with identity
/// `group` around it takes the new one, so that nothing is lost. An attribute that is printed inside the attributes of
/// such a group goes to the single node in it, because that is where the parser puts it when reading the printed text.
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

/// Returns whether the node has an attribute that is printed outside this one.
fn prints_outside(node: &Node, attribute: &Attribute) -> bool {
    match attribute {
        Attribute::Label(_) => node.mix != 1.0 || node.bypass,
        Attribute::Mix(_) => node.bypass,
        Attribute::Off => false,
    }
}

/// Returns the node's attributes in printing order, from the inside out.
pub(super) fn attributes(node: &Node) -> Vec<Attribute> {
    let label = node.label.clone().map(Attribute::Label);
    let mix = (node.mix != 1.0).then_some(Attribute::Mix(node.mix));
    let off = node.bypass.then_some(Attribute::Off);
    label.into_iter().chain(mix).chain(off).collect()
}

/// Removes empty groups, and groups of one node whose attributes that node can take itself. The result is what text can
/// express and what reading it returns.
pub(super) fn tidied(nodes: Vec<Node>) -> Vec<Node> {
    nodes.into_iter().filter_map(tidy).collect()
}

fn tidy(node: Node) -> Option<Node> {
    let said = attributes(&node);
    let Node { id, bypass, mix, label, kind } = node;
    let (nodes, group): (_, fn(Vec<Node>) -> NodeKind) = match kind {
        effect @ NodeKind::Effect { .. } => return Some(Node { id, bypass, mix, label, kind: effect }),
        NodeKind::During { span, nodes } => {
            let nodes = tidied(nodes);
            let is_empty = nodes.is_empty();
            return (!is_empty).then_some(Node { id, bypass, mix, label, kind: NodeKind::During { span, nodes } });
        }
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
