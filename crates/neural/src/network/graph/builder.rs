//! Builds and checks graphs.

use super::operation::{
    Activation, Attention, Convolution, Extend, Lstm, Norm, Operation, Rotary, TransposedConvolution,
};
use super::{Graph, Node, Value};
use crate::network::{Parameter, Parameters, Shape};
use base::error::{Error, Result};

/// Builds a [`Graph`], node by node. Each method adds the operation of that name and returns its result; operations
/// that do not fit their inputs are refused with the place in the model.
#[derive(Debug)]
pub struct Builder<'p> {
    parameters: &'p Parameters,
    nodes: Vec<Node>,
    place: Vec<String>,
}

impl<'p> Builder<'p> {
    /// Begins a graph of a model with these parameters.
    pub fn new(parameters: &'p Parameters) -> Self {
        Self { parameters, nodes: Vec::new(), place: Vec::new() }
    }

    /// Returns the parameters.
    pub fn parameters(&self) -> &'p Parameters {
        self.parameters
    }

    /// Builds nodes within a part of the model; their names begin with its name.
    pub fn within<T>(&mut self, part: impl Into<String>, build: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.place.push(part.into());
        let built = build(self);
        self.place.pop();
        built
    }

    /// Returns the name of a part of the part that is being built.
    pub fn name(&self, part: &str) -> String {
        let mut name = self.place.join(".");
        if !part.is_empty() {
            name += if name.is_empty() { "" } else { "." };
            name += part;
        }
        name
    }

    /// Returns the shape of a value.
    pub fn shape(&self, value: Value) -> Shape {
        self.nodes[value.0 as usize].shape
    }

    /// Adds a value that is given from outside.
    pub fn input(&mut self, name: &str, shape: Shape) -> Value {
        self.push(Node { name: name.to_owned(), operation: Operation::Input, inputs: Vec::new(), shape })
    }

    /// Adds an operation.
    ///
    /// # Errors
    /// [`Error::Invalid`] if it does not fit its inputs or parameters, with the place, the actual and the allowed
    /// values.
    pub fn operation(&mut self, operation: Operation, inputs: &[Value]) -> Result<Value> {
        let shapes: Vec<Shape> = inputs.iter().map(|&input| self.shape(input)).collect();
        let shape = super::shapes::infer(&operation, &shapes, self.parameters).map_err(|misfit| {
            Error::invalid(
                format!("{} of {} {}", misfit.what, operation.name(), self.name("")),
                misfit.got,
                misfit.allowed,
            )
        })?;
        let name = self.name("");
        Ok(self.push(Node { name, operation, inputs: inputs.to_vec(), shape }))
    }

    /// The numbers of a value in another shape.
    pub fn reshape(&mut self, x: Value, shape: Shape) -> Result<Value> {
        let from = self.shape(x);
        if from.len() != shape.len() {
            return Err(Error::invalid(
                format!("shape of {}", self.name("")),
                shape.to_string(),
                format!("as large as {from}"),
            ));
        }
        let name = self.name("");
        Ok(self.push(Node { name, operation: Operation::Reshape, inputs: vec![x], shape }))
    }

    /// See [`Operation::Extend`].
    pub fn extend(&mut self, x: Value, extend: Extend) -> Result<Value> {
        self.operation(Operation::Extend(extend), &[x])
    }

    /// See [`Operation::Crop`].
    pub fn crop(&mut self, x: Value, start: usize, frames: usize) -> Result<Value> {
        self.operation(Operation::Crop { start, frames }, &[x])
    }

    /// See [`Operation::Channels`].
    pub fn channels(&mut self, x: Value, start: usize, channels: usize) -> Result<Value> {
        self.operation(Operation::Channels { start, channels }, &[x])
    }

    /// See [`Operation::Join`].
    pub fn join(&mut self, values: &[Value]) -> Result<Value> {
        self.operation(Operation::Join, values)
    }

    /// See [`Operation::Convolution`].
    pub fn convolution(&mut self, x: Value, convolution: Convolution) -> Result<Value> {
        self.operation(Operation::Convolution(convolution), &[x])
    }

    /// See [`Operation::TransposedConvolution`].
    pub fn transposed_convolution(&mut self, x: Value, convolution: TransposedConvolution) -> Result<Value> {
        self.operation(Operation::TransposedConvolution(convolution), &[x])
    }

    /// See [`Operation::Activate`].
    pub fn activate(&mut self, x: Value, activation: Activation) -> Result<Value> {
        self.operation(Operation::Activate(activation), &[x])
    }

    /// See [`Operation::Add`].
    pub fn add(&mut self, a: Value, b: Value) -> Result<Value> {
        self.operation(Operation::Add, &[a, b])
    }

    /// See [`Operation::Subtract`].
    pub fn subtract(&mut self, a: Value, b: Value) -> Result<Value> {
        self.operation(Operation::Subtract, &[a, b])
    }

    /// See [`Operation::Scale`].
    pub fn scale(&mut self, x: Value, gains: Parameter) -> Result<Value> {
        self.operation(Operation::Scale(gains), &[x])
    }

    /// See [`Operation::Offset`].
    pub fn offset(&mut self, x: Value, numbers: Parameter) -> Result<Value> {
        self.operation(Operation::Offset(numbers), &[x])
    }

    /// See [`Operation::Glu`].
    pub fn glu(&mut self, x: Value) -> Result<Value> {
        self.operation(Operation::Glu, &[x])
    }

    /// See [`Operation::Normalize`].
    pub fn normalize(&mut self, x: Value, norm: Norm) -> Result<Value> {
        self.operation(Operation::Normalize(norm), &[x])
    }

    /// See [`Operation::Lstm`].
    pub fn lstm(&mut self, x: Value, lstm: Lstm) -> Result<Value> {
        self.operation(Operation::Lstm(lstm), &[x])
    }

    /// See [`Operation::Rotary`].
    pub fn rotary(&mut self, x: Value, rotary: Rotary) -> Result<Value> {
        self.operation(Operation::Rotary(rotary), &[x])
    }

    /// See [`Operation::Attention`].
    pub fn attention(&mut self, query: Value, keys: Value, values: Value, attention: Attention) -> Result<Value> {
        self.operation(Operation::Attention(attention), &[query, keys, values])
    }

    /// See [`Operation::Attention`], and [`Attention::distances`] for `falls`.
    pub fn near_attention(&mut self, [query, keys, values, falls]: [Value; 4], heads: usize) -> Result<Value> {
        let attention = Attention { heads, key_heads: heads, window: None, sequence: None, distances: true };
        self.operation(Operation::Attention(attention), &[query, keys, values, falls])
    }

    /// See [`Operation::Nearest`].
    pub fn nearest(&mut self, x: Value, book: Parameter) -> Result<Value> {
        self.operation(Operation::Nearest { book }, &[x])
    }

    /// See [`Operation::Lookup`].
    pub fn lookup(&mut self, codes: Value, book: Parameter) -> Result<Value> {
        self.operation(Operation::Lookup { book }, &[codes])
    }

    /// Ends the graph with its results.
    pub fn finish(self, outputs: Vec<(String, Value)>) -> Graph {
        Graph { nodes: self.nodes, outputs }
    }

    fn push(&mut self, node: Node) -> Value {
        self.nodes.push(node);
        Value(self.nodes.len() as u32 - 1)
    }
}
