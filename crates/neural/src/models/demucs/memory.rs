//! A bidirectional LSTM of two layers and a linear layer, with a skip around them.
//!
//! More than 200 frames are cut into stretches of 200, one every 100, each processed separately; a stretch contributes
//! the frames nearer to its middle than to any other's. Stretches are rows of two values: those at even and those at
//! odd multiples of 100 frames. Source: `BLSTM` (`demucs.py`) of demucs 4.1.0.

use super::layers::{plain, zeros};
use crate::models::tensors::Tensors;
use crate::network::{Builder, Convolution, Lstm, Shape, Value};
use base::error::Result;

const LAYERS: usize = 2;
/// Frames of a stretch.
const STRETCH: usize = 200;
/// Frames from one stretch to the next.
const STEP: usize = STRETCH / 2;

/// The memory.
#[derive(Debug)]
pub struct Memory {
    /// For each layer, forward and backward.
    layers: Vec<[Lstm; 2]>,
    linear: Convolution,
}

impl Memory {
    /// Takes its tensors, of `width` channels.
    pub fn take(tensors: &mut Tensors<'_>, place: &str, width: usize) -> Result<Self> {
        let mut one = |layer: usize, backward: bool| -> Result<Lstm> {
            let inputs = if layer == 0 { width } else { 2 * width };
            let name = |part: &str| format!("{place}.lstm.{part}_l{layer}{}", if backward { "_reverse" } else { "" });
            let biases = ["bias_ih", "bias_hh"].map(|part| tensors.take(&name(part), &[4 * width]));
            let [of_input, of_hidden] = biases;
            let bias = of_input?.iter().zip(of_hidden?).map(|(a, b)| a + b).collect();
            Ok(Lstm {
                input_weights: tensors.parameter(&name("weight_ih"), &[4 * width, inputs])?,
                hidden_weights: tensors.parameter(&name("weight_hh"), &[4 * width, width])?,
                bias: tensors.add(&name("bias"), &[4 * width], bias)?,
                keep: None,
                backward,
            })
        };
        let layers = (0..LAYERS).map(|layer| Ok([one(layer, false)?, one(layer, true)?])).collect::<Result<_>>()?;
        let name = format!("{place}.linear");
        let weights = tensors.linear(&name, [width, 2 * width])?;
        let linear = plain(weights, tensors.parameter(&format!("{name}.bias"), &[width])?);
        Ok(Self { layers, linear })
    }

    /// Adds it to a graph, of a value with one row.
    pub fn build(&self, b: &mut Builder<'_>, x: Value) -> Result<Value> {
        let frames = b.shape(x).frames;
        let y = if frames > STRETCH { self.in_stretches(b, x)? } else { self.remembered(b, x)? };
        b.add(x, y)
    }

    /// Runs the LSTM and the linear layer on each row separately.
    fn remembered(&self, b: &mut Builder<'_>, x: Value) -> Result<Value> {
        let mut x = x;
        for both in &self.layers {
            let [forward, backward] = both.each_ref().map(|layer| b.lstm(x, layer.clone()));
            x = b.join(&[forward?, backward?])?;
        }
        b.convolution(x, self.linear.clone())
    }

    fn in_stretches(&self, b: &mut Builder<'_>, x: Value) -> Result<Value> {
        let Shape { channels, frames, .. } = b.shape(x);
        let stretches = frames.div_ceil(STEP);
        let whole = (stretches + 1) * STEP;
        let x = zeros(b, x, 0, whole - frames)?;
        let edge = STEP / 2;
        let mut sum = None;
        for first in 0..2 {
            let count = (stretches - first).div_ceil(2);
            let batch = b.crop(x, first * STEP, count * STRETCH)?;
            let batch = b.reshape(batch, Shape { channels, rows: count, frames: STRETCH })?;
            let batch = self.remembered(b, batch)?;
            // The middle of each, in its place.
            let middle = b.crop(batch, edge, STEP)?;
            let middle = zeros(b, middle, edge, edge)?;
            let middle = b.reshape(middle, Shape::sequence(channels, count * STRETCH))?;
            let after = whole - first * STEP - count * STRETCH;
            let mut placed = vec![zeros(b, middle, first * STEP, after)?];
            // Nothing else covers the beginning of the first stretch and the end of the last.
            let batch = b.reshape(batch, Shape::sequence(channels, count * STRETCH))?;
            if first == 0 {
                let beginning = b.crop(batch, 0, edge)?;
                placed.push(zeros(b, beginning, 0, whole - edge)?);
            }
            if (stretches - 1) % 2 == first {
                let end = b.crop(batch, count * STRETCH - edge, edge)?;
                placed.push(zeros(b, end, whole - edge, 0)?);
            }
            for part in placed {
                sum = Some(sum.map_or(Ok(part), |sum| b.add(sum, part))?);
            }
        }
        // Two stretches at least have given parts.
        b.crop(sum.unwrap_or(x), 0, frames)
    }
}
