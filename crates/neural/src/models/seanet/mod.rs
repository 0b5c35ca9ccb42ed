//! SEANet, the network of EnCodec and Mimi: an encoder whose stages halve, quarter, ... the rate and double the
//! channels, and a decoder that mirrors it.
//!
//! A stage of the encoder is residual blocks, ELU and a strided convolution of twice as many taps; of the decoder ELU,
//! a transposed convolution of as many, and residual blocks. A residual block is ELU, a convolution to fewer channels,
//! ELU, a convolution of one tap back, and a shortcut (a convolution of one tap, or nothing).
//!
//! Source: `modeling_encodec.py` and `modeling_mimi.py` of transformers 5.24.

mod convolution;
mod layer;

pub use convolution::{Convolution1d, Style, Transposed1d};
use layer::{Block, Layer, Recurrent};

use super::Piece;
use super::tensors::Tensors;
use crate::network::{Activation, Builder, Value};
use base::error::{Error, Result};

/// The most frames that a convolution may reach back.
const MAX_REACH: usize = 1 << 12;

/// The settings that determine the layers.
#[derive(Clone, Debug, PartialEq)]
pub struct Form {
    /// The channels of the sound.
    pub channels: usize,
    /// The channels of the first layer.
    pub filters: usize,
    /// The components of a frame between encoder and decoder.
    pub hidden: usize,
    /// The ratios of the decoder's stages; the encoder's are the other way round.
    pub ratios: Vec<usize>,
    /// The residual blocks of a stage.
    pub blocks: usize,
    /// The taps of the first convolution.
    pub kernel: usize,
    /// The taps of the last convolution.
    pub last_kernel: usize,
    /// The taps of the first convolution of a block.
    pub block_kernel: usize,
    /// The dilation of block `n` of a stage is this number to the power of `n`.
    pub dilation_growth: usize,
    /// The factor by which a block has fewer channels.
    pub compress: usize,
    /// Layers of the recurrent network between stages and the last convolution; none if 0.
    pub recurrent: usize,
    /// Whether blocks have a convolution in their shortcut.
    pub has_shortcut: bool,
    /// How convolutions treat edges and normalise.
    pub style: Style,
}

impl Form {
    /// Returns the frames of a code.
    pub fn hop(&self) -> usize {
        self.ratios.iter().product()
    }

    /// Checks values against each other.
    pub fn check(&self, model: &str) -> Result<()> {
        let reach = u32::try_from(self.blocks.saturating_sub(1)).ok().and_then(|n| self.dilation_growth.checked_pow(n));
        let reach = reach.and_then(|dilation| dilation.checked_mul(self.block_kernel));
        if reach.is_none_or(|reach| reach > MAX_REACH) {
            let got = format!("{} to the power of {}", self.dilation_growth, self.blocks.saturating_sub(1));
            return Err(Error::invalid(
                format!("dilation of {model}"),
                got,
                format!("a reach up to {MAX_REACH} frames"),
            ));
        }
        if !self.filters.is_multiple_of(self.compress) {
            let what = format!("channels of {model}");
            return Err(Error::invalid(what, self.filters.to_string(), format!("a multiple of {}", self.compress)));
        }
        Ok(())
    }
}

/// An encoder or a decoder.
#[derive(Clone, Debug)]
pub struct Seanet {
    /// `encoder` or `decoder`.
    part: &'static str,
    channels: usize,
    layers: Vec<Layer>,
}

impl Seanet {
    /// Takes the tensors of an encoder.
    pub fn encoder(tensors: &mut Tensors<'_>, form: &Form) -> Result<Self> {
        let mut reader = Reader { part: "encoder", tensors, form, layers: Vec::new() };
        let mut width = form.filters;
        reader.convolution([width, form.channels, form.kernel], 1)?;
        for &ratio in form.ratios.iter().rev() {
            reader.blocks(width)?;
            reader.layers.push(Layer::Elu);
            reader.convolution([2 * width, width, 2 * ratio], ratio)?;
            width *= 2;
        }
        reader.recurrent(width)?;
        reader.layers.push(Layer::Elu);
        reader.convolution([form.hidden, width, form.last_kernel], 1)?;
        Ok(Self { part: "encoder", channels: form.channels, layers: reader.layers })
    }

