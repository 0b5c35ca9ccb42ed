//! Edits of nodes that act on a part of the recording.

use std::ops::Range;

use super::{finished, found_mut, holds, place, remove, set_arguments, siblings};
use crate::chain::graph::{Chain, Node, NodeId, NodeKind, TimeSpan};
use crate::{Arguments, EffectSpec, Parameter, SelectedPart, SelectionUse};
use base::error::{Error, Result};
use base::units::SampleRate;

/// Moves what acts on a part of the recording with the sound of that part. `of` tells where the frames of a range are
/// after an edit, `None` if all of them are gone: then a repair or a part is removed, and other effects stay as they
/// are. `frames` are the lengths before and after.
///
/// # Errors
/// [`Error::Invalid`] if an effect does not accept its new times.
pub fn moved(
    chain: &Chain,
    rate: SampleRate,
    (before, after): (u64, u64),
    of: impl Fn(Range<u64>) -> Option<Range<u64>>,
) -> Result<Chain> {
    let mut edited = chain.clone();
    let seconds = |frame| rate.seconds_from_frames(frame);
    for node in chain.walk().map(|node| node.id) {
        let Some(span) = span_of(chain, node) else { continue };
        let range = rate.frames_from_seconds(span.from_s)..rate.frames_from_seconds(span.to_s);
        // A part may reach beyond the end, so that it does not fade there.
        let beyond_s = span.to_s - seconds(range.end.min(before));
        let range = range.start.min(before)..range.end.min(before);
        match of(range.clone()) {
            Some(now) if now == range && before == after => {}
            Some(now) => {
                let to_s = seconds(now.end) + if now.end == after { beyond_s } else { 0.0 };
                edited = set_span(&edited, node, TimeSpan { from_s: seconds(now.start), to_s, ..span })?;
            }
            None => edited = remove(&edited, node)?,
        }
    }
    // Times within a part count from its beginning, and move with it.
    for node in chain.walk_outside_parts() {
        let Some((spec, arguments)) = used_for(node) else { continue };
        let node = node.id;
        let Some(part) = SelectedPart::of_arguments(spec, arguments, seconds(before)) else { continue };
        let range = rate.frames_from_seconds(part.from_s)..rate.frames_from_seconds(part.to_s);
        let range = range.start..range.end.min(before);
        // An effect on everything remains one.
        if range.is_empty() || range == (0..before) {
            continue;
        }
        match of(range.clone()) {
            Some(now) if now == range && before == after => {}
            Some(now) => {
                let part = SelectedPart {
                    from_s: seconds(now.start),
                    to_s: seconds(now.end),
                    length_s: seconds(after),
                    ..part
                };
                let times = part.arguments(spec);
                let mut changed = Arguments::default();
                times.iter().filter(|(name, _)| !matches!(*name, "low" | "high")).for_each(|(name, value)| {
                    changed.set(name, value.clone());
                });
                edited = set_arguments(&edited, node, &changed)?;
            }
            None if spec.selection == Some(SelectionUse::Region) => edited = remove(&edited, node)?,
            None => {}
        }
    }
    Ok(edited)
}

/// Returns the times of a part; `None` for another node.
pub fn span_of(chain: &Chain, node: NodeId) -> Option<TimeSpan> {
    match chain.find(node)?.kind {
        NodeKind::During { span, .. } => Some(span),
        _ => None,
    }
}

/// Lets nodes of one list act on only a part of the recording, at the position of the first of them, and returns the
/// new group's identity. Parts among them lose their times.
///
/// # Errors
/// [`Error::Impossible`] for an empty list, for nodes of different lists, and for nodes within a part.
pub fn act_during(chain: &Chain, nodes: &[NodeId], span: TimeSpan) -> Result<(Chain, NodeId)> {
    span.check()?;
    if let [node] = nodes
        && span_of(chain, *node).is_some()
    {
        return Ok((set_span(chain, *node, span)?, *node));
    }
    let places = nodes.iter().map(|&node| place(chain, node)).collect::<Result<Vec<_>>>()?;
    let Some(first) = places.iter().min_by_key(|place| place.index) else {
        return Err(Error::impossible("A part needs at least one effect. Select some first."));
    };
    if places.iter().any(|place| place.parent != first.parent) {
        return Err(Error::impossible("Only effects side by side can act on one part. Select effects of one group."));
    }
    let is_repair = |node: &Node| used_for(node).is_some_and(|(spec, _)| spec.selection == Some(SelectionUse::Region));
    if chain.walk().filter(|node| nodes.contains(&node.id)).any(|node| any(node, &is_repair)) {
        return Err(Error::impossible("A repair has times of its own. Use the selection for it instead."));
    }
    if nodes.iter().any(|&node| part_around(chain, node).is_some()) {
        return Err(Error::impossible("This effect acts on a part already. Change the times of the part."));
    }
    let id = chain.fresh_id();
    let mut edited = chain.clone();
    let list = siblings(&mut edited, first.parent)?;
    let (mut held, left): (Vec<_>, Vec<_>) =
        std::mem::take(list).into_iter().partition(|node| nodes.contains(&node.id));
    *list = left;
    dissolve_parts(&mut held);
    retime(&mut held, &Retime::Into(span));
    list.insert(first.index, Node::new(id, NodeKind::During { span, nodes: held }));
    Ok((finished(edited)?, id))
}

