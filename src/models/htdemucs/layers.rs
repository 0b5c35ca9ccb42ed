//! The layers of encoders and decoders.

use super::Configuration;
use crate::error::Result;
use crate::models::tensors::Tensors;
use crate::network::{
    Activation, Builder, Convolution, Edge, Extend, Left, Norm, Normalized, Parameter, Right, TransposedConvolution,
    Value,
};

/// What is added to the variance in all norms, as PyTorch does.
pub const EPSILON: f32 = 1e-5;
/// Taps of the convolutions of residual branches.
const RESIDUAL_TAPS: usize = 3;

/// The direction in which a branch is made shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    /// Rows of frequency.
    Rows,
    /// Frames of the sound.
    Frames,
}

/// A convolution with a stride and GELU, residual branches, and a gate.
#[derive(Debug)]
pub struct Encoder {
    along: Along,
    convolution: Convolution,
    residual: Vec<Residual>,
    rewrite: Convolution,
    stride: usize,
    context: usize,
}

/// A gate, residual branches, and a transposed convolution, with GELU but in the last.
#[derive(Debug)]
pub struct Decoder {
    rewrite: Convolution,
    residual: Vec<Residual>,
    convolution: TransposedConvolution,
    taps: usize,
    context: usize,
    is_last: bool,
}

/// A branch over the frames of every row by itself: two convolutions with norms, a gate and a scale.
#[derive(Debug)]
struct Residual {
    inward: Convolution,
    inner_norm: Norm,
    outward: Convolution,
    norm: Norm,
    scale: Parameter,
    padding: usize,
}

/// Takes weights `outputs x inputs x taps`, and as many along rows where the file has a dimension for them, with the
/// bias.
fn convolution(
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
    let bias = Some(tensors.parameter(&format!("{layer}.bias"), &[outputs])?);
    Ok(Convolution { weights, bias, stride: [1, 1], dilation: [1, 1], groups: 1, row_padding: 0 })
}

/// Takes gain and bias of a norm.
pub fn norm(tensors: &mut Tensors<'_>, layer: &str, channels: usize, over: Normalized) -> Result<Norm> {
    let gain = Some(tensors.parameter(&format!("{layer}.weight"), &[channels])?);
    let bias = Some(tensors.parameter(&format!("{layer}.bias"), &[channels])?);
    Ok(Norm { over, gain, bias, epsilon: EPSILON })
}

/// Adds zeros before and after the frames.
fn zeros(b: &mut Builder<'_>, x: Value, before: usize, after: usize) -> Result<Value> {
    if before == 0 && after == 0 {
        return Ok(x);
    }
    b.extend(x, Extend { left: Left::Edge(Edge::Zero, before), right: Right(Edge::Zero, after), keep: None })
}

/// Takes the gate's convolution.
fn rewrite(tensors: &mut Tensors<'_>, place: &str, along: Along, width: usize, context: usize) -> Result<Convolution> {
    let taps = 1 + 2 * context;
    let name = format!("{place}.rewrite");
    Ok(match along {
        Along::Rows => {
            Convolution { row_padding: context, ..convolution(tensors, &name, [2 * width, width], &[taps, taps])? }
        }
        Along::Frames => convolution(tensors, &name, [2 * width, width], &[taps])?,
    })
}

fn gate(b: &mut Builder<'_>, x: Value, rewrite: &Convolution, context: usize) -> Result<Value> {
    let x = b.within("rewrite", |b| {
        let x = zeros(b, x, context, context)?;
        b.convolution(x, rewrite.clone())
    })?;
    b.glu(x)
}

impl Encoder {
    /// Takes its tensors; of `[inputs, outputs]` channels.
    ///
    /// # Errors
    /// See [`Tensors::take`].
    pub fn take(
        tensors: &mut Tensors<'_>,
        place: &str,
        of: &Configuration,
        along: Along,
        [inputs, width]: [usize; 2],
    ) -> Result<Self> {
        let name = format!("{place}.conv");
        let own = match along {
            Along::Rows => Convolution {
                stride: [of.stride, 1],
                row_padding: of.kernel / 4,
                ..convolution(tensors, &name, [width, inputs], &[of.kernel, 1])?
            },
            Along::Frames => {
                Convolution { stride: [1, of.stride], ..convolution(tensors, &name, [width, inputs], &[of.kernel])? }
            }
        };
        Ok(Self {
            along,
            convolution: own,
            residual: Residual::take_all(tensors, place, of, width, of.residual_in_encoder)?,
            rewrite: rewrite(tensors, place, along, width, of.context_of_encoder)?,
            stride: of.stride,
            context: of.context_of_encoder,
        })
    }

