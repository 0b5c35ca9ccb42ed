//! The transformer between encoders and decoders. A layer of a branch attends to the vectors of that branch, or to
//! those of the other branch before the layer; two linear layers with GELU between them follow. Each part has a norm
//! before it, a scale and a skip. A norm over all components and vectors ends the layer.
//!
//! The spectrum has a vector for each row and window, row after row. Their order affects only rounding, since the
//! positional embedding is added to them.

use super::layers::{convolution, norm, plain};
use super::{Configuration, TransformerSize, embedding};
use crate::models::tensors::Tensors;
use crate::network::{Activation, Attention, Builder, Convolution, Norm, Normalized, Parameter, Shape, Value};
use base::error::Result;

/// The transformer with the layers before and after it.
#[derive(Debug)]
pub struct Transformer {
    /// For spectrum and sound each.
    sides: [Side; 2],
    heads: usize,
}

#[derive(Debug)]
struct Side {
    /// The end of the names of its parts.
    end: &'static str,
    inward: Option<Convolution>,
    norm: Norm,
    positions: Parameter,
    layers: Vec<Layer>,
    outward: Option<Convolution>,
}

#[derive(Debug)]
struct Layer {
    /// The norms before the attention: of the query; of the others, if it attends across.
    query_norm: Norm,
    across: Option<Norm>,
    query: Convolution,
    keys_and_values: Convolution,
    out: Convolution,
    attention_scale: Parameter,
    norm: Norm,
    inner: Convolution,
    outer: Convolution,
    scale: Parameter,
    last_norm: Norm,
}

impl Transformer {
    /// Takes its tensors.
    pub fn take(tensors: &mut Tensors<'_>, of: &Configuration, size: &TransformerSize) -> Result<Self> {
        let (components, width) = (of.components(), of.width(of.depth - 1));
        let mut side = |end: &'static str, (frames, positions): (usize, Vec<f32>)| -> Result<Side> {
            let mut around = |name: &str, [outputs, inputs]: [usize; 2]| -> Result<Option<Convolution>> {
                size.bottom.map(|_| convolution(tensors, &format!("{name}{end}"), [outputs, inputs], &[1])).transpose()
            };
            let inward = around("channel_upsampler", [components, width])?;
            let outward = around("channel_downsampler", [width, components])?;
            let layers = (0..size.layers).map(|n| {
                let is_across = (n % 2 == 1) != size.cross_first;
                Layer::take(
                    tensors,
                    &format!("crosstransformer.layers{end}.{n}"),
                    [components, size.inner(components)],
                    is_across,
                )
            });
            let layers = layers.collect::<Result<_>>()?;
            let name = format!("crosstransformer.norm_in{end}");
            let norm = norm(tensors, &name, components, Normalized::Channels)?;
            let name = format!("crosstransformer.positions{end}");
            let positions = tensors.add(&name, &[components, 1, frames], positions)?;
            Ok(Side { end, inward, norm, positions, layers, outward })
        };
        let plane = [of.last_rows(), of.windows(of.segment_frames)];
        let spectrum = side("", (plane[0] * plane[1], embedding::of_plane(components, plane, size)))?;
        let frames = of.last_frames();
        let sound = side("_t", (frames, embedding::of_frames(components, frames, size)))?;
        Ok(Self { sides: [spectrum, sound], heads: size.heads })
    }

    /// Adds it to a graph: of spectrum and sound, to both.
    pub fn build(&self, b: &mut Builder<'_>, given: [Value; 2]) -> Result<[Value; 2]> {
        let shapes = given.map(|x| b.shape(x));
        let mut both = given;
        for ((x, side), shape) in both.iter_mut().zip(&self.sides).zip(shapes) {
            *x = b.reshape(*x, Shape::sequence(shape.channels, shape.rows * shape.frames))?;
            if let Some(inward) = &side.inward {
                *x = b.within(format!("channel_upsampler{}", side.end), |b| b.convolution(*x, inward.clone()))?;
            }
            let name = format!("crosstransformer.norm_in{}", side.end);
            *x = b.within(name, |b| b.normalize(*x, side.norm.clone()))?;
            *x = b.within(format!("crosstransformer.positions{}", side.end), |b| b.offset(*x, side.positions))?;
        }
        for n in 0..self.sides[0].layers.len() {
            let before = both;
            for (index, x) in both.iter_mut().enumerate() {
                let side = &self.sides[index];
                let name = format!("crosstransformer.layers{}.{n}", side.end);
                *x = b.within(name, |b| side.layers[n].build(b, before[index], before[1 - index], self.heads))?;
            }
        }
        for ((x, side), shape) in both.iter_mut().zip(&self.sides).zip(shapes) {
            if let Some(outward) = &side.outward {
                *x = b.within(format!("channel_downsampler{}", side.end), |b| b.convolution(*x, outward.clone()))?;
            }
            *x = b.reshape(*x, shape)?;
        }
        Ok(both)
    }
}

