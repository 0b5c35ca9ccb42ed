//! The steps of a network, with all that they need.

use std::sync::Arc;

use super::constants::Constants;
use super::fused::{Fused, fuse};
use super::places::{Place, place};
use crate::network::{Activation, Graph, Operation, Parameter, Shape};
use dsp::kernels::network::{attention, convolution, lstm, nearest, norm};

/// A planned network.
#[derive(Debug)]
pub(super) struct Plan {
    pub steps: Vec<Step>,
    /// The sizes of the slots.
    pub sizes: Vec<usize>,
    /// Names and shapes of the inputs.
    pub inputs: Vec<(String, Shape)>,
    pub outputs: Vec<Place>,
    pub constants: Arc<Constants>,
}

/// The work of one kernel in one pass.
#[derive(Debug)]
pub(super) struct Step {
    pub fused: Fused,
    pub prepared: Prepared,
    pub inputs: Vec<Place>,
    pub output: Place,
    /// The shape of the first input.
    pub from: Shape,
    /// The shape of the result.
    pub shape: Shape,
    /// The place in the model.
    pub name: String,
}

/// The data prepared for a step.
#[derive(Debug)]
pub(super) enum Prepared {
    Nothing,
    Product { plan: Box<convolution::Plan>, weights: Parameter, bias: Option<Parameter> },
    Attention(attention::Plan),
    Layer(Arc<lstm::Layer>),
    Book(Arc<nearest::Book>),
}

impl Plan {
    pub fn new(graph: &Graph, constants: &Arc<Constants>) -> Self {
        let fused = fuse(graph);
        let (places, sizes) = place(graph, &fused);
        let of = |value: crate::network::Value| places[value.0 as usize];
        let steps = fused
            .into_iter()
            .filter_map(|fused| {
                let node = graph.node(fused.output);
                let from = fused.inputs.first().map_or(node.shape, |&input| graph.node(input).shape);
                let inputs = fused.inputs.iter().filter_map(|&input| of(input)).collect();
                let keys = fused.inputs.get(1).map(|&keys| graph.node(keys).shape);
                let prepared = prepare(&fused, from, keys, node.shape, constants);
                let (output, shape, name) = (of(fused.output)?, node.shape, node.name.clone());
                Some(Step { fused, prepared, inputs, output, from, shape, name })
            })
            .collect();
        let input = |value| (graph.node(value).name.clone(), graph.node(value).shape);
        Self {
            steps,
            sizes,
            inputs: graph.inputs().map(input).collect(),
            outputs: graph.outputs().iter().filter_map(|(_, value)| of(*value)).collect(),
            constants: Arc::clone(constants),
        }
    }

    /// The number of multiplications, each with an addition, of all products.
    pub fn products(&self) -> u64 {
        let of_step = |step: &Step| match &step.prepared {
            Prepared::Product { plan, .. } => plan.products(),
            Prepared::Attention(plan) => plan.products(),
            Prepared::Layer(layer) => layer.products() * (step.shape.rows * step.shape.frames) as u64,
            Prepared::Book(book) => book.products() * step.shape.len() as u64,
            Prepared::Nothing => 0,
        };
        self.steps.iter().map(of_step).sum()
    }

    /// Returns the approximate number of kernels that follow one another on a GPU: one a step, and one a frame of an LSTM.
    pub fn dispatches(&self) -> u64 {
        let of_step = |step: &Step| match &step.prepared {
            Prepared::Layer(_) => 1 + step.shape.frames as u64,
            _ => 1,
        };
        self.steps.iter().map(of_step).sum()
    }
}

fn prepare(fused: &Fused, from: Shape, keys: Option<Shape>, shape: Shape, constants: &Arc<Constants>) -> Prepared {
    let parameters = constants.parameters();
    match &fused.operation {
        Operation::Convolution(of) => {
            let weights = parameters.shape(of.weights);
            let kind = convolution::Kind::Forward {
                taps: [weights[2], weights[3]],
                stride: of.stride,
                dilation: of.dilation,
                padding: [of.row_padding, fused.padding],
            };
            let plan = convolution::Plan::new(kind, of.groups, weights[0], size(from));
            Prepared::Product { plan: Box::new(plan), weights: of.weights, bias: of.bias }
        }
        Operation::TransposedConvolution(of) => {
            let weights = parameters.shape(of.weights);
            let kind = convolution::Kind::Transposed {
                taps: weights[2],
                stride: of.stride,
                along_rows: of.along_rows,
                cut: of.cut,
            };
            let plan = convolution::Plan::new(kind, of.groups, weights[1] * of.groups, size(from));
            Prepared::Product { plan: Box::new(plan), weights: of.weights, bias: of.bias }
        }
        Operation::Attention(of) => {
            let keys = keys.unwrap_or(from);
            let width = from.channels / of.heads;
            Prepared::Attention(attention::Plan {
                heads: of.heads,
                key_heads: of.key_heads,
                width,
                value_width: shape.channels / of.heads,
                frames: from.frames,
                keys: keys.frames,
                window: of.window,
                distances: of.distances,
            })
        }
        Operation::Lstm(of) => Prepared::Layer(constants.layer(of)),
        Operation::Nearest { book } => Prepared::Book(constants.book(*book)),
        _ => Prepared::Nothing,
    }
}

/// The size of a shape, as kernels call it.
pub(super) fn size(shape: Shape) -> convolution::Size {
    convolution::Size { channels: shape.channels, rows: shape.rows, frames: shape.frames }
}

/// Returns a normalisation in its kernel's form.
pub(super) fn norm_of<'a>(of: &crate::network::Norm, number: impl Fn(Parameter) -> &'a [f32]) -> norm::Norm<'a> {
    use crate::network::Normalized;
    let over = match of.over {
        Normalized::Channels => norm::Over::Channels,
        Normalized::ChannelsRms => norm::Over::ChannelsRms,
        Normalized::Groups(groups) => norm::Over::Groups(groups),
        Normalized::GroupsOfRow(groups) => norm::Over::GroupsOfRow(groups),
    };
    norm::Norm { over, gain: of.gain.map(&number), bias: of.bias.map(&number), epsilon: of.epsilon }
}

/// An activation with its numbers.
pub(super) fn activation_of<'a>(
    of: Activation,
    number: impl Fn(Parameter) -> &'a [f32],
) -> dsp::kernels::network::pointwise::Activation<'a> {
    use dsp::kernels::network::pointwise::Activation as Of;
    match of {
        Activation::Elu => Of::Elu,
        Activation::Gelu => Of::Gelu,
        Activation::Relu => Of::Relu,
        Activation::Silu => Of::Silu,
        Activation::Tanh => Of::Tanh,
        Activation::Snake(alpha) => Of::Snake(number(alpha)),
    }
}
