//! The layers of SEANet.

use super::{Convolution1d, Form, Transposed1d};
use crate::models::Piece;
use crate::models::tensors::Tensors;
use crate::network::{Activation, Builder, Lstm, Value};
use base::error::Result;

/// A layer.
#[derive(Clone, Debug)]
pub enum Layer {
    Elu,
    Convolution(Convolution1d),
    Transposed(Transposed1d),
    Block(Box<Block>),
    Recurrent(Recurrent),
}

/// A residual block.
#[derive(Clone, Debug)]
pub struct Block {
    inward: Convolution1d,
    outward: Convolution1d,
    shortcut: Option<Convolution1d>,
}

impl Block {
    /// Takes the tensors of block `n` of a stage.
    pub fn take(tensors: &mut Tensors<'_>, layer: &str, form: &Form, width: usize, n: u32) -> Result<Self> {
        let (narrow, dilation) = (width / form.compress, form.dilation_growth.pow(n));
        let mut take = |part: &str, shape, dilation| {
            Convolution1d::take(tensors, &format!("{layer}.{part}"), shape, 1, dilation, form.style)
        };
        Ok(Self {
            inward: take("block.1", [narrow, width, form.block_kernel], dilation)?,
            outward: take("block.3", [width, narrow, 1], 1)?,
            shortcut: form.has_shortcut.then(|| take("shortcut", [width, width, 1], 1)).transpose()?,
        })
    }

    pub fn reach(&self) -> usize {
        self.inward.reach()
    }

    pub fn build(&self, b: &mut Builder<'_>, x: Value, piece: Piece) -> Result<Value> {
        let y = b.within("block.0", |b| b.activate(x, Activation::Elu))?;
        let y = b.within("block.1", |b| self.inward.build(b, y, piece))?;
        let y = b.within("block.2", |b| b.activate(y, Activation::Elu))?;
        let y = b.within("block.3", |b| self.outward.build(b, y, piece))?;
        let shortcut = match &self.shortcut {
            Some(shortcut) => b.within("shortcut", |b| shortcut.build(b, x, piece))?,
            None => x,
        };
        b.add(shortcut, y)
    }
}

/// Recurrent layers, with a skip around all of them.
#[derive(Clone, Debug)]
pub struct Recurrent {
    layers: Vec<Lstm>,
}

impl Recurrent {
    pub fn take(tensors: &mut Tensors<'_>, layer: &str, width: usize, count: usize) -> Result<Self> {
        let one = |n: usize| {
            let name = |part: &str| format!("{layer}.lstm.{part}_l{n}");
            let input_weights = tensors.parameter(&name("weight_ih"), &[4 * width, width])?;
            let hidden_weights = tensors.parameter(&name("weight_hh"), &[4 * width, width])?;
            let mut bias = tensors.take(&name("bias_ih"), &[4 * width])?;
            let other = tensors.take(&name("bias_hh"), &[4 * width])?;
            bias.iter_mut().zip(other).for_each(|(bias, other)| *bias += other);
            let bias = tensors.add(&name("bias"), &[4 * width], bias)?;
            Ok(Lstm { input_weights, hidden_weights, bias, keep: None, backward: false })
        };
        Ok(Self { layers: (0..count).map(one).collect::<Result<_>>()? })
    }

    pub fn build(&self, b: &mut Builder<'_>, x: Value, piece: Piece) -> Result<Value> {
        let mut y = x;
        for (n, layer) in self.layers.iter().enumerate() {
            y = b.within(format!("lstm.{n}"), |b| {
                let keep = (!piece.is_whole()).then(|| b.name("state"));
                b.lstm(y, Lstm { keep, ..layer.clone() })
            })?;
        }
        b.add(y, x)
    }
}
