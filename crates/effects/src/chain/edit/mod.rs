//! Edits of a chain as a user makes them. Each returns the edited chain, or an error and leaves the chain unchanged.
//!
//! Nodes keep their identity; new nodes get identities above all existing ones. An empty group is removed. A group of
//! one node is replaced by that node, unless both have the same attribute, such as a mix within a mix.

mod parts;

use serde::Deserialize;

use super::graph::{Chain, Node, NodeId, NodeKind};
use super::notation::{MAX_DEPTH, MAX_NODES};
use super::wrap::tidied;
use crate::{Arguments, EffectSpec, Parameter, ParameterKind, Purpose, Value};
use base::declared::TS;
use base::error::{Error, Result};
pub use parts::{act_during, initial_times, moved, part_around, set_span, span_around, span_of};

/// Adds an effect with these arguments and initial values for the others, and returns its identity. The effect goes to
/// the end of the chain, or in series right after the node `after`. After a branch of a sum it goes into that branch.
pub fn add_effect(
    chain: &Chain,
    effect: &str,
    after: Option<NodeId>,
    arguments: &Arguments,
) -> Result<(Chain, NodeId)> {
    let spec = crate::known(effect)?;
    let arguments = completed(spec, arguments)?;
    let id = chain.fresh_id();
    let node = Node::new(id, NodeKind::Effect { effect: spec.name.to_owned(), arguments });
    let mut edited = chain.clone();
    match after {
        None => edited.nodes.push(node),
        Some(after) => {
            let place = place(chain, after)?;
            let in_sum = place.parent.and_then(|parent| chain.find(parent)).is_some_and(is_sum);
            let siblings = siblings(&mut edited, place.parent)?;
            if in_sum {
                let group = NodeId(id.0 + 1);
                extend_branch(&mut siblings[place.index], node, group);
            } else {
                siblings.insert(place.index + 1, node);
            }
        }
    }
    Ok((finished(edited)?, id))
}

/// Adds a repair with these arguments and initial values for the others. It goes after the repairs at the start of the
/// chain, because a recording is repaired before any other processing.
pub fn add_repair(chain: &Chain, effect: &str, arguments: &Arguments) -> Result<Chain> {
    let spec = crate::known(effect)?;
    let repairs = || crate::all().iter().filter(|spec| spec.purpose == Purpose::Repair);
    if spec.purpose != Purpose::Repair {
        let allowed = repairs().map(|spec| spec.name).collect::<Vec<_>>().join(", ");
        return Err(Error::invalid("spectral edit", format!("`{effect}`"), allowed));
    }
    let kind = NodeKind::Effect { effect: spec.name.to_owned(), arguments: completed(spec, arguments)? };
    let is_repair = |node: &Node| match &node.kind {
        NodeKind::Effect { effect, .. } => repairs().any(|spec| spec.name == effect),
        _ => false,
    };
    let at = chain.nodes.iter().take_while(|node| is_repair(node)).count();
    let mut edited = chain.clone();
    edited.nodes.insert(at, Node::new(chain.fresh_id(), kind));
    finished(edited)
}

/// Returns these arguments with initial values for the others.
fn completed(spec: &EffectSpec, arguments: &Arguments) -> Result<Arguments> {
    let mut complete = spec.initial_arguments();
    arguments.iter().for_each(|(name, value)| complete.set(name, value.clone()));
    spec.arguments(&complete)
}

/// Sets several arguments of an effect at once.
pub fn set_arguments(chain: &Chain, node: NodeId, changed: &Arguments) -> Result<Chain> {
    let mut edited = chain.clone();
    let NodeKind::Effect { effect, arguments } = &mut found_mut(&mut edited, node)?.kind else {
        return Err(no_effect(chain, node));
    };
    changed.iter().for_each(|(name, value)| arguments.set(name, value.clone()));
    *arguments = crate::known(effect)?.arguments(arguments)?;
    Ok(edited)
}

/// Appends a node to a branch of a sum.
fn extend_branch(branch: &mut Node, node: Node, group: NodeId) {
    let plain = !branch.bypass && branch.mix == 1.0 && branch.label.is_none();
    if let (true, NodeKind::Series { nodes }) = (plain, &mut branch.kind) {
        nodes.push(node);
        return;
    }
    let first = std::mem::replace(branch, Node::new(group, NodeKind::Series { nodes: Vec::new() }));
    branch.kind = NodeKind::Series { nodes: vec![first, node] };
}

