//! The layers of encoders and decoders.

use super::Configuration;
use super::layer_size::{Along, LayerSize};
use super::residual::Residual;
use crate::models::tensors::Tensors;
use crate::network::{
    Activation, Builder, Convolution, Edge, Extend, Left, Norm, Normalized, Parameter, Right, TransposedConvolution,
    Value,
};
use base::error::Result;

/// The number that is added to the variance in all norms, as in PyTorch.
pub const EPSILON: f32 = 1e-5;

/// A convolution with a stride and GELU, residual branches, and a gate. A bare one is the convolution alone.
#[derive(Debug)]
pub struct Encoder {
    of: LayerSize,
    convolution: Convolution,
    norm: Option<Norm>,
    residual: Vec<Residual>,
    gate: Option<Gate>,
}

/// A gate, residual branches, and a transposed convolution, with GELU but in the last. A bare one has neither gate nor
/// branches.
#[derive(Debug)]
pub struct Decoder {
    of: LayerSize,
    gate: Option<Gate>,
    residual: Vec<Residual>,
    convolution: TransposedConvolution,
    norm: Option<Norm>,
    is_last: bool,
}

/// The input of a decoder.
#[derive(Clone, Copy, Debug)]
pub enum Given {
    /// The result of the decoder before it, if any, and that of the encoder that it mirrors.
    Skip(Option<Value>, Value),
    /// For a bare decoder: a single value.
    Alone(Value),
}

/// A convolution, and half of its channels over the logistic function of the others.
#[derive(Debug)]
struct Gate {
    convolution: Convolution,
    norm: Option<Norm>,
    context: usize,
}

/// Takes weights `outputs x inputs x taps`, and as many along rows where the file has a dimension for them, with the
/// bias.
pub fn convolution(
    tensors: &mut Tensors<'_>,
    layer: &str,
    [outputs, inputs]: [usize; 2],
    taps: &[usize],
) -> Result<Convolution> {
    let mut shape = vec![outputs, inputs];
    shape.extend(taps);
    let name = format!("{layer}.weight");
    let values = tensors.take(&name, &shape)?;
    if taps.len() == 1 {
        shape.insert(2, 1);
    }
    let weights = tensors.add(&name, &shape, values)?;
    Ok(plain(weights, tensors.parameter(&format!("{layer}.bias"), &[outputs])?))
}

/// A convolution that takes every place; of one tap, a linear layer.
pub fn plain(weights: Parameter, bias: Parameter) -> Convolution {
    Convolution { weights, bias: Some(bias), stride: [1, 1], dilation: [1, 1], groups: 1, row_padding: 0 }
}

/// Takes gain and bias of a norm.
pub fn norm(tensors: &mut Tensors<'_>, layer: &str, channels: usize, over: Normalized) -> Result<Norm> {
    let gain = Some(tensors.parameter(&format!("{layer}.weight"), &[channels])?);
    let bias = Some(tensors.parameter(&format!("{layer}.bias"), &[channels])?);
    Ok(Norm { over, gain, bias, epsilon: EPSILON })
}

/// Adds zeros before and after the frames.
pub fn zeros(b: &mut Builder<'_>, x: Value, before: usize, after: usize) -> Result<Value> {
    if before == 0 && after == 0 {
        return Ok(x);
    }
    b.extend(x, Extend { left: Left::Edge(Edge::Zero, before), right: Right(Edge::Zero, after), keep: None })
}

/// Takes gain and bias of a norm over groups of channels, if a layer has norms.
fn norm_of(tensors: &mut Tensors<'_>, of: LayerSize, name: &str, channels: usize) -> Result<Option<Norm>> {
    of.groups.map(|groups| norm(tensors, name, channels, Normalized::Groups(groups))).transpose()
}

impl Gate {
    /// Takes the gate of a layer that is not bare; `norm` is its norm's name.
    fn take(
        tensors: &mut Tensors<'_>,
        place: &str,
        norm: &str,
        of: LayerSize,
        width: usize,
        context: usize,
    ) -> Result<Option<Self>> {
        if of.is_bare {
            return Ok(None);
        }
        let taps = 1 + 2 * context;
        let (name, channels) = (format!("{place}.rewrite"), [2 * width, width]);
        let convolution = match of.along {
            Along::Rows => {
                Convolution { row_padding: context, ..convolution(tensors, &name, channels, &[taps, taps])? }
            }
            Along::Frames => convolution(tensors, &name, channels, &[taps])?,
        };
        let norm = norm_of(tensors, of, &format!("{place}.{norm}"), 2 * width)?;
        Ok(Some(Self { convolution, norm, context }))
    }

    fn build(&self, b: &mut Builder<'_>, x: Value) -> Result<Value> {
        let x = b.within("rewrite", |b| {
            let x = zeros(b, x, self.context, self.context)?;
            b.convolution(x, self.convolution.clone())
        })?;
        let x = normalized(b, x, self.norm.as_ref())?;
        b.glu(x)
    }
}

fn normalized(b: &mut Builder<'_>, x: Value, norm: Option<&Norm>) -> Result<Value> {
    norm.map_or(Ok(x), |norm| b.normalize(x, norm.clone()))
}

