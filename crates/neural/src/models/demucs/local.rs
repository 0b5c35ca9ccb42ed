//! Local attention: scores fall with the distance, at a rate that each frame determines, and no frame attends to
//! itself. A skip bypasses it.
//!
//! The fall of a head per frame of distance is `sum over f = 1..4 of f logistic(d_f) / (2 sqrt 4)`, with four numbers
//! `d` that a convolution computes for the frame. Source: `LocalState` (`demucs.py`) of demucs 4.1.0.

use super::layers::convolution;
use crate::models::tensors::Tensors;
use crate::network::{Builder, Convolution, Value};
use base::error::Result;

/// Heads of the attention.
pub const HEADS: usize = 4;
/// The numbers that determine the fall.
const DECAYS: usize = 4;

/// The attention.
#[derive(Debug)]
pub struct Local {
    query: Convolution,
    key: Convolution,
    content: Convolution,
    /// Gives `f / (2 sqrt 4)` for each number, then the numbers.
    decays: Convolution,
    /// Sums those of a head.
    sums: Convolution,
    out: Convolution,
}

impl Local {
    /// Takes its tensors, of `width` channels.
    pub fn take(tensors: &mut Tensors<'_>, place: &str, width: usize) -> Result<Self> {
        let mut point = |name: &str| convolution(tensors, &format!("{place}.{name}"), [width, width], &[1]);
        let (query, key, content, out) = (point("query")?, point("key")?, point("content")?, point("proj")?);
        let numbers = HEADS * DECAYS;
        let name = format!("{place}.query_decay");
        let decay_weights = tensors.take(&format!("{name}.weight"), &[numbers, width, 1])?;
        let bias = tensors.take(&format!("{name}.bias"), &[numbers])?;
        let weights = [vec![0.0; decay_weights.len()], decay_weights].concat();
        let weights = tensors.add(&format!("{name}.both.weight"), &[2 * numbers, width, 1, 1], weights)?;
        let factor = |n: usize| (n % DECAYS + 1) as f32 / (2.0 * (DECAYS as f32).sqrt());
        let biases = (0..numbers).map(factor).chain(bias).collect();
        let bias = Some(tensors.add(&format!("{name}.both.bias"), &[2 * numbers], biases)?);
        let sums = tensors.add(&format!("{name}.sums"), &[HEADS, DECAYS, 1, 1], vec![1.0; numbers])?;
        let decays = Convolution { weights, bias, ..query.clone() };
        let sums = Convolution { weights: sums, bias: None, groups: HEADS, ..query.clone() };
        Ok(Self { query, key, content, decays, sums, out })
    }

    /// Adds it to a graph.
    pub fn build(&self, b: &mut Builder<'_>, x: Value) -> Result<Value> {
        let decays = b.convolution(x, self.decays.clone())?;
        let decays = b.glu(decays)?;
        let falls = b.convolution(decays, self.sums.clone())?;
        let query = b.convolution(x, self.query.clone())?;
        let keys = b.convolution(x, self.key.clone())?;
        let content = b.convolution(x, self.content.clone())?;
        let y = b.near_attention([query, keys, content, falls], HEADS)?;
        let y = b.convolution(y, self.out.clone())?;
        b.add(x, y)
    }
}