/// Removes a node and everything in it.
pub fn remove(chain: &Chain, node: NodeId) -> Result<Chain> {
    let place = place(chain, node)?;
    let mut edited = chain.clone();
    siblings(&mut edited, place.parent)?.remove(place.index);
    finished(edited)
}

/// Moves a node into a group, or to the top level of the chain. `index` is its new place after removal from the old
/// one.
///
/// # Errors
/// [`Error::Impossible`] for a target within the node itself, a target that is not a group, or an index beyond its end.
pub fn move_node(chain: &Chain, node: NodeId, parent: Option<NodeId>, index: usize) -> Result<Chain> {
    let from = place(chain, node)?;
    let moved = found(chain, node)?;
    if parent.is_some_and(|parent| holds(moved, parent)) {
        return Err(Error::impossible("A group cannot be moved into itself. Choose another place."));
    }
    let mut edited = chain.clone();
    let moved = siblings(&mut edited, from.parent)?.remove(from.index);
    let was = span_around(chain, node);
    let is = parent.and_then(|group| span_of(chain, group).or_else(|| span_around(chain, group)));
    let target = siblings(&mut edited, parent)?;
    if index > target.len() {
        return Err(Error::invalid("place to move to", index.to_string(), format!("0 to {}", target.len())));
    }
    target.insert(index, parts::moved_between(moved, was, is));
    finished(edited)
}

/// Copies a node, inserts the copy after it, and returns the copy's identity.
pub fn duplicate(chain: &Chain, node: NodeId) -> Result<(Chain, NodeId)> {
    let place = place(chain, node)?;
    let mut copy = chain.with_nodes(vec![found(chain, node)?.clone()]);
    let id = chain.fresh_id();
    copy.renumber(id);
    let mut edited = chain.clone();
    let siblings = siblings(&mut edited, place.parent)?;
    let behind = siblings.split_off(place.index + 1);
    siblings.extend(copy.nodes.into_iter().chain(behind));
    Ok((finished(edited)?, id))
}

/// How a group combines its nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum GroupKind {
    /// Nodes in series.
    Series,
    /// Branches that are summed.
    Parallel,
}

impl GroupKind {
    fn of(self, nodes: Vec<Node>) -> NodeKind {
        match self {
            Self::Series => NodeKind::Series { nodes },
            Self::Parallel => NodeKind::Parallel { nodes },
        }
    }
}

/// Groups nodes of one list at the position of the first of them, in their order, and returns the group's identity. A
/// single node is put in parallel with a branch that changes nothing: `(node + gain(0 dB))`.
///
/// # Errors
/// [`Error::Impossible`] for an empty list, for nodes of different lists, and for a single node in series.
pub fn group(chain: &Chain, nodes: &[NodeId], kind: GroupKind) -> Result<(Chain, NodeId)> {
    let places = nodes.iter().map(|&node| place(chain, node)).collect::<Result<Vec<_>>>()?;
    let Some(first) = places.iter().min_by_key(|place| place.index) else {
        return Err(Error::impossible("A group needs at least one effect. Select some first."));
    };
    if places.iter().any(|place| place.parent != first.parent) {
        return Err(Error::impossible("Only effects side by side can be grouped. Select effects of one group."));
    }
    let alone = places.iter().all(|place| place.index == first.index);
    if alone && kind == GroupKind::Series {
        return Err(Error::impossible("A group in series needs two effects or more. Select another one, too."));
    }
    let id = chain.fresh_id();
    let mut edited = chain.clone();
    let list = siblings(&mut edited, first.parent)?;
    let (mut held, left): (Vec<_>, Vec<_>) =
        std::mem::take(list).into_iter().partition(|node| nodes.contains(&node.id));
    if alone {
        let spec = crate::known("gain")?;
        let arguments = spec.arguments(&spec.initial_arguments())?;
        held.push(Node::new(NodeId(id.0 + 1), NodeKind::Effect { effect: spec.name.to_owned(), arguments }));
    }
    *list = left;
    list.insert(first.index, Node::new(id, kind.of(held)));
    Ok((finished(edited)?, id))
}

