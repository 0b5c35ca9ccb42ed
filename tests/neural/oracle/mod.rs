//! Evaluates graphs in f64, one operation after the other, by the definitions of the operations.

mod attention;
mod codes;
mod norm;
mod products;
mod recurrent;
mod shaping;

use std::collections::HashMap;

use base::error::{Error, Result};
use neural::network::{Activation, Graph, Operation, Parameter, Parameters, Shape, State, Value};

/// Evaluates a graph. `inputs` are the values of [`Graph::inputs`] in their order; the results are those of
/// [`Graph::outputs`]. Kept values are written to `state` in f32.
pub fn run(graph: &Graph, parameters: &Parameters, inputs: &[&[f32]], state: &mut State) -> Result<Vec<Vec<f64>>> {
    let expected: Vec<Value> = graph.inputs().collect();
    if expected.len() != inputs.len() {
        return Err(Error::invalid("inputs of a network", inputs.len().to_string(), expected.len().to_string()));
    }
    let mut values: HashMap<Value, Vec<f64>> = HashMap::new();
    let mut given = inputs.iter();
    let mut taken: Vec<(String, u64)> = Vec::new();
    for node in graph.nodes() {
        let take = |n: usize| Block { shape: graph.node(node.inputs[n]).shape, values: &values[&node.inputs[n]] };
        let known = Known { parameters };
        let computed = match &node.operation {
            Operation::Input => {
                let input = given.next().copied().unwrap_or_default();
                if input.len() != node.shape.len() {
                    let allowed = format!("{} numbers, {}", node.shape.len(), node.shape);
                    return Err(Error::invalid(
                        format!("input {}", node.name),
                        format!("{} numbers", input.len()),
                        allowed,
                    ));
                }
                input.iter().map(|&x| f64::from(x)).collect()
            }
            Operation::Extend(extend) => shaping::extend(extend, take(0), state),
            Operation::Crop { start, frames } => shaping::crop(take(0), *start, *frames),
            Operation::Channels { start, channels } => shaping::channels(take(0), *start, *channels),
            Operation::Join => (0..node.inputs.len()).flat_map(|n| take(n).values.to_vec()).collect(),
            Operation::Transpose => shaping::transpose(take(0)),
            Operation::Reshape => take(0).values.to_vec(),
            Operation::Convolution(convolution) => products::convolution(convolution, take(0), node.shape, known),
            Operation::TransposedConvolution(convolution) => {
                products::transposed(convolution, take(0), node.shape, known)
            }
            Operation::Activate(activation) => activate(*activation, take(0), known),
            Operation::Glu => glu(take(0)),
            Operation::Add => take(0).values.iter().zip(take(1).values).map(|(a, b)| a + b).collect(),
            Operation::Subtract => take(0).values.iter().zip(take(1).values).map(|(a, b)| a - b).collect(),
            Operation::Scale(gains) => take(0).map_channels(known.of(*gains), |x, gain| x * gain),
            Operation::Offset(numbers) => {
                let (x, numbers) = (take(0), known.of(*numbers));
                let run = x.values.len() / numbers.len().max(1);
                x.values.iter().enumerate().map(|(at, x)| x + f64::from(numbers[at / run])).collect()
            }
            Operation::Normalize(n) => norm::normalize(n, take(0), known),
            Operation::Lstm(lstm) => recurrent::lstm(lstm, take(0), known, state),
            Operation::Rotary(rotary) => {
                let first = rotary.sequence.as_ref().map_or(0, |name| state.position(name));
                note(&mut taken, rotary.sequence.as_ref(), node.shape.frames);
                attention::rotary(rotary, take(0), first)
            }
            Operation::Attention(attention) => {
                let first = attention.sequence.as_ref().map(|name| state.position(name));
                note(&mut taken, attention.sequence.as_ref(), node.shape.frames);
                let falls = attention.distances.then(|| take(3));
                attention::attention(attention, [take(0), take(1), take(2)], falls, first)
            }
            Operation::UnitLength => norm::unit_length(take(0)),
            Operation::Nearest { book } => codes::nearest(take(0), known.of(*book)),
            Operation::Lookup { book } => codes::lookup(take(0), known.of(*book), node.shape.channels, &node.name)?,
        };
        debug_assert_eq!(computed.len(), node.shape.len(), "{} of {}", node.operation.name(), node.name);
        values.insert(graph.value(values.len()), computed);
    }
    for (name, frames) in taken {
        state.advance(&name, frames);
    }
    Ok(graph.outputs().iter().map(|(_, value)| values[value].clone()).collect())
}

/// Notes how many frames of a sequence a piece takes; all its operations take as many.
fn note(taken: &mut Vec<(String, u64)>, sequence: Option<&String>, frames: usize) {
    if let Some(name) = sequence.filter(|name| taken.iter().all(|(known, _)| known != *name)) {
        taken.push((name.clone(), frames as u64));
    }
}

/// A value with its shape.
#[derive(Clone, Copy)]
struct Block<'a> {
    shape: Shape,
    values: &'a [f64],
}

impl<'a> Block<'a> {
    /// The row `row` of channel `channel`.
    fn row(self, channel: usize, row: usize) -> &'a [f64] {
        &self.values[(channel * self.shape.rows + row) * self.shape.frames..][..self.shape.frames]
    }

    /// All rows, channel after channel.
    fn rows(self) -> impl Iterator<Item = &'a [f64]> {
        (0..self.shape.channels * self.shape.rows)
            .map(move |row| &self.values[row * self.shape.frames..][..self.shape.frames])
    }

    /// The number at one place.
    fn at(self, channel: usize, row: usize, frame: usize) -> f64 {
        self.row(channel, row)[frame]
    }

    /// Every number with the number of its channel.
    fn map_channels(self, of_channel: &[f32], map: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        let plane = (self.shape.rows * self.shape.frames).max(1);
        let numbers = self.values.chunks(plane).zip(of_channel);
        numbers.flat_map(|(plane, &of)| plane.iter().map(|&x| map(x, f64::from(of))).collect::<Vec<_>>()).collect()
    }
}

/// The numbers of the model.
#[derive(Clone, Copy)]
struct Known<'p> {
    parameters: &'p Parameters,
}

impl<'p> Known<'p> {
    fn of(self, parameter: Parameter) -> &'p [f32] {
        self.parameters.values(parameter)
    }

    fn shape(self, parameter: Parameter) -> &'p [usize] {
        self.parameters.shape(parameter)
    }
}

fn activate(activation: Activation, x: Block<'_>, known: Known<'_>) -> Vec<f64> {
    let each = |map: fn(f64) -> f64| x.values.iter().map(|&x| map(x)).collect();
    match activation {
        Activation::Elu => each(|x| if x > 0.0 { x } else { x.exp_m1() }),
        Activation::Gelu => each(|x| 0.5 * x * statrs::function::erf::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)),
        Activation::Relu => each(|x| x.max(0.0)),
        Activation::Silu => each(|x| x * logistic(x)),
        Activation::Tanh => each(f64::tanh),
        Activation::Snake(alpha) => x.map_channels(known.of(alpha), |x, a| x + (a * x).sin().powi(2) / (a + 1e-9)),
    }
}

fn glu(x: Block<'_>) -> Vec<f64> {
    let (values, gates) = x.values.split_at(x.values.len() / 2);
    values.iter().zip(gates).map(|(x, &gate)| x * logistic(gate)).collect()
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}