/// Replaces parts by plain groups.
fn dissolve_parts(nodes: &mut [Node]) {
    for node in nodes {
        if let NodeKind::During { nodes, .. } = &mut node.kind {
            node.kind = NodeKind::Series { nodes: std::mem::take(nodes) };
        }
        node.children_mut().into_iter().for_each(|children| dissolve_parts(children));
    }
}

/// How the times of effects change that move into a part or out of it.
enum Retime {
    /// They count from the beginning of the part afterwards.
    Into(TimeSpan),
    /// They count from the beginning of the recording afterwards.
    OutOf(TimeSpan),
}

/// Adapts the times of effects that take a part of what they hear. Fades take all of a part into which they move.
/// Anything else that lies outside the part takes its initial values.
fn retime(nodes: &mut [Node], retime: &Retime) {
    for node in nodes {
        if let NodeKind::Effect { effect, arguments } = &mut node.kind
            && let Some(spec) = crate::find(effect)
        {
            let span = match retime {
                Retime::Into(span) | Retime::OutOf(span) => span,
            };
            let length_s = span.to_s - span.from_s;
            let all = SelectedPart { from_s: 0.0, to_s: length_s, low_hz: 0.0, high_hz: 0.0, length_s };
            let part = SelectedPart::of_arguments(spec, arguments, length_s);
            let now = match (retime, spec.selection, part) {
                (Retime::Into(_), Some(SelectionUse::FadeIn | SelectionUse::FadeOut), _) => Some(all),
                (Retime::Into(_), Some(SelectionUse::Noise | SelectionUse::Level), Some(part)) => {
                    let (from_s, to_s) = (part.from_s - span.from_s, part.to_s - span.from_s);
                    if from_s < 0.0 || to_s > length_s {
                        initial_times(spec).iter().for_each(|(name, value)| arguments.set(name, value.clone()));
                        continue;
                    }
                    Some(SelectedPart { from_s, to_s, ..part })
                }
                (Retime::OutOf(_), Some(SelectionUse::Noise | SelectionUse::Level), Some(part)) => {
                    Some(SelectedPart { from_s: part.from_s + span.from_s, to_s: part.to_s + span.from_s, ..part })
                }
                _ => None,
            };
            let times = now.map(|now| now.arguments(spec)).unwrap_or_default();
            times.iter().for_each(|(name, value)| arguments.set(name, value.clone()));
        }
        node.children_mut().into_iter().for_each(|children| self::retime(children, retime));
    }
}

/// Returns the initial values of the arguments with which an effect takes a part of the recording: it takes none.
pub fn initial_times(spec: &EffectSpec) -> Arguments {
    let anything = SelectedPart { from_s: 0.0, to_s: 1.0, low_hz: 0.0, high_hz: 1.0, length_s: 1.0 };
    let mut initial = Arguments::default();
    for (name, _) in anything.arguments(spec).iter() {
        if let Some(value) = spec.parameter(name).and_then(Parameter::initial_value) {
            initial.set(name, value);
        }
    }
    initial
}

/// Returns a node with its times adapted to a move from one part, or the recording, to another.
pub(super) fn moved_between(node: Node, was: Option<TimeSpan>, is: Option<TimeSpan>) -> Node {
    let mut nodes = [node];
    if was != is {
        was.into_iter().for_each(|span| retime(&mut nodes, &Retime::OutOf(span)));
        is.into_iter().for_each(|span| retime(&mut nodes, &Retime::Into(span)));
    }
    let [node] = nodes;
    node
}

/// Returns the times of the part on which a node acts; `None` if it acts on the recording.
pub fn span_around(chain: &Chain, node: NodeId) -> Option<TimeSpan> {
    part_around(chain, node).and_then(|part| span_of(chain, part.id))
}

/// Prepares a part whose nodes move out of it.
pub(super) fn end_of_part(part: &mut Node) {
    if let NodeKind::During { span, nodes } = &mut part.kind {
        retime(nodes, &Retime::OutOf(*span));
    }
}

/// Returns the effect of a node and its arguments; `None` for a group.
fn used_for(node: &Node) -> Option<(&'static EffectSpec, &Arguments)> {
    match &node.kind {
        NodeKind::Effect { effect, arguments } => Some((crate::find(effect)?, arguments)),
        _ => None,
    }
}

fn any(node: &Node, is: &impl Fn(&Node) -> bool) -> bool {
    is(node) || node.children().iter().any(|child| any(child, is))
}

/// Changes the times of a part.
pub fn set_span(chain: &Chain, node: NodeId, span: TimeSpan) -> Result<Chain> {
    span.check()?;
    let mut edited = chain.clone();
    match &mut found_mut(&mut edited, node)?.kind {
        NodeKind::During { span: current, .. } => *current = span,
        _ => return Err(Error::impossible("This acts on the whole recording. Let it act on the selection first.")),
    }
    Ok(edited)
}

/// Returns the part in which a node lies, if it does.
pub fn part_around(chain: &Chain, node: NodeId) -> Option<&Node> {
    chain.walk().find(|part| matches!(part.kind, NodeKind::During { .. }) && part.id != node && holds(part, node))
}