/// Replaces a group by its nodes: in series in the chain or a series, in parallel in a sum. If the group is bypassed,
/// its nodes become bypassed. Its mix and label are lost.
pub fn ungroup(chain: &Chain, node: NodeId) -> Result<Chain> {
    let place = place(chain, node)?;
    let mut edited = chain.clone();
    let list = siblings(&mut edited, place.parent)?;
    let bypass = list[place.index].bypass;
    parts::end_of_part(&mut list[place.index]);
    let Some(held) = list[place.index].children_mut().map(std::mem::take) else {
        return Err(no_group(chain, node));
    };
    let held = held.into_iter().map(|node| Node { bypass: node.bypass || bypass, ..node });
    list.splice(place.index..=place.index, held);
    finished(edited)
}

/// Changes how a group combines its nodes.
pub fn set_group(chain: &Chain, node: NodeId, kind: GroupKind) -> Result<Chain> {
    let mut edited = chain.clone();
    let group = found_mut(&mut edited, node)?;
    if matches!(group.kind, NodeKind::During { .. }) {
        return Err(Error::impossible("What acts on a part stands in series. Put a parallel group into it."));
    }
    let Some(held) = group.children_mut().map(std::mem::take) else {
        return Err(no_group(chain, node));
    };
    group.kind = kind.of(held);
    finished(edited)
}

/// Sets one parameter of an effect. When the parameter is a choice and other arguments do not apply to the new choice,
/// such as the ripple of a design that has none, they return to their defaults.
pub fn set_argument(chain: &Chain, node: NodeId, name: &str, value: Value) -> Result<Chain> {
    let mut edited = chain.clone();
    let NodeKind::Effect { effect, arguments } = &mut found_mut(&mut edited, node)?.kind else {
        return Err(no_effect(chain, node));
    };
    let spec = crate::known(effect)?;
    arguments.set(name, value);
    *arguments = match spec.arguments(arguments) {
        Err(refused) if is_choice(spec, name) => fitted(spec, arguments, name).ok_or(refused)?,
        checked => checked?,
    };
    Ok(edited)
}

fn is_choice(spec: &EffectSpec, name: &str) -> bool {
    spec.parameter(name).is_some_and(|parameter| matches!(parameter.kind, ParameterKind::Choice { .. }))
}

/// Resets arguments that conflict with the choice now set for `name` to their defaults: one argument if that suffices,
/// otherwise as few as needed, starting from the last. This way any choice can be set whatever the other arguments are.
fn fitted(spec: &EffectSpec, arguments: &Arguments, name: &str) -> Option<Arguments> {
    let others = || spec.parameters.iter().rev().filter(|other| other.name != name);
    let reset = |mut arguments: Arguments, other: &Parameter| {
        other.default_value().into_iter().for_each(|default| arguments.set(other.name, default));
        arguments
    };
    let one = others().map(|other| reset(arguments.clone(), other));
    let from_the_last = others().scan(arguments.clone(), |so_far, other| {
        *so_far = reset(so_far.clone(), other);
        Some(so_far.clone())
    });
    one.chain(from_the_last).find_map(|tried| spec.arguments(&tried).ok())
}

/// Resets an effect to its initial values. Bypass, mix and label stay.
pub fn reset(chain: &Chain, node: NodeId) -> Result<Chain> {
    let mut edited = chain.clone();
    let NodeKind::Effect { effect, arguments } = &mut found_mut(&mut edited, node)?.kind else {
        return Err(no_effect(chain, node));
    };
    let spec = crate::known(effect)?;
    *arguments = spec.arguments(&spec.initial_arguments())?;
    Ok(edited)
}

/// Bypasses a node, or ends its bypass.
pub fn set_bypass(chain: &Chain, node: NodeId, bypass: bool) -> Result<Chain> {
    let mut edited = chain.clone();
    found_mut(&mut edited, node)?.bypass = bypass;
    finished(edited)
}

/// Sets the share of a node's output in the mix, 0..=1.
pub fn set_mix(chain: &Chain, node: NodeId, mix: f64) -> Result<Chain> {
    if !(0.0..=1.0).contains(&mix) {
        return Err(Error::invalid("wet/dry", crate::Unit::Percent.written(mix), "0 % to 100 %"));
    }
    let mut edited = chain.clone();
    found_mut(&mut edited, node)?.mix = mix;
    finished(edited)
}

/// Sets the label of a node; an empty label removes it.
pub fn set_label(chain: &Chain, node: NodeId, label: Option<&str>) -> Result<Chain> {
    let mut edited = chain.clone();
    found_mut(&mut edited, node)?.label = label.map(str::trim).filter(|label| !label.is_empty()).map(str::to_owned);
    finished(edited)
}