    /// Adds it to a graph.
    ///
    /// # Errors
    /// Those of [`Builder::operation`].
    pub fn build(&self, b: &mut Builder<'_>, x: Value) -> Result<Value> {
        let x = b.within("conv", |b| {
            let x = match self.along {
                Along::Rows => x,
                Along::Frames => {
                    // Up to a whole number of strides.
                    let frames = b.shape(x).frames;
                    let padding = self.stride / 2;
                    zeros(b, x, padding, padding + frames.next_multiple_of(self.stride) - frames)?
                }
            };
            b.convolution(x, self.convolution.clone())
        })?;
        let x = b.activate(x, Activation::Gelu)?;
        let x = Residual::build_all(&self.residual, b, x)?;
        gate(b, x, &self.rewrite, self.context)
    }
}

impl Decoder {
    /// Takes its tensors; of `[inputs, outputs]` channels.
    ///
    /// # Errors
    /// See [`Tensors::take`].
    pub fn take(
        tensors: &mut Tensors<'_>,
        place: &str,
        of: &Configuration,
        along: Along,
        [width, outputs]: [usize; 2],
        is_last: bool,
    ) -> Result<Self> {
        let name = format!("{place}.conv_tr.weight");
        let in_file: &[usize] = match along {
            Along::Rows => &[width, outputs, of.kernel, 1],
            Along::Frames => &[width, outputs, of.kernel],
        };
        let values = tensors.take(&name, in_file)?;
        let padding = of.kernel / 4;
        Ok(Self {
            rewrite: rewrite(tensors, place, along, width, of.context)?,
            residual: Residual::take_all(tensors, place, of, width, of.residual_in_decoder)?,
            convolution: TransposedConvolution {
                weights: tensors.add(&name, &[width, outputs, of.kernel], values)?,
                bias: Some(tensors.parameter(&format!("{place}.conv_tr.bias"), &[outputs])?),
                stride: of.stride,
                groups: 1,
                along_rows: along == Along::Rows,
                cut: [padding, padding],
            },
            taps: of.kernel,
            context: of.context,
            is_last,
        })
    }

    /// Adds it to a graph. `length` is the number of frames that are wanted, of a branch along frames.
    ///
    /// # Errors
    /// Those of [`Builder::operation`].
    pub fn build(&self, b: &mut Builder<'_>, x: Value, skip: Value, length: Option<usize>) -> Result<Value> {
        let x = b.add(x, skip)?;
        let x = gate(b, x, &self.rewrite, self.context)?;
        let x = Residual::build_all(&self.residual, b, x)?;
        let mut convolution = self.convolution.clone();
        if let Some(length) = length {
            let whole = (b.shape(x).frames - 1) * convolution.stride + self.taps;
            convolution.cut[1] = whole.saturating_sub(convolution.cut[0] + length);
        }
        let x = b.within("conv_tr", |b| b.transposed_convolution(x, convolution))?;
        if self.is_last { Ok(x) } else { b.activate(x, Activation::Gelu) }
    }
}

impl Residual {
    fn take_all(
        tensors: &mut Tensors<'_>,
        place: &str,
        of: &Configuration,
        width: usize,
        is_there: bool,
    ) -> Result<Vec<Self>> {
        let inner = width / of.residual_compress;
        let count = if is_there { of.residual_depth } else { 0 };
        let one = |n: usize| {
            let at = |part: usize| format!("{place}.dconv.layers.{n}.{part}");
            let dilation = 1 << n;
            let own = convolution(tensors, &at(0), [inner, width], &[RESIDUAL_TAPS])?;
            Ok(Self {
                inward: Convolution { dilation: [1, dilation], ..own },
                inner_norm: norm(tensors, &at(1), inner, Normalized::GroupsOfRow(1))?,
                outward: convolution(tensors, &at(3), [2 * width, inner], &[1])?,
                norm: norm(tensors, &at(4), 2 * width, Normalized::GroupsOfRow(1))?,
                scale: tensors.parameter(&format!("{}.scale", at(6)), &[width])?,
                padding: dilation * (RESIDUAL_TAPS / 2),
            })
        };
        (0..count).map(one).collect()
    }

    fn build_all(all: &[Self], b: &mut Builder<'_>, x: Value) -> Result<Value> {
        let mut x = x;
        for (n, own) in all.iter().enumerate() {
            x = b.within("dconv", |b| {
                let y = b.within(format!("layers.{n}"), |b| own.build(b, x))?;
                b.add(x, y)
            })?;
        }
        Ok(x)
    }

    fn build(&self, b: &mut Builder<'_>, x: Value) -> Result<Value> {
        let y = zeros(b, x, self.padding, self.padding)?;
        let y = b.convolution(y, self.inward.clone())?;
        let y = b.normalize(y, self.inner_norm.clone())?;
        let y = b.activate(y, Activation::Gelu)?;
        let y = b.convolution(y, self.outward.clone())?;
        let y = b.normalize(y, self.norm.clone())?;
        let y = b.glu(y)?;
        b.scale(y, self.scale)
    }
}
