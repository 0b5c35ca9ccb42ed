//! State carried from chunk to chunk, and its export and import node by node.

use std::collections::BTreeMap;

use super::super::graph::NodeId;
use super::super::plan::{NodeSections, Op, Plan};
use super::delay::DelayLine;
use super::state::{NodeState, RenderState, Slot};
use base::error::Result;
use dsp::design::Section;
use dsp::kernels::signal::iir_cascade::{Cascade, CascadeState};

/// The state of an operation between chunks, except that of a process, with data planned once. There is one for each
/// operation.
#[derive(Debug)]
pub(super) enum OpState {
    Nothing,
    Cascade {
        cascade: Cascade,
        state: CascadeState,
        /// The gain after the cascade where channels differ. A common gain is folded into the last section.
        gain: Option<Vec<f64>>,
    },
    Delay(DelayLine),
}

impl OpState {
    pub(super) fn new(op: &Op) -> Self {
        match op {
            Op::Cascade { sections, gain, .. } => {
                let shared = gain.windows(2).all(|pair| pair[0] == pair[1]);
                let mut sections = sections.clone();
                if let (true, Some(last), Some(gain)) = (shared, sections.last_mut(), gain.first()) {
                    for weight in &mut last.svf.m {
                        *weight *= gain;
                    }
                }
                Self::Cascade {
                    cascade: Cascade::new(&sections),
                    state: CascadeState::new(gain.len(), sections.len()),
                    gain: (!shared).then(|| gain.clone()),
                }
            }
            Op::Delay { frames, channels, .. } => Self::Delay(DelayLine::new(*channels, *frames)),
            _ => Self::Nothing,
        }
    }
}

/// Returns the state of every node that has one.
pub(super) fn states(ops: &[Op], carried: &[OpState]) -> Vec<NodeState> {
    let mut nodes = Vec::new();
    for (op, carried) in ops.iter().zip(carried) {
        match (op, carried) {
            (Op::Cascade { parts, sections, .. }, OpState::Cascade { state, .. }) => {
                nodes.extend(parts.iter().map(|part| {
                    NodeState {
                        node: part.node,
                        slot: Slot::Sections,
                        effect: part.effect.clone(),
                        channels: state.channels.len(),
                        scale: part.gain_before.clone(),
                        damping: dampings(&sections[part.sections.clone()]),
                        values: state
                            .channels
                            .iter()
                            .flat_map(|channel| &channel[part.sections.clone()])
                            .flatten()
                            .copied()
                            .collect(),
                    }
                }));
            }
            (Op::Delay { node, side, channels, .. }, OpState::Delay(line)) => nodes.push(NodeState {
                node: *node,
                slot: (*side).into(),
                effect: String::new(),
                channels: *channels,
                scale: Vec::new(),
                damping: Vec::new(),
                values: line.state(),
            }),
            (Op::Process { node, effect, process, .. }, _) => nodes.push(NodeState {
                node: *node,
                slot: Slot::Process,
                effect: effect.clone(),
                channels: 0,
                scale: Vec::new(),
                damping: Vec::new(),
                values: process.state(),
            }),
            _ => {}
        }
    }
    nodes
}

/// Adopts the parts of a state that fit. Returns whether the state of every operation with state was found. With
/// `consumed` set, the stream continues after that many frames of the chain's input, and each process receives its
/// position. Otherwise it continues where the state was taken. Operations that do not run there start anew when they
/// do.
pub(super) fn adopt(plan: &mut Plan, carried: &mut [OpState], state: &RenderState, consumed: Option<u64>) -> bool {
    let known: BTreeMap<(NodeId, Slot), &NodeState> =
        state.nodes.iter().map(|node| ((node.node, node.slot), node)).collect();
    let find = |node: NodeId, slot: Slot| known.get(&(node, slot)).copied();
    let mut complete = true;
    for (index, (op, carried)) in plan.ops.iter_mut().zip(carried).enumerate() {
        if consumed.is_some_and(|consumed| !plan.schedule.runs(index, consumed)) {
            continue;
        }
        match (op, carried) {
            (Op::Cascade { parts, sections, .. }, OpState::Cascade { state, .. }) => {
                state.reset();
                for part in parts {
                    let found = find(part.node, Slot::Sections);
                    complete &= adopt_sections(part, &sections[part.sections.clone()], found, state);
                }
            }
            (Op::Delay { node, side, .. }, OpState::Delay(line)) => {
                let found = find(*node, (*side).into());
                complete &= line.restore(found.map_or(&[], |node| &node.values));
            }
            (Op::Process { node, effect, place, process, .. }, _) => {
                let found = find(*node, Slot::Process).filter(|found| found.effect == *effect);
                // Other parameters may have changed the shape of the state; a process rejects such a state.
                let restored = found.is_some_and(|found| process.restore(&found.values).is_ok());
                complete &= restored;
                // After a change of time only the process itself knows its position.
                if let Some(consumed) = consumed.filter(|_| place.keeps_time || !restored) {
                    complete &= process.seek(place.frame(consumed));
                }
            }
            _ => {}
        }
    }
    complete
}