impl Layer {
    fn take(tensors: &mut Tensors<'_>, place: &str, [width, inner]: [usize; 2], is_across: bool) -> Result<Self> {
        let attention = format!("{place}.{}_attn", if is_across { "cross" } else { "self" });
        let weights = tensors.take(&format!("{attention}.in_proj_weight"), &[3 * width, width])?;
        let biases = tensors.take(&format!("{attention}.in_proj_bias"), &[3 * width])?;
        let mut part = |name: &str, rows: std::ops::Range<usize>| -> Result<Convolution> {
            let (matrix, bias) = (&weights[rows.start * width..rows.end * width], &biases[rows.clone()]);
            let matrix =
                tensors.add(&format!("{attention}.{name}.weight"), &[rows.len(), width, 1, 1], matrix.to_vec())?;
            Ok(plain(matrix, tensors.add(&format!("{attention}.{name}.bias"), &[rows.len()], bias.to_vec())?))
        };
        let (query, keys_and_values) = (part("query", 0..width)?, part("keys_and_values", width..3 * width)?);
        let mut full = |name: &str, [outputs, inputs]: [usize; 2]| -> Result<Convolution> {
            let weights = tensors.linear(name, [outputs, inputs])?;
            Ok(plain(weights, tensors.parameter(&format!("{name}.bias"), &[outputs])?))
        };
        let out = full(&format!("{attention}.out_proj"), [width, width])?;
        let inward = full(&format!("{place}.linear1"), [inner, width])?;
        let outward = full(&format!("{place}.linear2"), [width, inner])?;
        let mut of_vectors = |name: &str| norm(tensors, &format!("{place}.{name}"), width, Normalized::Channels);
        let (query_norm, second) = (of_vectors("norm1")?, of_vectors("norm2")?);
        let (across, inner_norm) = if is_across { (Some(second), of_vectors("norm3")?) } else { (None, second) };
        Ok(Self {
            query_norm,
            across,
            query,
            keys_and_values,
            out,
            attention_scale: tensors.parameter(&format!("{place}.gamma_1.scale"), &[width])?,
            norm: inner_norm,
            inner: inward,
            outer: outward,
            scale: tensors.parameter(&format!("{place}.gamma_2.scale"), &[width])?,
            last_norm: norm(tensors, &format!("{place}.norm_out"), width, Normalized::Groups(1))?,
        })
    }

    fn build(&self, b: &mut Builder<'_>, x: Value, other: Value, heads: usize) -> Result<Value> {
        let width = b.shape(x).channels;
        let query = b.within("norm1", |b| b.normalize(x, self.query_norm.clone()))?;
        let seen = match &self.across {
            Some(across) => b.within("norm2", |b| b.normalize(other, across.clone()))?,
            None => query,
        };
        let attended = b.within("attention", |b| {
            let query = b.convolution(query, self.query.clone())?;
            let both = b.convolution(seen, self.keys_and_values.clone())?;
            let (keys, values) = (b.channels(both, 0, width)?, b.channels(both, width, width)?);
            let attention = Attention { heads, key_heads: heads, window: None, sequence: None, distances: false };
            let y = b.attention(query, keys, values, attention)?;
            let y = b.convolution(y, self.out.clone())?;
            b.scale(y, self.attention_scale)
        })?;
        let x = b.add(x, attended)?;
        let name = if self.across.is_some() { "norm3" } else { "norm2" };
        let y = b.within(name, |b| b.normalize(x, self.norm.clone()))?;
        let y = b.within("linear", |b| {
            let y = b.convolution(y, self.inner.clone())?;
            let y = b.activate(y, Activation::Gelu)?;
            let y = b.convolution(y, self.outer.clone())?;
            b.scale(y, self.scale)
        })?;
        let x = b.add(x, y)?;
        b.within("norm_out", |b| b.normalize(x, self.last_norm.clone()))
    }
}
