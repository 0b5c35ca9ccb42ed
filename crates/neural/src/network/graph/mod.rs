//! Networks as plain data.

mod builder;
mod operation;
mod shapes;

use std::fmt;

pub use builder::Builder;
pub use operation::{
    Activation, Attention, Convolution, Edge, Extend, Left, Lstm, Norm, Normalized, Operation, Right, Rotary,
    TransposedConvolution,
};

use super::{Parameters, Shape};
use base::error::{Error, Result};

/// A value of a graph: the result of one of its nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub(super) u32);

/// An operation with its inputs and the shape of its result.
#[derive(Clone, Debug)]
pub struct Node {
    /// The place in the model, as its weights are named: `encoder.model.3.block.1`.
    pub name: String,
    /// The operation.
    pub operation: Operation,
    /// The values that it takes.
    pub inputs: Vec<Value>,
    /// The shape of its result.
    pub shape: Shape,
}

/// A network: operations in a valid order of execution.
#[derive(Clone, Debug)]
pub struct Graph {
    nodes: Vec<Node>,
    outputs: Vec<(String, Value)>,
}

impl Graph {
    /// Returns the nodes in order of execution.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns the node that computes a value.
    pub fn node(&self, value: Value) -> &Node {
        &self.nodes[value.0 as usize]
    }

    /// Returns the value that node `index` computes.
    pub fn value(&self, index: usize) -> Value {
        Value(index as u32)
    }

    /// Returns the results with their names.
    pub fn outputs(&self) -> &[(String, Value)] {
        &self.outputs
    }

    /// Returns the inputs, in the order they were added.
    pub fn inputs(&self) -> impl Iterator<Item = Value> {
        let is_input = |node: &Node| matches!(node.operation, Operation::Input);
        (0..self.nodes.len() as u32).filter(move |&at| is_input(&self.nodes[at as usize])).map(Value)
    }

    /// Checks that the graph fits these parameters, as its builder did with those that it was built for.
    pub fn check(&self, parameters: &Parameters) -> Result<()> {
        for node in &self.nodes {
            let misfit = |what: &str, got: String, allowed: String| {
                Error::invalid(format!("{what} of {} {}", node.operation.name(), node.name), got, allowed)
            };
            if let Some(unknown) =
                node.operation.parameters().into_iter().find(|parameter| !parameters.contains(*parameter))
            {
                let allowed = format!("one of {}", parameters.iter().count());
                return Err(misfit("parameter", format!("number {}", unknown.0), allowed));
            }
            if matches!(node.operation, Operation::Input | Operation::Reshape) {
                continue;
            }
            let inputs: Vec<Shape> = node.inputs.iter().map(|&input| self.node(input).shape).collect();
            let shape = shapes::infer(&node.operation, &inputs, parameters)
                .map_err(|wrong| misfit(&wrong.what, wrong.got, wrong.allowed))?;
            if shape != node.shape {
                return Err(misfit("shape", shape.to_string(), node.shape.to_string()));
            }
        }
        Ok(())
    }

    /// Returns the graph whose results are also, or only, these values: to look at intermediate values.
    #[must_use]
    pub fn cut(&self, outputs: Vec<(String, Value)>) -> Self {
        Self { nodes: self.nodes.clone(), outputs }
    }
}

impl fmt::Display for Graph {
    /// One line a node: its value, shape, operation, inputs and place.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, node) in self.nodes.iter().enumerate() {
            write!(f, "%{at} {} = {}(", node.shape, node.operation.name())?;
            for (n, input) in node.inputs.iter().enumerate() {
                write!(f, "{}%{}", if n > 0 { ", " } else { "" }, input.0)?;
            }
            writeln!(f, ") {}", node.name)?;
        }
        for (name, value) in &self.outputs {
            writeln!(f, "{name} = %{}", value.0)?;
        }
        Ok(())
    }
}