/// Gives the operations whose run begins at the frame `at` of the chain's input their initial state. A part is heard
/// from its run-in on, whatever was rendered before.
pub(super) fn begin(plan: &mut Plan, carried: &mut [OpState], initial: &[NodeState], at: u64) -> Result<()> {
    if plan.schedule.is_constant() {
        return Ok(());
    }
    for (index, (op, carried)) in plan.ops.iter_mut().zip(carried).enumerate() {
        if !plan.schedule.begins(index, at) {
            continue;
        }
        match (op, carried) {
            (Op::Process { node, place, process, .. }, _) => {
                let fresh = initial.iter().find(|state| (state.node, state.slot) == (*node, Slot::Process));
                process.restore(fresh.map_or(&[][..], |state| &state.values))?;
                process.seek(place.frame(at));
            }
            (_, OpState::Cascade { state, .. }) => state.reset(),
            (_, OpState::Delay(line)) => line.silence(),
            _ => {}
        }
    }
    Ok(())
}

/// Tells every process that the stream continues at a frame of the chain's input, including processes after a change of
/// time.
pub(super) fn seek(ops: &mut [Op], consumed: u64) {
    for op in ops {
        if let Op::Process { place, process, .. } = op {
            process.seek(place.frame(consumed));
        }
    }
}

/// Adopts the state of one node's sections. Returns `false` if it does not fit.
fn adopt_sections(
    part: &NodeSections,
    own_sections: &[Section],
    found: Option<&NodeState>,
    state: &mut CascadeState,
) -> bool {
    let channels = state.channels.len();
    let per_channel = 2 * part.sections.len();
    let fitting = found.filter(|node| {
        node.effect == part.effect
            && node.channels == channels
            && node.scale.len() == channels
            && node.damping.len() == own_sections.len()
            && node.values.len() == per_channel * channels
    });
    let Some(found) = fitting else { return per_channel == 0 };
    for (channel, sections) in state.channels.iter_mut().enumerate() {
        let scale = rescale(found.scale[channel], part.gain_before[channel]);
        let values = &found.values[channel * per_channel..(channel + 1) * per_channel];
        let dampings = found.damping.iter().zip(own_sections);
        let kept = sections[part.sections.clone()].iter_mut().zip(values.chunks_exact(2)).zip(dampings);
        for ((to, from), (was, is)) in kept {
            *to = [from[0] * scale * calmed(*was, is.svf.k), from[1] * scale];
        }
    }
    true
}

fn dampings(sections: &[Section]) -> Vec<f64> {
    sections.iter().map(|section| section.svf.k).collect()
}

/// Returns the factor for the first integrator of a section whose damping changes from `was` to `is`.
///
/// The ringing state grows with `1/k`, and its contribution to the output with `k`. Without this factor, a notch whose
/// Q goes from 30 to 0.001 would put thousands of times full scale into one sample. The factor reduces the state to
/// what would ring with the new damping. Sections with two real poles do not ring.
fn calmed(was: f64, is: f64) -> f64 {
    if was < 2.0 && is > was { was / is } else { 1.0 }
}

/// Returns the factor from a state that ran before a gain of `was` to one that runs before a gain of `is`.
fn rescale(was: f64, is: f64) -> f64 {
    if was == is {
        1.0
    } else if is == 0.0 {
        // None of it is audible.
        0.0
    } else {
        was / is
    }
}