/// Replaces a node by a chain whose nodes get new identities. Several nodes become a group; an empty chain removes the
/// node. The chain is then allowed what both are.
pub fn replace_node(chain: &Chain, node: NodeId, by: &Chain) -> Result<Chain> {
    let place = place(chain, node)?;
    let mut new = by.with_nodes(vec![Node::new(NodeId(0), NodeKind::Series { nodes: by.nodes.clone() })]);
    new.renumber(chain.fresh_id());
    let mut edited = chain.clone().limited_to(by.permission());
    siblings(&mut edited, place.parent)?.splice(place.index..=place.index, new.nodes);
    finished(edited)
}

/// Replaces a chain by another, which is then allowed what both are. Nodes that match nodes of the old chain keep their
/// identity.
pub fn replace_chain(chain: &Chain, by: &Chain) -> Chain {
    let mut new = by.clone().limited_to(chain.permission());
    new.adopt_ids(chain);
    new
}

/// The position of a node: its parent group (`None` for the top level of the chain) and its index there.
struct NodePosition {
    parent: Option<NodeId>,
    index: usize,
}

fn place(chain: &Chain, node: NodeId) -> Result<NodePosition> {
    let lists = std::iter::once((None, chain.nodes.as_slice()))
        .chain(chain.walk().map(|group| (Some(group.id), group.children())));
    for (parent, nodes) in lists {
        if let Some(index) = nodes.iter().position(|candidate| candidate.id == node) {
            return Ok(NodePosition { parent, index });
        }
    }
    Err(not_found(node))
}

fn siblings(chain: &mut Chain, parent: Option<NodeId>) -> Result<&mut Vec<Node>> {
    match parent {
        None => Ok(&mut chain.nodes),
        Some(parent) => found_mut(chain, parent)?
            .children_mut()
            .ok_or_else(|| Error::impossible("An effect cannot hold other effects. Choose a group.")),
    }
}

fn found(chain: &Chain, node: NodeId) -> Result<&Node> {
    chain.find(node).ok_or_else(|| not_found(node))
}

fn found_mut(chain: &mut Chain, node: NodeId) -> Result<&mut Node> {
    chain.find_mut(node).ok_or_else(|| not_found(node))
}

fn not_found(node: NodeId) -> Error {
    Error::NotFound { what: "effect", name: node.0.to_string() }
}

fn no_effect(chain: &Chain, node: NodeId) -> Error {
    let name = chain.find(node).map_or("group", Node::name);
    Error::impossible(format!("A group ({name}) has no parameters. Choose an effect."))
}

fn no_group(chain: &Chain, node: NodeId) -> Error {
    let name = chain.find(node).map_or("effect", Node::name);
    Error::impossible(format!("{name} is not a group. Choose a group."))
}

fn is_sum(node: &Node) -> bool {
    matches!(node.kind, NodeKind::Parallel { .. })
}

fn holds(node: &Node, id: NodeId) -> bool {
    node.id == id || node.children().iter().any(|child| holds(child, id))
}

/// Returns the edited chain in canonical form.
fn finished(mut chain: Chain) -> Result<Chain> {
    chain.nodes = tidied(chain.nodes);
    check_depth(&chain)?;
    Ok(chain)
}

/// Checks that the chain can be written as text and read again.
pub(super) fn check_depth(chain: &Chain) -> Result<()> {
    let count = chain.walk().count();
    if count > MAX_NODES {
        return Err(Error::Limit {
            what: "the number of effects and groups in a chain".to_owned(),
            got: count.to_string(),
            limit: MAX_NODES.to_string(),
        });
    }
    let depth = depth(&chain.nodes);
    if depth <= MAX_DEPTH {
        return Ok(());
    }
    Err(Error::Limit {
        what: "the depth of groups in groups".to_owned(),
        got: format!("{depth} levels"),
        limit: format!("{MAX_DEPTH} levels"),
    })
}

/// Returns the number of brackets open around the deepest node when the nodes are written as text.
fn depth(nodes: &[Node]) -> usize {
    let deepest = nodes.iter().map(|node| {
        let said = usize::from(node.bypass) + usize::from(node.mix != 1.0) + usize::from(node.label.is_some());
        let levels = match node.kind {
            NodeKind::Effect { .. } => said,
            // The bracket of an attribute is that of the group.
            NodeKind::Series { .. } | NodeKind::Parallel { .. } => said.max(1),
            NodeKind::During { .. } => said + 1,
        };
        levels + depth(node.children())
    });
    deepest.max().unwrap_or(0)
}