impl Encoder {
    /// Takes its tensors; of `[inputs, outputs]` channels.
    pub fn take(
        tensors: &mut Tensors<'_>,
        place: &str,
        model: &Configuration,
        of: LayerSize,
        [inputs, width]: [usize; 2],
    ) -> Result<Self> {
        let name = format!("{place}.conv");
        let convolution = match of.along {
            Along::Rows => Convolution {
                stride: [of.stride, 1],
                row_padding: of.padding,
                ..convolution(tensors, &name, [width, inputs], &[of.taps, 1])?
            },
            Along::Frames => {
                Convolution { stride: [1, of.stride], ..convolution(tensors, &name, [width, inputs], &[of.taps])? }
            }
        };
        let has_more = !of.is_bare;
        Ok(Self {
            of,
            convolution,
            norm: if has_more { norm_of(tensors, of, &format!("{place}.norm1"), width)? } else { None },
            residual: Residual::take_all(tensors, place, model, of, width, model.residual_in_encoder && has_more)?,
            gate: Gate::take(tensors, place, "norm2", of, width, model.context_of_encoder)?,
        })
    }

    /// Adds it to a graph. `other` is added to the result of the convolution.
    pub fn build(&self, b: &mut Builder<'_>, x: Value, other: Option<Value>) -> Result<Value> {
        let x = b.within("conv", |b| {
            let x = match self.of.along {
                Along::Rows => x,
                Along::Frames => {
                    // Up to a whole number of strides.
                    let frames = b.shape(x).frames;
                    let padding = self.of.padding;
                    zeros(b, x, padding, padding + frames.next_multiple_of(self.of.stride) - frames)?
                }
            };
            b.convolution(x, self.convolution.clone())
        })?;
        let Some(gate) = &self.gate else { return Ok(x) };
        let x = other.map_or(Ok(x), |other| b.add(x, other))?;
        let x = normalized(b, x, self.norm.as_ref())?;
        let x = b.activate(x, Activation::Gelu)?;
        let x = Residual::build_all(&self.residual, b, x)?;
        gate.build(b, x)
    }
}

impl Decoder {
    /// Takes its tensors; of `[inputs, outputs]` channels.
    pub fn take(
        tensors: &mut Tensors<'_>,
        place: &str,
        model: &Configuration,
        of: LayerSize,
        [width, outputs]: [usize; 2],
        is_last: bool,
    ) -> Result<Self> {
        let name = format!("{place}.conv_tr.weight");
        let in_file: &[usize] = match of.along {
            Along::Rows => &[width, outputs, of.taps, 1],
            Along::Frames => &[width, outputs, of.taps],
        };
        let values = tensors.take(&name, in_file)?;
        Ok(Self {
            of,
            gate: Gate::take(tensors, place, "norm1", of, width, model.context)?,
            residual: Residual::take_all(tensors, place, model, of, width, model.residual_in_decoder && !of.is_bare)?,
            convolution: TransposedConvolution {
                weights: tensors.add(&name, &[width, outputs, of.taps], values)?,
                bias: Some(tensors.parameter(&format!("{place}.conv_tr.bias"), &[outputs])?),
                stride: of.stride,
                groups: 1,
                along_rows: of.along == Along::Rows,
                cut: [of.padding, of.padding],
            },
            norm: norm_of(tensors, of, &format!("{place}.norm2"), outputs)?,
            is_last,
        })
    }

    /// Adds it to a graph. A layer along frames returns `frames` frames. Returns the result, and the input of its
    /// convolution.
    pub fn build(&self, b: &mut Builder<'_>, given: Given, frames: usize) -> Result<[Value; 2]> {
        let inner = match (given, &self.gate) {
            (Given::Skip(x, skip), Some(gate)) => {
                let x = x.map_or(Ok(skip), |x| b.add(x, skip))?;
                let x = gate.build(b, x)?;
                Residual::build_all(&self.residual, b, x)?
            }
            (Given::Skip(_, x) | Given::Alone(x), _) => x,
        };
        let x = self.longer(b, inner, frames)?;
        let x = if self.is_last { x } else { b.activate(x, Activation::Gelu)? };
        Ok([x, inner])
    }

    /// The transposed convolution with its norm, which includes the frames that are cut off afterwards.
    fn longer(&self, b: &mut Builder<'_>, x: Value, frames: usize) -> Result<Value> {
        let mut convolution = self.convolution.clone();
        if self.of.along == Along::Rows {
            let x = b.within("conv_tr", |b| b.transposed_convolution(x, convolution))?;
            return normalized(b, x, self.norm.as_ref());
        }
        let Some(norm) = &self.norm else {
            let whole = (b.shape(x).frames - 1) * self.of.stride + self.of.taps;
            convolution.cut[1] = whole.saturating_sub(self.of.padding + frames);
            return b.within("conv_tr", |b| b.transposed_convolution(x, convolution));
        };
        convolution.cut = [0, 0];
        let x = b.within("conv_tr", |b| b.transposed_convolution(x, convolution))?;
        let x = b.normalize(x, norm.clone())?;
        b.crop(x, self.of.padding, frames)
    }
}
