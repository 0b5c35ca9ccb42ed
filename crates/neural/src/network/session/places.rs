//! Where the values of a graph are stored while it runs: in slots, shared by values that are not needed at the same
//! time.

use crate::network::{Graph, Operation, Value};

use super::fused::Fused;

/// The position of a value in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub home: Home,
    /// The first number.
    pub first: usize,
    /// The number of numbers.
    pub count: usize,
}

/// The memory of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    /// An input of the item.
    Input(usize),
    /// A slot.
    Slot(usize),
}

/// Finds a place for the results of all steps. Returns the places of all values that have one, and the sizes of the
/// slots.
pub(super) fn place(graph: &Graph, steps: &[Fused]) -> (Vec<Option<Place>>, Vec<usize>) {
    let values = graph.nodes().len();
    // For each value, the value whose memory it is a part of, and its offset there.
    let mut roots: Vec<(usize, usize)> = Vec::with_capacity(values);
    for (at, node) in graph.nodes().iter().enumerate() {
        roots.push(match &node.operation {
            Operation::Reshape => roots[node.inputs[0].0 as usize],
            Operation::Channels { start, .. } => {
                let (root, first) = roots[node.inputs[0].0 as usize];
                (root, first + start * node.shape.rows * node.shape.frames)
            }
            _ => (at, 0),
        });
    }
    let root = |value: Value| roots[value.0 as usize].0;
    let mut last_use = vec![0_usize; values];
    for (at, step) in steps.iter().enumerate() {
        last_use[root(step.output)] = at;
        step.inputs.iter().for_each(|&input| last_use[root(input)] = at);
    }
    graph.outputs().iter().for_each(|(_, value)| last_use[root(*value)] = usize::MAX);
    let mut homes: Vec<Option<Home>> = vec![None; values];
    for (n, input) in graph.inputs().enumerate() {
        homes[input.0 as usize] = Some(Home::Input(n));
    }
    let mut sizes: Vec<usize> = Vec::new();
    let mut free: Vec<usize> = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        let size = graph.node(step.output).shape.len();
        // The smallest that is large enough, else the largest of the others.
        let large = free.iter().copied().filter(|&slot| sizes[slot] >= size).min_by_key(|&slot| sizes[slot]);
        let slot = large.or_else(|| free.iter().copied().max_by_key(|&slot| sizes[slot])).unwrap_or_else(|| {
            sizes.push(0);
            sizes.len() - 1
        });
        free.retain(|&other| other != slot);
        sizes[slot] = sizes[slot].max(size);
        homes[root(step.output)] = Some(Home::Slot(slot));
        let mut read: Vec<usize> = step.inputs.iter().map(|&input| root(input)).collect();
        read.push(root(step.output));
        read.sort_unstable();
        read.dedup();
        for value in read {
            if let (Some(Home::Slot(slot)), true) = (homes[value], last_use[value] == at) {
                free.push(slot);
            }
        }
    }
    let place = |at: usize| {
        let (root, first) = roots[at];
        homes[root].map(|home| Place { home, first, count: graph.nodes()[at].shape.len() })
    };
    ((0..values).map(place).collect(), sizes)
}
