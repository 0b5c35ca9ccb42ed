//! The transformers of Mimi. A layer is LayerNorm, attention, a scale for each component, and a skip around them; then
//! the same around two linear layers with GELU between them.
//!
//! In a stream, keys and values of the last `window - 1` vectors are remembered.

use super::Configuration;
use crate::models::Piece;
use crate::models::tensors::Tensors;
use crate::network::{
    Activation, Attention, Builder, Convolution, Edge, Extend, Left, Norm, Normalized, Parameter, Right, Rotary, Value,
};
use base::error::Result;

/// A transformer.
#[derive(Clone, Debug)]
pub struct Transformer {
    part: &'static str,
    layers: Vec<Layer>,
    heads: usize,
    key_heads: usize,
    window: usize,
    base: f32,
}

#[derive(Clone, Debug)]
struct Layer {
    attention_norm: Norm,
    query: Convolution,
    key: Convolution,
    value: Convolution,
    out: Convolution,
    attention_scale: Parameter,
    norm: Norm,
    inward: Convolution,
    outward: Convolution,
    scale: Parameter,
}

fn linear(weights: Parameter) -> Convolution {
    Convolution { weights, bias: None, stride: [1, 1], dilation: [1, 1], groups: 1, row_padding: 0 }
}

impl Transformer {
    /// Takes its tensors. `is_of_package` means the naming of the authors' package, in which the rows of queries and keys
    /// are in another order.
    pub fn take(
        tensors: &mut Tensors<'_>,
        part: &'static str,
        configuration: &Configuration,
        is_of_package: bool,
    ) -> Result<Self> {
        let layers = (0..configuration.layers)
            .map(|n| Layer::take(tensors, &format!("{part}.layers.{n}"), configuration, is_of_package))
            .collect::<Result<_>>()?;
        let Configuration { heads, key_heads, window, base, .. } = *configuration;
        Ok(Self { part, layers, heads, key_heads, window, base })
    }

    /// Adds it to a graph.
    pub fn build(&self, b: &mut Builder<'_>, x: Value, piece: Piece) -> Result<Value> {
        let mut x = x;
        for (n, layer) in self.layers.iter().enumerate() {
            x = b.within(format!("{}.layers.{n}", self.part), |b| {
                let attended = b.within("input_layernorm", |b| b.normalize(x, layer.attention_norm.clone()))?;
                let attended = b.within("self_attn", |b| self.attention(b, attended, layer, piece))?;
                let attended = b.within("self_attn_layer_scale", |b| b.scale(attended, layer.attention_scale))?;
                let x = b.add(x, attended)?;
                let y = b.within("post_attention_layernorm", |b| b.normalize(x, layer.norm.clone()))?;
                let y = b.within("mlp", |b| {
                    let y = b.convolution(y, layer.inward.clone())?;
                    let y = b.activate(y, Activation::Gelu)?;
                    b.convolution(y, layer.outward.clone())
                })?;
                let y = b.within("mlp_layer_scale", |b| b.scale(y, layer.scale))?;
                b.add(x, y)
            })?;
        }
        Ok(x)
    }

    fn attention(&self, b: &mut Builder<'_>, x: Value, layer: &Layer, piece: Piece) -> Result<Value> {
        let sequence = (!piece.is_whole()).then(|| self.part.to_owned());
        let turned =
            |b: &mut Builder<'_>, x, heads| b.rotary(x, Rotary { heads, base: self.base, sequence: sequence.clone() });
        let query = b.within("q_proj", |b| b.convolution(x, layer.query.clone()))?;
        let query = turned(b, query, self.heads)?;
        let keys = b.within("k_proj", |b| b.convolution(x, layer.key.clone()))?;
        let keys = turned(b, keys, self.key_heads)?;
        let values = b.within("v_proj", |b| b.convolution(x, layer.value.clone()))?;
        let mut remembered = |x: Value, what: &str| {
            let before = self.window - 1;
            if piece.is_whole() || before == 0 {
                return Ok(x);
            }
            let key = b.name(what);
            let keep = (!piece.is_last).then(|| (key.clone(), before));
            b.extend(x, Extend { left: Left::Kept(key, before), right: Right(Edge::Zero, 0), keep })
        };
        let (keys, values) = (remembered(keys, "keys")?, remembered(values, "values")?);
        let (heads, key_heads, window) = (self.heads, self.key_heads, Some(self.window));
        let attention = Attention { heads, key_heads, window, sequence, distances: false };
        let attended = b.attention(query, keys, values, attention)?;
        b.convolution(attended, layer.out.clone())
    }
}

