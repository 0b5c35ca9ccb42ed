//! Branches over the frames of each row separately, which are added to it: a convolution to fewer channels, and one
//! back, with norms, a gate and a scale. In the innermost layers, an LSTM and attention are between the two.

use super::Configuration;
use super::layer_size::LayerSize;
use super::layers::{convolution, norm, zeros};
use super::local::Local;
use super::memory::Memory;
use crate::models::tensors::Tensors;
use crate::network::{Activation, Builder, Convolution, Norm, Normalized, Parameter, Value};
use base::error::Result;

/// Taps of the first convolution.
const TAPS: usize = 3;

/// A branch.
#[derive(Debug)]
pub struct Residual {
    inward: Convolution,
    inner_norm: Norm,
    memory: Option<Memory>,
    local: Option<Local>,
    outward: Convolution,
    norm: Norm,
    scale: Parameter,
    padding: usize,
}

impl Residual {
    /// Takes the branches of a layer of `width` channels, if they are there.
    pub fn take_all(
        tensors: &mut Tensors<'_>,
        place: &str,
        model: &Configuration,
        of: LayerSize,
        width: usize,
        is_there: bool,
    ) -> Result<Vec<Self>> {
        let inner = model.inner_width(width);
        let count = if is_there { model.residual_depth } else { 0 };
        let one = |n: usize| {
            let at = |part: usize| format!("{place}.dconv.layers.{n}.{part}");
            let dilation = 1 << n;
            let inward =
                Convolution { dilation: [1, dilation], ..convolution(tensors, &at(0), [inner, width], &[TAPS])? };
            let inner_norm = norm(tensors, &at(1), inner, Normalized::GroupsOfRow(1))?;
            // The parts are numbered in order.
            let mut numbers = 3..;
            let mut number = || numbers.next().unwrap_or_default();
            let memory = of.has_lstm.then(|| Memory::take(tensors, &at(number()), inner)).transpose()?;
            let local = of.has_attention.then(|| Local::take(tensors, &at(number()), inner)).transpose()?;
            let outward = convolution(tensors, &at(number()), [2 * width, inner], &[1])?;
            let norm = norm(tensors, &at(number()), 2 * width, Normalized::GroupsOfRow(1))?;
            // The gate has no tensors.
            let _gate = number();
            let scale = tensors.parameter(&format!("{}.scale", at(number())), &[width])?;
            Ok(Self { inward, inner_norm, memory, local, outward, norm, scale, padding: dilation * (TAPS / 2) })
        };
        (0..count).map(one).collect()
    }

    /// Adds branches to a graph.
    pub fn build_all(all: &[Self], b: &mut Builder<'_>, x: Value) -> Result<Value> {
        let mut x = x;
        for (n, branch) in all.iter().enumerate() {
            x = b.within("dconv", |b| {
                let y = b.within(format!("layers.{n}"), |b| branch.build(b, x))?;
                b.add(x, y)
            })?;
        }
        Ok(x)
    }

    fn build(&self, b: &mut Builder<'_>, x: Value) -> Result<Value> {
        let y = zeros(b, x, self.padding, self.padding)?;
        let y = b.convolution(y, self.inward.clone())?;
        let y = b.normalize(y, self.inner_norm.clone())?;
        let mut y = b.activate(y, Activation::Gelu)?;
        if let Some(memory) = &self.memory {
            y = b.within("lstm", |b| memory.build(b, y))?;
        }
        if let Some(local) = &self.local {
            y = b.within("attention", |b| local.build(b, y))?;
        }
        let y = b.convolution(y, self.outward.clone())?;
        let y = b.normalize(y, self.norm.clone())?;
        let y = b.glu(y)?;
        b.scale(y, self.scale)
    }
}