    /// Takes the tensors of a decoder.
    pub fn decoder(tensors: &mut Tensors<'_>, form: &Form) -> Result<Self> {
        let mut reader = Reader { part: "decoder", tensors, form, layers: Vec::new() };
        let mut width = form.filters << form.ratios.len();
        reader.convolution([width, form.hidden, form.kernel], 1)?;
        reader.recurrent(width)?;
        for &ratio in &form.ratios {
            reader.layers.push(Layer::Elu);
            let layer = reader.next();
            let transposed =
                Transposed1d::take(reader.tensors, &layer, [width, width / 2, 2 * ratio], ratio, 1, form.style)?;
            reader.layers.push(Layer::Transposed(transposed));
            width /= 2;
            reader.blocks(width)?;
        }
        reader.layers.push(Layer::Elu);
        reader.convolution([form.channels, width, form.last_kernel], 1)?;
        Ok(Self { part: "decoder", channels: form.hidden, layers: reader.layers })
    }

    /// Returns the channels that the first layer takes.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Adds the layers to a graph.
    ///
    /// # Errors
    /// [`Error::Internal`] for a piece in the middle whose length is not a multiple of the ratios.
    pub fn build(&self, b: &mut Builder<'_>, x: Value, piece: Piece) -> Result<Value> {
        let mut x = x;
        for (n, layer) in self.layers.iter().enumerate() {
            x = b.within(format!("{}.layers.{n}", self.part), |b| match layer {
                Layer::Elu => b.activate(x, Activation::Elu),
                Layer::Convolution(convolution) => convolution.build(b, x, piece),
                Layer::Transposed(transposed) => transposed.build(b, x, piece),
                Layer::Block(block) => block.build(b, x, piece),
                Layer::Recurrent(recurrent) => recurrent.build(b, x, piece),
            })?;
        }
        Ok(x)
    }

    /// Returns the frames that the first piece of a sound must have so that the edges of all layers can be mirrored as
    /// in the whole, at the rate of the first layer.
    pub fn first_frames(&self) -> usize {
        let (mut needed, mut ratio) = (1, 1);
        for layer in &self.layers {
            let reach = match layer {
                Layer::Convolution(convolution) => convolution.reach(),
                Layer::Block(block) => block.reach(),
                _ => 0,
            };
            needed = needed.max((reach + 1) * ratio);
            match layer {
                Layer::Convolution(convolution) => ratio *= convolution.stride(),
                // More frames come out than went in: they need no more than those did.
                Layer::Transposed(_) => break,
                _ => {}
            }
        }
        needed
    }
}

/// Takes layers in order.
struct Reader<'a, 'w> {
    part: &'static str,
    tensors: &'a mut Tensors<'w>,
    form: &'a Form,
    layers: Vec<Layer>,
}

impl Reader<'_, '_> {
    fn next(&self) -> String {
        format!("{}.layers.{}", self.part, self.layers.len())
    }

    fn convolution(&mut self, shape: [usize; 3], stride: usize) -> Result<()> {
        let layer = self.next();
        let convolution = Convolution1d::take(self.tensors, &layer, shape, stride, 1, self.form.style)?;
        self.layers.push(Layer::Convolution(convolution));
        Ok(())
    }

    fn blocks(&mut self, width: usize) -> Result<()> {
        for n in 0..self.form.blocks {
            let layer = self.next();
            let block = Block::take(self.tensors, &layer, self.form, width, n as u32)?;
            self.layers.push(Layer::Block(Box::new(block)));
        }
        Ok(())
    }

    fn recurrent(&mut self, width: usize) -> Result<()> {
        if self.form.recurrent > 0 {
            let layer = self.next();
            self.layers.push(Layer::Recurrent(Recurrent::take(self.tensors, &layer, width, self.form.recurrent)?));
        }
        Ok(())
    }
}