impl Layer {
    fn take(
        tensors: &mut Tensors<'_>,
        place: &str,
        configuration: &Configuration,
        is_of_package: bool,
    ) -> Result<Self> {
        let Configuration { heads, key_heads, head_width, inner, epsilon, .. } = *configuration;
        let hidden = configuration.form.hidden;
        let (wide, narrow) = (heads * head_width, key_heads * head_width);
        let mut norm = |part: &str| -> Result<Norm> {
            let gain = tensors.parameter(&format!("{place}.{part}.weight"), &[hidden])?;
            let bias = tensors.parameter(&format!("{place}.{part}.bias"), &[hidden])?;
            Ok(Norm { over: Normalized::Channels, gain: Some(gain), bias: Some(bias), epsilon })
        };
        let (attention_norm, after) = (norm("input_layernorm")?, norm("post_attention_layernorm")?);
        let [query, key, value] = if is_of_package {
            let name = format!("{place}.self_attn.in_proj_weight");
            let rows = tensors.take(&name, &[wide + 2 * narrow, hidden])?;
            let (query, rest) = rows.split_at(wide * hidden);
            let (key, value) = rest.split_at(narrow * hidden);
            let (query, key) = (by_halves(query, heads, hidden), by_halves(key, key_heads, hidden));
            let mut add = |part: &str, rows: usize, values: Vec<f32>| {
                tensors.add(&format!("{place}.self_attn.{part}_proj.weight"), &[rows, hidden, 1, 1], values)
            };
            [add("q", wide, query)?, add("k", narrow, key)?, add("v", narrow, value.to_vec())?]
        } else {
            let mut take =
                |part: &str, rows: usize| tensors.linear(&format!("{place}.self_attn.{part}_proj"), [rows, hidden]);
            [take("q", wide)?, take("k", narrow)?, take("v", narrow)?]
        };
        Ok(Self {
            attention_norm,
            query: linear(query),
            key: linear(key),
            value: linear(value),
            out: linear(tensors.linear(&format!("{place}.self_attn.o_proj"), [hidden, wide])?),
            attention_scale: tensors.parameter(&format!("{place}.self_attn_layer_scale.scale"), &[hidden])?,
            norm: after,
            inward: linear(tensors.linear(&format!("{place}.mlp.fc1"), [inner, hidden])?),
            outward: linear(tensors.linear(&format!("{place}.mlp.fc2"), [hidden, inner])?),
            scale: tensors.parameter(&format!("{place}.mlp_layer_scale.scale"), &[hidden])?,
        })
    }
}

/// Reorders rows from adjacent pairs (0, 1), (2, 3), ... to pairs half a head apart, as [`Rotary`] rotates them.
fn by_halves(rows: &[f32], heads: usize, width: usize) -> Vec<f32> {
    let of_head = rows.len() / heads.max(1);
    let count = of_head / width.max(1);
    let mut sorted = Vec::with_capacity(rows.len());
    for head in rows.chunks(of_head.max(1)) {
        for row in (0..count).step_by(2).chain((1..count).step_by(2)) {
            sorted.extend_from_slice(&head[row * width..(row + 1) * width]);
        }
    }
    sorted
}
