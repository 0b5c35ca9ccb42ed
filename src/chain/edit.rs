//! Edits of a chain, as a person makes them: each gives the edited chain, or an error and no change.
//!
//! Nodes keep their identity; new ones get identities above all that the chain has. A group that is left empty goes, and
//! one that is left with a single node gives way to it, unless both say the same kind of thing of themselves (a mix
//! within a mix).

use serde::Deserialize;
use ts_rs::TS;

use super::graph::{Chain, Node, NodeId, NodeKind};
use super::notation::{MAX_DEPTH, MAX_NODES};
use super::wrap::tidied;
use crate::effects::{self, Arguments, EffectSpec, Parameter, ParameterKind, Purpose, Value};
use crate::error::{Error, Result};

/// Adds an effect with its initial values, as the last of the chain or in series right after a node, and gives its
/// identity. After a branch of a sum it comes into that branch.
///
/// # Errors
/// [`Error::Invalid`] for an unknown effect, [`Error::NotFound`] for an unknown node.
pub fn add_effect(chain: &Chain, effect: &str, after: Option<NodeId>) -> Result<(Chain, NodeId)> {
    let spec = effects::known(effect)?;
    let arguments = spec.arguments(&spec.initial_arguments())?;
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

/// Adds a repair with these arguments, and its initial values for the others, behind the repairs that the chain begins
/// with: a recording is mended before anything else is done to it.
///
/// # Errors
/// [`Error::Invalid`] for an effect that is no repair, or for arguments that it does not take.
pub fn add_repair(chain: &Chain, effect: &str, arguments: &Arguments) -> Result<Chain> {
    let spec = effects::known(effect)?;
    let repairs = || effects::all().iter().filter(|spec| spec.purpose == Purpose::Repair);
    if spec.purpose != Purpose::Repair {
        let allowed = repairs().map(|spec| spec.name).collect::<Vec<_>>().join(", ");
        return Err(Error::invalid("repair", format!("`{effect}`"), allowed));
    }
    let mut complete = spec.initial_arguments();
    arguments.iter().for_each(|(name, value)| complete.set(name, value.clone()));
    let kind = NodeKind::Effect { effect: spec.name.to_owned(), arguments: spec.arguments(&complete)? };
    let is_repair = |node: &Node| match &node.kind {
        NodeKind::Effect { effect, .. } => repairs().any(|spec| spec.name == effect),
        _ => false,
    };
    let at = chain.nodes.iter().take_while(|node| is_repair(node)).count();
    let mut edited = chain.clone();
    edited.nodes.insert(at, Node::new(chain.fresh_id(), kind));
    finished(edited)
}

/// Puts a node behind what a branch of a sum holds.
fn extend_branch(branch: &mut Node, node: Node, group: NodeId) {
    let plain = !branch.bypass && branch.mix == 1.0 && branch.label.is_none();
    if let (true, NodeKind::Series { nodes }) = (plain, &mut branch.kind) {
        nodes.push(node);
        return;
    }
    let first = std::mem::replace(branch, Node::new(group, NodeKind::Series { nodes: Vec::new() }));
    branch.kind = NodeKind::Series { nodes: vec![first, node] };
}

/// Takes a node away, with all that it holds.
///
/// # Errors
/// [`Error::NotFound`].
pub fn remove(chain: &Chain, node: NodeId) -> Result<Chain> {
    let place = place(chain, node)?;
    let mut edited = chain.clone();
    siblings(&mut edited, place.parent)?.remove(place.index);
    finished(edited)
}

/// Moves a node into a group, or into the chain itself, to be at `index` there once it is gone from its old place.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] for a place within the node itself, in what is no group, or beyond its end.
pub fn move_node(chain: &Chain, node: NodeId, parent: Option<NodeId>, index: usize) -> Result<Chain> {
    let from = place(chain, node)?;
    let moved = found(chain, node)?;
    if parent.is_some_and(|parent| holds(moved, parent)) {
        return Err(Error::invalid("place to move to", "the moved node itself", "a place outside of it"));
    }
    let mut edited = chain.clone();
    let moved = siblings(&mut edited, from.parent)?.remove(from.index);
    let target = siblings(&mut edited, parent)?;
    if index > target.len() {
        return Err(Error::invalid("place to move to", index.to_string(), format!("0 to {}", target.len())));
    }
    target.insert(index, moved);
    finished(edited)
}

/// Copies a node to the place behind it, and gives the copy's identity.
///
/// # Errors
/// [`Error::NotFound`].
pub fn duplicate(chain: &Chain, node: NodeId) -> Result<(Chain, NodeId)> {
    let place = place(chain, node)?;
    let mut copy = Chain { nodes: vec![found(chain, node)?.clone()] };
    let id = chain.fresh_id();
    copy.renumber(id);
    let mut edited = chain.clone();
    let siblings = siblings(&mut edited, place.parent)?;
    let behind = siblings.split_off(place.index + 1);
    siblings.extend(copy.nodes.into_iter().chain(behind));
    Ok((finished(edited)?, id))
}

/// How a group puts its nodes together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum GroupKind {
    /// One after the other.
    Series,
    /// Side by side, summed.
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

/// Puts nodes of one list into a group of their own where the first of them stands, in their order, and gives the
/// group's identity. A single node is put in parallel with a branch that changes nothing: `(node + gain(0 dB))`.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] for no node, for nodes of different lists, and for a single one in series.
pub fn group(chain: &Chain, nodes: &[NodeId], kind: GroupKind) -> Result<(Chain, NodeId)> {
    let places = nodes.iter().map(|&node| place(chain, node)).collect::<Result<Vec<_>>>()?;
    let Some(first) = places.iter().min_by_key(|place| place.index) else {
        return Err(Error::invalid("nodes of a group", "none", "one or more"));
    };
    if places.iter().any(|place| place.parent != first.parent) {
        return Err(Error::invalid("nodes of a group", "of different groups", "nodes that stand in one list"));
    }
    let alone = places.iter().all(|place| place.index == first.index);
    if alone && kind == GroupKind::Series {
        return Err(Error::invalid("nodes of a group in series", "one", "two or more"));
    }
    let id = chain.fresh_id();
    let mut edited = chain.clone();
    let list = siblings(&mut edited, first.parent)?;
    let (mut held, left): (Vec<_>, Vec<_>) =
        std::mem::take(list).into_iter().partition(|node| nodes.contains(&node.id));
    if alone {
        let spec = effects::known("gain")?;
        let arguments = spec.arguments(&spec.initial_arguments())?;
        held.push(Node::new(NodeId(id.0 + 1), NodeKind::Effect { effect: spec.name.to_owned(), arguments }));
    }
    *list = left;
    list.insert(first.index, Node::new(id, kind.of(held)));
    Ok((finished(edited)?, id))
}

/// Lets what a group holds stand in its place, one after the other in the chain or a series, side by side in a sum. A
/// group that is passed over passes that on to what it held; its mix and its name go.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] for an effect.
pub fn ungroup(chain: &Chain, node: NodeId) -> Result<Chain> {
    let place = place(chain, node)?;
    let mut edited = chain.clone();
    let list = siblings(&mut edited, place.parent)?;
    let bypass = list[place.index].bypass;
    let Some(held) = list[place.index].children_mut().map(std::mem::take) else {
        return Err(no_group(chain, node));
    };
    let held = held.into_iter().map(|node| Node { bypass: node.bypass || bypass, ..node });
    list.splice(place.index..=place.index, held);
    finished(edited)
}

/// Puts what a group holds together in another way.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] for an effect.
pub fn set_group(chain: &Chain, node: NodeId, kind: GroupKind) -> Result<Chain> {
    let mut edited = chain.clone();
    let group = found_mut(&mut edited, node)?;
    let Some(held) = group.children_mut().map(std::mem::take) else {
        return Err(no_group(chain, node));
    };
    group.kind = kind.of(held);
    finished(edited)
}

/// Sets one parameter of an effect. Where a word is chosen that others do not go with, such as a design that has no
/// ripple, these go back to their defaults.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] for a group, an unknown parameter, a value that is not allowed or that does
/// not go with the others.
pub fn set_argument(chain: &Chain, node: NodeId, name: &str, value: Value) -> Result<Chain> {
    let mut edited = chain.clone();
    let NodeKind::Effect { effect, arguments } = &mut found_mut(&mut edited, node)?.kind else {
        return Err(no_effect(chain, node));
    };
    let spec = effects::known(effect)?;
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

/// The arguments with those that do not go with the word now chosen for `name` back at their defaults: one of them, else
/// as few as it takes from the last on. A word that makes others meaningless can then be chosen whatever they are.
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

/// Gives an effect its initial values again; bypass, mix and label stay.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] for a group.
pub fn reset(chain: &Chain, node: NodeId) -> Result<Chain> {
    let mut edited = chain.clone();
    let NodeKind::Effect { effect, arguments } = &mut found_mut(&mut edited, node)?.kind else {
        return Err(no_effect(chain, node));
    };
    let spec = effects::known(effect)?;
    *arguments = spec.arguments(&spec.initial_arguments())?;
    Ok(edited)
}

/// Passes a node over, or not.
///
/// # Errors
/// [`Error::NotFound`].
pub fn set_bypass(chain: &Chain, node: NodeId, bypass: bool) -> Result<Chain> {
    let mut edited = chain.clone();
    found_mut(&mut edited, node)?.bypass = bypass;
    finished(edited)
}

/// Sets how much of a node's output is heard, 0..1.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] outside 0..1.
pub fn set_mix(chain: &Chain, node: NodeId, mix: f64) -> Result<Chain> {
    if !(0.0..=1.0).contains(&mix) {
        return Err(Error::invalid("mix", effects::Unit::Percent.written(mix), "0 % to 100 %"));
    }
    let mut edited = chain.clone();
    found_mut(&mut edited, node)?.mix = mix;
    finished(edited)
}

/// Names a node; an empty name takes its name away.
///
/// # Errors
/// [`Error::NotFound`].
pub fn set_label(chain: &Chain, node: NodeId, label: Option<&str>) -> Result<Chain> {
    let mut edited = chain.clone();
    found_mut(&mut edited, node)?.label = label.map(str::trim).filter(|label| !label.is_empty()).map(str::to_owned);
    finished(edited)
}

/// Puts a chain in the place of a node, under new identities: several nodes come as a group, an empty chain leaves
/// nothing.
///
/// # Errors
/// [`Error::NotFound`].
pub fn replace_node(chain: &Chain, node: NodeId, by: &Chain) -> Result<Chain> {
    let place = place(chain, node)?;
    let mut new = Chain { nodes: vec![Node::new(NodeId(0), NodeKind::Series { nodes: by.nodes.clone() })] };
    new.renumber(chain.fresh_id());
    let mut edited = chain.clone();
    siblings(&mut edited, place.parent)?.splice(place.index..=place.index, new.nodes);
    finished(edited)
}

/// Puts a chain in the place of another; nodes that are found again keep their identity.
pub fn replace_chain(chain: &Chain, by: &Chain) -> Chain {
    let mut new = by.clone();
    new.adopt_ids(chain);
    new
}

/// Where a node stands: in which group (none is the chain itself), as which of its nodes.
struct Place {
    parent: Option<NodeId>,
    index: usize,
}

fn place(chain: &Chain, node: NodeId) -> Result<Place> {
    let lists = std::iter::once((None, chain.nodes.as_slice()))
        .chain(chain.walk().map(|group| (Some(group.id), group.children())));
    for (parent, nodes) in lists {
        if let Some(index) = nodes.iter().position(|candidate| candidate.id == node) {
            return Ok(Place { parent, index });
        }
    }
    Err(not_found(node))
}

fn siblings(chain: &mut Chain, parent: Option<NodeId>) -> Result<&mut Vec<Node>> {
    match parent {
        None => Ok(&mut chain.nodes),
        Some(parent) => found_mut(chain, parent)?
            .children_mut()
            .ok_or_else(|| Error::invalid("place to move to", "an effect", "a group or the chain itself")),
    }
}

fn found(chain: &Chain, node: NodeId) -> Result<&Node> {
    chain.find(node).ok_or_else(|| not_found(node))
}

fn found_mut(chain: &mut Chain, node: NodeId) -> Result<&mut Node> {
    chain.find_mut(node).ok_or_else(|| not_found(node))
}

fn not_found(node: NodeId) -> Error {
    Error::NotFound { what: "node of the chain", name: node.0.to_string() }
}

fn no_effect(chain: &Chain, node: NodeId) -> Error {
    let name = chain.find(node).map_or("group", Node::name);
    Error::invalid("node", format!("{name}, a group"), "an effect, which has parameters")
}

fn no_group(chain: &Chain, node: NodeId) -> Error {
    let name = chain.find(node).map_or("effect", Node::name);
    Error::invalid("node", format!("{name}, an effect"), "a group, which holds nodes")
}

fn is_sum(node: &Node) -> bool {
    matches!(node.kind, NodeKind::Parallel { .. })
}

fn holds(node: &Node, id: NodeId) -> bool {
    node.id == id || node.children().iter().any(|child| holds(child, id))
}

/// The edited chain in its canonical form.
fn finished(mut chain: Chain) -> Result<Chain> {
    chain.nodes = tidied(chain.nodes);
    check_depth(&chain)?;
    Ok(chain)
}

/// Whether the chain can be written as text and read again.
pub(super) fn check_depth(chain: &Chain) -> Result<()> {
    let count = chain.walk().count();
    if count > MAX_NODES {
        return Err(Error::Limit {
            what: "effects and groups of a chain".to_owned(),
            got: count.to_string(),
            limit: MAX_NODES.to_string(),
        });
    }
    let depth = depth(&chain.nodes);
    if depth <= MAX_DEPTH {
        return Ok(());
    }
    Err(Error::Limit {
        what: "nesting of groups".to_owned(),
        got: format!("{depth} levels"),
        limit: format!("{MAX_DEPTH} levels"),
    })
}

/// How many brackets are open around the deepest node when the nodes are written as text.
fn depth(nodes: &[Node]) -> usize {
    let deepest = nodes.iter().map(|node| {
        let said = usize::from(node.bypass) + usize::from(node.mix != 1.0) + usize::from(node.label.is_some());
        let is_group = matches!(node.kind, NodeKind::Series { .. } | NodeKind::Parallel { .. });
        said.max(usize::from(is_group)) + depth(node.children())
    });
    deepest.max().unwrap_or(0)
}
