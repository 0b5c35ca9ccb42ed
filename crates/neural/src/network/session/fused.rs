//! Joins operations that one kernel does in one pass.
//!
//! - A convolution takes what follows it and nothing else reads before: activation, gains, a sum with another value.
//! - A normalisation of groups takes a GLU, and then gains and a sum.
//! - Frames before and after a value take the activation of that value.
//! - Zeros alone before and after a value are left to the convolution that reads them.

use crate::network::{Activation, Edge, Extend, Graph, Left, Normalized, Operation, Parameter, Right, Value};

/// Operations that run together, at the position of the last of them.
#[derive(Clone, Debug)]
pub(super) struct Fused {
    /// The first of the operations.
    pub operation: Operation,
    /// The inputs of the first operation, then the value that is added.
    pub inputs: Vec<Value>,
    /// The result of the last operation.
    pub output: Value,
    /// Before [`Operation::Extend`], after a convolution.
    pub activation: Option<Activation>,
    /// After the activation.
    pub gains: Option<Parameter>,
    /// Whether a GLU follows a normalisation.
    pub gated: bool,
    /// Whether the last input is added.
    pub residual: bool,
    /// Zeros before and after the frames that a convolution reads; as many on both sides.
    pub padding: usize,
}

/// Returns the operations of a graph in a valid order of execution, without inputs and views.
pub(super) fn fuse(graph: &Graph) -> Vec<Fused> {
    let mut uses = vec![0_usize; graph.nodes().len()];
    for node in graph.nodes() {
        node.inputs.iter().for_each(|input| uses[input.0 as usize] += 1);
    }
    // A result is read by the caller too.
    graph.outputs().iter().for_each(|(_, value)| uses[value.0 as usize] += 2);
    let mut steps: Vec<Option<Fused>> = Vec::with_capacity(graph.nodes().len());
    for (at, node) in graph.nodes().iter().enumerate() {
        let output = graph.value(at);
        let before = |n: usize| node.inputs[n].0 as usize;
        let lone = |at: usize| uses[at] == 1;
        let joined = match &node.operation {
            Operation::Input | Operation::Reshape | Operation::Channels { .. } => {
                steps.push(None);
                continue;
            }
            Operation::Activate(activation) if lone(before(0)) => {
                let takes = |step: &Fused| {
                    step.takes_after() && !step.gated && step.activation.is_none() && step.gains.is_none()
                };
                take(&mut steps, before(0), takes).map(|step| Fused { activation: Some(*activation), ..step })
            }
            Operation::Glu if lone(before(0)) => {
                take(&mut steps, before(0), Fused::takes_gate).map(|step| Fused { gated: true, ..step })
            }
            Operation::Scale(gains) if lone(before(0)) => {
                let takes = |step: &Fused| step.takes_after() && step.gains.is_none();
                take(&mut steps, before(0), takes).map(|step| Fused { gains: Some(*gains), ..step })
            }
            Operation::Add if before(0) != before(1) => {
                // The later one can wait for the other.
                let order = if before(0) > before(1) { [0, 1] } else { [1, 0] };
                order.into_iter().find_map(|n| {
                    let step = lone(before(n)).then(|| take(&mut steps, before(n), Fused::takes_after)).flatten()?;
                    let inputs = [step.inputs[0], node.inputs[1 - n]].to_vec();
                    Some(Fused { inputs, residual: true, ..step })
                })
            }
            Operation::Extend(_) if lone(before(0)) => {
                let takes = |step: &Fused| matches!(step.operation, Operation::Activate(_));
                take(&mut steps, before(0), takes).map(|step| {
                    let Operation::Activate(activation) = step.operation else { return step };
                    Fused { operation: node.operation.clone(), activation: Some(activation), ..step }
                })
            }
            Operation::Convolution(_) if lone(before(0)) => {
                let takes = |step: &Fused| step.activation.is_none() && zeros(&step.operation).is_some();
                take(&mut steps, before(0), takes).map(|step| {
                    let padding = zeros(&step.operation).unwrap_or(0);
                    Fused { operation: node.operation.clone(), padding, ..step }
                })
            }
            _ => None,
        };
        let plain = || Fused {
            operation: node.operation.clone(),
            inputs: node.inputs.clone(),
            output,
            activation: None,
            gains: None,
            gated: false,
            residual: false,
            padding: 0,
        };
        steps.push(Some(joined.map_or_else(plain, |step| Fused { output, ..step })));
    }
    steps.into_iter().flatten().collect()
}

/// Takes the step that computes a value, if it fits; it then runs later.
fn take(steps: &mut [Option<Fused>], at: usize, fits: impl Fn(&Fused) -> bool) -> Option<Fused> {
    steps[at].take_if(|step| fits(step))
}

/// The zeros before and after a value, if there is nothing else.
fn zeros(operation: &Operation) -> Option<usize> {
    match operation {
        Operation::Extend(Extend { left: Left::Edge(left, before), right: Right(right, after), keep: None })
            if before == after && [left, right].into_iter().all(|edge| *edge == Edge::Zero) =>
        {
            Some(*before)
        }
        _ => None,
    }
}

impl Fused {
    /// Whether more can follow within the same pass.
    fn takes_after(&self) -> bool {
        let is_product = matches!(self.operation, Operation::Convolution(_) | Operation::TransposedConvolution(_));
        (is_product || self.gated) && !self.residual
    }

    /// Whether a GLU can follow within the same pass.
    fn takes_gate(&self) -> bool {
        let over = match &self.operation {
            Operation::Normalize(norm) => norm.over,
            _ => return false,
        };
        matches!(over, Normalized::Groups(_) | Normalized::GroupsOfRow(_)) && !self.gated
    }
}
